import PopupProtocol
import Testing
import TestSupport

@testable import PopupClient

/// A stream of screens and a broker, in virtual time, with a link that loses messages of the broker's.
///
/// The broker repeats nothing by itself, as it does in truth: what was lost shows in `heartbeat` alone.
@Suite("A stream of screens that lost messages")
struct ConvergenceTests {
    @Test("follows without a loss")
    func lossless() throws {
        var link = try Link()
        link.run()
        #expect(link.screens == link.truth)
        #expect(link.truth == ["lobby": "Z", "store/2": "E"])
        // The beginning, and the restart.
        #expect(link.asked == 2)
    }

    @Test("shows what the broker shows, whichever message was lost")
    func single() throws {
        var whole = try Link()
        whole.run()
        for lost in 0..<whole.sent {
            var link = try Link()
            link.isLost = { number, _ in number == lost }
            link.run()
            #expect(link.screens == link.truth, "message \(lost) was lost")
        }
    }

    @Test("shows what the broker shows, whichever two messages in a row were lost")
    func pair() throws {
        var whole = try Link()
        whole.run()
        for lost in 0..<whole.sent {
            var link = try Link()
            link.isLost = { number, _ in number == lost || number == lost + 1 }
            link.run()
            #expect(link.screens == link.truth, "messages \(lost) and \(lost + 1) were lost")
        }
    }

    @Test("shows what the broker shows when the losses are over", arguments: 1...60 as ClosedRange<UInt64>)
    func many(seed: UInt64) throws {
        var link = try Link()
        var generator = SplitMix64(seed: seed)
        let losses = (0..<2000).map { _ in Int.random(in: 0..<10, using: &generator) < 4 }
        link.isLost = { number, time in time < 9000 && losses[number % losses.count] }
        link.run()
        #expect(link.screens == link.truth)
    }

    @Test("notices after a long silence what the heartbeat does not tell any more")
    func silence() throws {
        var link = try Link()
        link.end = 60_000
        link.isLost = { _, time in time > 5000 && time < 40_000 }
        link.run()
        #expect(link.screens == link.truth)
    }

    @Test("takes off what is gone by the time that says so, where a broker does not answer")
    func withoutAnswers() throws {
        var link = try Link()
        link.answers = false
        link.run()
        #expect(link.screens == link.truth)
        // Later and later, so that it is no burden.
        #expect(link.asked < 12)
    }

    @Test("is incomplete from the heartbeat of another start of the broker on, until that has answered")
    func restart() throws {
        let start = ContinuousClock.now
        let box = GroupStateBox(
            filter: try GroupFilter(["lobby"]), limits: ClientLimits(), client: "c", stream: 1, at: start,
            jitter: { .zero })
        func answer(epoch: UInt64, at seconds: Int) {
            var sync = WireSync()
            sync.end.epoch = epoch
            for case .subscribe(let topic) in box.changes(at: start + .seconds(seconds)) {
                box.receive(.sync(topic, sync), at: start + .seconds(seconds))
            }
        }
        func beat(epoch: UInt64, at seconds: Int) {
            var heartbeat = WireHeartbeat()
            heartbeat.epoch = epoch
            box.receive(.heartbeat(heartbeat), at: start + .seconds(seconds))
        }
        #expect(!box.isComplete)
        answer(epoch: 1, at: 0)
        beat(epoch: 1, at: 1)
        #expect(box.isComplete)
        beat(epoch: 2, at: 2)
        #expect(!box.isComplete)
        #expect(box.epoch == 2)
        answer(epoch: 2, at: 3)
        #expect(box.isComplete)
        beat(epoch: 2, at: 4)
        #expect(box.isComplete)
    }

    struct Link {
        var isLost: (_ number: Int, _ time: Int) -> Bool = { _, _ in false }
        var answers = true
        var end = 40_000

        private let start = ContinuousClock.now
        private let box: GroupStateBox
        private var now = 0
        /// Messages that the broker has sent to the stream.
        private(set) var sent = 0
        private(set) var asked = 0
        private var subscriptions: Set<String>
        /// What the reader has.
        private(set) var screens: [String: String] = [:]

        private struct Group {
            var revision: UInt64
            var popup: String?
        }
        private var epoch: UInt64 = 1
        private var groups: [String: Group] = [:]
        /// What the heartbeat tells: also of groups that the broker keeps no more.
        private var heartbeat: [String: (revision: UInt64, changed: Int)] = [:]

