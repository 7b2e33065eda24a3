import PopupProtocol
import Synchronization
import Testing
import TestSupport

@testable import PopupClient

@Suite("Subscribers of a connection")
struct SubscriberTableTests {
    private typealias Instant = ContinuousClock.Instant

    /// A subscriber that records what it receives, and that has the deadline which the test last gave it.
    private final class Recorder: Subscriber {
        struct State {
            var messages = 0
            /// The groups of the last heartbeat.
            var changed: [String] = []
            var deadline: Instant?
            var isAsking = false
        }

        let prefixes: [String] = []
        let patterns: [GroupPattern]?
        let state = Mutex(State())

        init(_ patterns: [String]?) {
            self.patterns = patterns.map { $0.map { GroupPattern($0)! } }
        }

        var messages: Int { state.withLock { $0.messages } }
        var deadline: Instant? { state.withLock { $0.deadline } }

        func receive(_ message: EgressMessage, at now: Instant) {
            state.withLock { state in
                state.messages += 1
                if case .heartbeat(let heartbeat) = message { state.changed = heartbeat.groups.map(\.group) }
            }
        }

        var topic: String { "sync/\(ObjectIdentifier(self))" }
        var temporaryTopics: [String] { state.withLock { $0.isAsking } ? [topic] : [] }

        /// It asks, or cancels what it has asked.
        func changes(at now: Instant, mayAsk: Bool) -> [SubscriptionChange] {
            state.withLock { state in
                guard state.isAsking || mayAsk else { return [] }
                state.deadline = nil
                state.isAsking.toggle()
                return [state.isAsking ? .subscribe(topic) : .unsubscribe(topic)]
            }
        }

        func finish(_ error: ClientError?) {}
    }

    private static func state(of group: String) -> EgressMessage {
        var state = WireGroupState()
        state.group = group
        return .state(state)
    }

