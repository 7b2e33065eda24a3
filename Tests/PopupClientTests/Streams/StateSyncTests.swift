import PopupProtocol
import Testing

@testable import PopupClient

@Suite("Asking for what groups show")
struct StateSyncTests {
    private let start = ContinuousClock.now
    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private func stateSync(_ patterns: String...) -> StateSync {
        StateSync(
            client: "0123456789abcdef0123456789abcdef", stream: 7, patterns: patterns.compactMap { GroupPattern($0) },
            at: start)
    }

    private func end(_ states: UInt64, epoch: UInt64 = 1) -> WireSync {
        var sync = WireSync()
        sync.end.epoch = epoch
        sync.end.states = states
        return sync
    }

    @Test("is done once for each name and prefix, at the beginning")
    func targets() {
        var stateSync = stateSync("lobby", "lobby/*", "store-1/*", "lobby")
        #expect(
            stateSync.changes(VersionTracker(), at: start) == [
                .subscribe("sync/0123456789abcdef/7-1/lobby/"), .subscribe("sync/0123456789abcdef/7-1/store-1/"),
            ])
        var all = self.stateSync("*")
        #expect(all.changes(VersionTracker(), at: start) == [.subscribe("sync/0123456789abcdef/7-1/*/")])
    }

    @Test("is done for a limited number of names at once, and then for others")
    func slices() {
        let most = StateSync.maxTargets
        var stateSync = StateSync(
            client: "0123456789abcdef0123456789abcdef", stream: 7,
            patterns: (0..<most + 2).compactMap { GroupPattern("g/\($0)") }, at: start)
        let first = stateSync.changes(VersionTracker(), at: start)
        #expect(first.count == most)
        #expect(stateSync.changes(VersionTracker(), at: at(1)) == [])
        for case .subscribe(let topic) in first {
            _ = stateSync.receive(end(0), on: topic, at: at(2))
            #expect(!stateSync.isAnswered)
        }
        let asked = stateSync.changes(VersionTracker(), at: at(2)).filter { !first.contains(.subscribe($0.topic)) }
        #expect(asked.map(\.topic) == [most, most + 1].map { "sync/0123456789abcdef/7-2/g/\($0)/" })
        for change in asked { _ = stateSync.receive(end(0), on: change.topic, at: at(3)) }
        #expect(stateSync.isAnswered)
    }

    @Test("ends with its stream: what is open is withdrawn, and nothing is asked again")
    func finish() {
        var stateSync = stateSync("lobby", "hall")
        let asked = stateSync.changes(VersionTracker(), at: start)
        stateSync.finish(at: at(5))
        #expect(stateSync.deadline == at(5))
        #expect(stateSync.changes(VersionTracker(), at: at(5)) == asked.map { .unsubscribe($0.topic) })
        stateSync.reconnected(at: at(6))
        stateSync.recordEpoch(9, at: at(7))
        let heartbeat = WireHeartbeat(epoch: 9, ["lobby": 3])
        stateSync.heartbeat(heartbeat, VersionTracker(), at: at(9000), jitter: .zero, isFollowed: { _ in true })
        #expect(stateSync.deadline == nil)
        #expect(stateSync.changes(VersionTracker(), at: at(99_000)) == [])
    }

    @Test("has its time again after a reconnection, when ZeroMQ repeats the question")
    func reconnection() {
        var stateSync = stateSync("lobby")
        _ = stateSync.changes(VersionTracker(), at: start)
        stateSync.reconnected(at: at(60_000))
        #expect(!stateSync.isOverdue(at: at(60_000)))
        #expect(stateSync.changes(VersionTracker(), at: at(60_000)) == [])
        #expect(stateSync.isOverdue(at: at(62_000)))
    }

    @Test("fits into what ZeroMQ carries, whatever the group")
    func length() throws {
        let group = Array(repeating: String(repeating: "g", count: 49), count: 4).joined(separator: "/") + "g"
        #expect(group.utf8.count == GroupName.maximumBytes)
        var stateSync = StateSync(
            client: "0123456789abcdef0123456789abcdef", stream: 99_999_999,
            patterns: [try #require(GroupPattern(group))],
            at: start)
        guard case .subscribe(let topic)? = stateSync.changes(VersionTracker(), at: start).first else {
            Issue.record("nothing is asked")
            return
        }
        #expect(topic.utf8.count < 246)
        #expect(Topic(topic) != nil)
    }

    @Test("is withdrawn when the answer has come, one request after the other")
    func ending() {
        var stateSync = stateSync("lobby")
        let topic = "sync/0123456789abcdef/7-1/lobby/"
        _ = stateSync.changes(VersionTracker(), at: start)
        stateSync.reconnected(at: at(10))
        // One at a time.
        #expect(stateSync.changes(VersionTracker(), at: at(10)) == [])

        #expect(stateSync.receive(end(0), on: "sync/another/", at: at(20)) == nil)
        #expect(stateSync.receive(end(0), on: topic, at: at(20))?.mentioned == [])
        #expect(
            stateSync.changes(VersionTracker(), at: at(20)) == [
                .unsubscribe(topic), .subscribe("sync/0123456789abcdef/7-2/lobby/"),
            ])
        #expect(stateSync.receive(end(0), on: topic, at: at(30)) == nil)
    }

    @Test("is done again, later and later, while no whole answer comes")
    func timeout() {
        var stateSync = stateSync("lobby")
        var asked: [Int] = []
        var now = 0
        while now < 100_000 {
            let changes = stateSync.changes(VersionTracker(), at: at(now))
            if changes.contains(where: { if case .subscribe = $0 { true } else { false } }) { asked.append(now) }
            guard let deadline = stateSync.deadline else { break }
            now = Int((start.duration(to: deadline) / .milliseconds(1)).rounded())
        }
        // The protocol's 2 s, then twice as long each time, up to 30 s.
        #expect(asked == [0, 2000, 6000, 14_000, 30_000, 60_000, 90_000])

        // An answer of which a part is missing is none.
        var incomplete = self.stateSync("lobby")
        _ = incomplete.changes(VersionTracker(), at: start)
        #expect(incomplete.receive(end(2), on: "sync/0123456789abcdef/7-1/lobby/", at: at(5)) == nil)
        #expect(
            incomplete.changes(VersionTracker(), at: at(5)) == [.unsubscribe("sync/0123456789abcdef/7-1/lobby/")])
        #expect(incomplete.deadline == at(2005))
    }

    @Test("is done for groups that are behind when they still are after a moment")
    func behind() {
        var stateSync = stateSync("lobby", "store/*")
        var versions = VersionTracker()
        _ = stateSync.changes(versions, at: start)
        for group in ["lobby", "store"] {
            _ = stateSync.receive(end(0), on: "sync/0123456789abcdef/7-1/\(group)/", at: at(1))
        }
        _ = stateSync.changes(versions, at: at(1))
        func beat(_ revision: UInt64, _ milliseconds: Int) {
            stateSync.heartbeat(
                WireHeartbeat(epoch: 1, ["lobby": revision]), versions, at: at(milliseconds), jitter: .milliseconds(400)
            ) { $0 == "lobby" || $0.hasPrefix("store/") }
        }

        _ = versions.accept(WireGroupState("lobby", revision: 4, popup: "A"))
        beat(4, 1000)
        #expect(stateSync.deadline == nil)

        beat(5, 2000)
        #expect(stateSync.deadline == at(2400))
        _ = versions.accept(WireGroupState("lobby", revision: 5, popup: "A"))
        #expect(stateSync.changes(versions, at: at(2400)) == [])

        beat(6, 3000)
        beat(6, 3200)
        #expect(stateSync.changes(versions, at: at(3400)) == [.subscribe("sync/0123456789abcdef/7-2/lobby/")])
    }
}

extension SubscriptionChange {
    fileprivate var topic: String {
        switch self {
        case .subscribe(let topic), .unsubscribe(let topic): topic
        }
    }
}