        init() throws {
            box = GroupStateBox(
                filter: try GroupFilter(["lobby", "store/*"]), limits: ClientLimits(), client: "c", stream: 1,
                at: start,
                jitter: { .milliseconds(300) })
            subscriptions = Set(box.prefixes)
        }

        /// What a stream that missed nothing shows.
        var truth: [String: String] { groups.compactMapValues(\.popup) }

        mutating func run() {
            groups = ["lobby": Group(revision: 3, popup: "A")]
            groups["store/1"] = Group(revision: 1, popup: "B")
            while now < end {
                happen()
                if now % 1000 == 999 { sendHeartbeat() }
                if let deadline = box.deadline, deadline <= time { apply(box.changes(at: time)) }
                while let screen = box.take() { screens[screen.group] = screen.popup?.id }
                now = next
            }
        }

        /// When the next thing happens, the stream's own wishes included.
        private var next: Int {
            let heartbeat = (now + 1) / 1000 * 1000 + 999
            let script = [300, 700, 1200, 2500, 4000, 6000, 6500, 7000, 8000].first { $0 > now } ?? end
            let wish = box.deadline.map { Int((start.duration(to: $0) / .milliseconds(1)).rounded(.up)) } ?? end
            return min(heartbeat, script, max(wish, now + 1))
        }

        private var time: ContinuousClock.Instant { start + .milliseconds(now) }

        private mutating func happen() {
            switch now {
            case 300: change("lobby", "A2")
            case 700: change("store/2", "C")
            case 1200: change("lobby", nil)
            case 2500: change("store/1", "D")
            case 4000: restart()
            case 6000: change("store/2", "E")
            case 6500: change("store/3", "F")
            case 7000:
                change("store/3", nil)
                // The broker keeps nothing of a group that shows nothing.
                groups["store/3"] = nil
            case 8000: change("lobby", "Z")
            default: break
            }
        }

        private mutating func change(_ name: String, _ popup: String?) {
            let revision = (groups[name]?.revision ?? 0) + 1
            groups[name] = Group(revision: revision, popup: popup)
            heartbeat[name] = (revision, now)
            send("state+frame/\(name)/", .state(state(name)))
        }

        private func state(_ name: String) -> WireGroupState {
            WireGroupState(name, epoch: epoch, revision: groups[name]?.revision ?? 0, popup: groups[name]?.popup)
        }

        private mutating func sendHeartbeat() {
            var message = WireHeartbeat(epoch: epoch)
            for (name, head) in heartbeat.sorted(by: { $0.key < $1.key }) where now - head.changed < 10_000 {
                message.groups += WireHeartbeat(epoch: epoch, [name: head.revision]).groups
            }
            send("heartbeat/", .heartbeat(message))
        }

        /// It goes on with one group of two, and says nothing by itself.
        private mutating func restart() {
            epoch += 1
            groups = ["store/2": Group(revision: 1, popup: "C")]
            heartbeat = [:]
            box.reconnected(at: time)
            for topic in subscriptions.sorted() where topic.hasPrefix("sync/") { answer(topic) }
        }

        private mutating func apply(_ changes: [SubscriptionChange]) {
            var topics: Set<String> = []
            for change in changes {
                switch change {
                case .subscribe(let topic):
                    subscriptions.insert(topic)
                    topics.insert(topic)
                case .unsubscribe(let topic): subscriptions.remove(topic)
                }
            }
            if !topics.isEmpty { asked += 1 }
            for topic in topics.sorted() { answer(topic) }
        }

        private mutating func answer(_ topic: String) {
            guard answers, case .sync(_, _, let asked, _)? = Topic(topic) else { return }
            let matching = groups.keys.sorted().filter { name in
                asked.map { name == $0.text || name.hasPrefix("\($0)/") } ?? true
            }
            for name in matching {
                var part = WireSync()
                part.states = [state(name)]
                send(topic, .sync(topic, part))
            }
            var part = WireSync()
            part.end.epoch = epoch
            part.end.states = UInt64(matching.count)
            send(topic, .sync(topic, part))
        }

        private mutating func send(_ topic: String, _ message: EgressMessage) {
            guard subscriptions.contains(where: { topic.hasPrefix($0) }) else { return }
            defer { sent += 1 }
            guard !isLost(sent, now) else { return }
            box.receive(message, at: time)
        }
    }
}