    @Test(
        "A state goes to those who follow its group, whatever was added and removed before",
        arguments: 1...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let groups = ["a", "a/b", "a/b/c", "b", "b/a", "c"]
        let patterns = groups + ["*", "a/*", "a/b/*", "b/*"]
        var table = SubscriberTable()
        var present: [UInt64: Recorder] = [:]
        for id in 1...200 as ClosedRange<UInt64> {
            let count = Int.random(in: 0...3, using: &generator)
            let chosen = (0..<count).map { _ in patterns.randomElement(using: &generator)! }
            let recorder = Recorder(count == 0 ? nil : chosen)
            table.insert(recorder, as: id)
            present[id] = recorder
            if Bool.random(using: &generator), let gone = present.keys.sorted().randomElement(using: &generator) {
                #expect(table.remove(gone) === present.removeValue(forKey: gone))
            }
            let group = groups.randomElement(using: &generator)!
            let before = present.mapValues(\.messages)
            table.receive(Self.state(of: group), at: .now)
            for (id, recorder) in present {
                let follows = recorder.patterns?.contains { $0.matches(GroupName(group)!) } ?? false
                let isWide = recorder.patterns?.contains { $0.form != .exact } ?? false
                let received = recorder.messages - before[id]!
                if follows { #expect(received == 1) } else if !isWide { #expect(received == 0) }
            }
        }
    }

    @Test("A message about no single group goes to all")
    func everybody() {
        var table = SubscriberTable()
        let recorders = [Recorder(nil), Recorder(["a"]), Recorder(["*"])]
        for (id, recorder) in recorders.enumerated() { table.insert(recorder, as: UInt64(id)) }
        table.receive(.heartbeat(WireHeartbeat()), at: .now)
        #expect(recorders.map(\.messages) == [1, 1, 1])
    }

    @Test("A heartbeat goes to all, with the groups that one follows by name, or all groups for a pattern")
    func heartbeat() {
        var table = SubscriberTable()
        let recorders = [
            Recorder(nil), Recorder(["a", "c"]), Recorder(["b"]), Recorder(["a", "x/*"]), Recorder(["d"]),
        ]
        for (id, recorder) in recorders.enumerated() { table.insert(recorder, as: UInt64(id)) }
        var heartbeat = WireHeartbeat()
        heartbeat.groups = ["a", "b", "c"].map { name in
            var changed = WireGroupRevision()
            changed.group = name
            return changed
        }
        table.receive(.heartbeat(heartbeat), at: .now)
        #expect(recorders.map { $0.state.withLock(\.changed) } == [[], ["a", "c"], ["b"], ["a", "b", "c"], []])
        #expect(recorders.map(\.messages) == [1, 1, 1, 1, 1])
    }

    @Test("A heartbeat in several messages goes once to those that it is not about, and again in the next epoch")
    func parts() {
        let now = Instant.now
        var table = SubscriberTable()
        let recorders = [Recorder(nil), Recorder(["a"]), Recorder(["b"]), Recorder(["*"])]
        for (id, recorder) in recorders.enumerated() { table.insert(recorder, as: UInt64(id)) }
        table.receive(.heartbeat(WireHeartbeat(epoch: 1, ["c": 1])), at: now)
        table.receive(.heartbeat(WireHeartbeat(epoch: 1, ["a": 1])), at: now + .milliseconds(20))
        #expect(recorders.map(\.messages) == [1, 2, 1, 2])
        table.receive(.heartbeat(WireHeartbeat(epoch: 1)), at: now + .seconds(1))
        #expect(recorders.map(\.messages) == [2, 3, 2, 3])
        table.receive(.heartbeat(WireHeartbeat(epoch: 2)), at: now + .milliseconds(1020))
        #expect(recorders.map(\.messages) == [3, 4, 3, 4])
    }

    @Test("The earliest deadline counts, and only those whose deadline is over change their topics")
    func deadlines() {
        let now = Instant.now
        var table = SubscriberTable()
        let (early, late) = (Recorder(["a"]), Recorder(["b"]))
        early.state.withLock { $0.deadline = now }
        table.insert(early, as: 1)
        table.insert(late, as: 2)
        #expect(table.deadline == now)
        // A message may set a deadline.
        late.state.withLock { $0.deadline = now + .seconds(2) }
        table.receive(Self.state(of: "b"), at: now)
        #expect(table.changes(at: now + .seconds(1)).count == 1)
        #expect(table.deadline == now + .seconds(2))
        _ = table.remove(2)
        #expect(table.deadline == nil)
    }

    @Test("Only a limited number ask at once; the others follow in their order, as answers come and streams end")
    func turns() {
        let now = Instant.now
        var table = SubscriberTable()
        let most = SubscriberTable.maxOpenTopics
        let recorders = (0..<most + 3).map { _ in Recorder(["a"]) }
        for (id, recorder) in recorders.enumerated() {
            recorder.state.withLock { $0.deadline = now + .milliseconds(id) }
            table.insert(recorder, as: UInt64(id))
        }
        for id in 0..<most + 3 { _ = table.changes(at: now + .milliseconds(id)) }
        #expect(recorders.count { $0.state.withLock(\.isAsking) } == most)
        // Who waits has no time at which to wake up, also after a message.
        #expect(table.deadline == nil)
        table.receive(.heartbeat(WireHeartbeat()), at: now)
        #expect(table.deadline == nil)
        // One that is gone loses its turn.
        _ = table.remove(UInt64(most))

        let later = now + .seconds(9)
        recorders[7].state.withLock { $0.deadline = later }
        table.receive(.sync(recorders[7].topic, WireSync()), at: later)
        #expect(table.changes(at: later) == [.unsubscribe(recorders[7].topic), .subscribe(recorders[most + 1].topic)])
        _ = table.remove(9)
        #expect(table.changes(at: later) == [.subscribe(recorders[most + 2].topic)])
        #expect(table.changes(at: later) == [])
    }

    @Test("Who is due goes behind those that wait already")
    func queue() {
        let now = Instant.now
        var table = SubscriberTable()
        let recorders = (0..<SubscriberTable.maxOpenTopics + 1).map { _ in Recorder(["a"]) }
        for (id, recorder) in recorders.enumerated() {
            recorder.state.withLock { $0.deadline = now + .milliseconds(id) }
            table.insert(recorder, as: UInt64(id))
            _ = table.changes(at: now + .milliseconds(id))
        }
        let late = Recorder(["a"])
        late.state.withLock { $0.deadline = now }
        _ = table.remove(0)
        table.insert(late, as: 0)
        #expect(table.changes(at: now + .seconds(1)) == [.subscribe(recorders.last!.topic)])
        _ = table.remove(1)
        #expect(table.changes(at: now + .seconds(1)) == [.subscribe(late.topic)])
    }

    @Test("A part of an answer goes to the one that asked, and a reply to those that follow no groups")
    func answers() {
        let now = Instant.now
        var table = SubscriberTable()
        let recorders = [Recorder(["a"]), Recorder(["a"]), Recorder(["*"]), Recorder(nil)]
        recorders[1].state.withLock { $0.deadline = now }
        for (id, recorder) in recorders.enumerated() { table.insert(recorder, as: UInt64(id)) }
        _ = table.changes(at: now)
        table.receive(.sync(recorders[1].topic, WireSync()), at: now)
        #expect(recorders.map(\.messages) == [0, 1, 0, 0])
        table.receive(.sync("sync/cancelled", WireSync()), at: now)
        #expect(recorders.map(\.messages) == [0, 1, 0, 0])
        table.receive(.reply(WireReply()), at: now)
        #expect(recorders.map(\.messages) == [0, 1, 0, 1])
    }
}
