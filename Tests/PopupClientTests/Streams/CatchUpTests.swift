import PopupProtocol
import Testing

@testable import PopupClient

@Suite("Asking for what groups show")
struct CatchUpTests {
    private let start = ContinuousClock.now
    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private func catchUp(_ patterns: String...) -> CatchUp {
        CatchUp(
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
        var catchUp = catchUp("lobby", "lobby/*", "store-1/*", "lobby")
        #expect(
            catchUp.changes(Freshness(), at: start) == [
                .subscribe("sync/0123456789abcdef/7-1/lobby/"), .subscribe("sync/0123456789abcdef/7-1/store-1/"),
            ])
        var all = self.catchUp("*")
        #expect(all.changes(Freshness(), at: start) == [.subscribe("sync/0123456789abcdef/7-1/*/")])
    }

    @Test("fits into what ZeroMQ carries, whatever the group")
    func length() throws {
        let group = Array(repeating: String(repeating: "g", count: 49), count: 4).joined(separator: "/") + "g"
        #expect(group.utf8.count == GroupName.maximumBytes)
        var catchUp = CatchUp(
            client: "0123456789abcdef0123456789abcdef", stream: 99_999_999,
            patterns: [try #require(GroupPattern(group))],
            at: start)
        guard case .subscribe(let topic)? = catchUp.changes(Freshness(), at: start).first else {
            Issue.record("nothing is asked")
            return
        }
        #expect(topic.utf8.count < 246)
        #expect(Topic(topic) != nil)
    }

    @Test("is withdrawn when the answer has come, one request after the other")
    func ending() {
        var catchUp = catchUp("lobby")
        let topic = "sync/0123456789abcdef/7-1/lobby/"
        _ = catchUp.changes(Freshness(), at: start)
        catchUp.reconnected(at: at(10))
        // One at a time.
        #expect(catchUp.changes(Freshness(), at: at(10)) == [])

        #expect(catchUp.receive(end(0), on: "sync/another/", at: at(20)) == nil)
        #expect(catchUp.receive(end(0), on: topic, at: at(20))?.mentioned == [])
        #expect(
            catchUp.changes(Freshness(), at: at(20)) == [
                .unsubscribe(topic), .subscribe("sync/0123456789abcdef/7-2/lobby/"),
            ])
        #expect(catchUp.receive(end(0), on: topic, at: at(30)) == nil)
    }

    @Test("is done again, later and later, while no whole answer comes")
    func patience() {
        var catchUp = catchUp("lobby")
        var asked: [Int] = []
        var now = 0
        while now < 100_000 {
            let changes = catchUp.changes(Freshness(), at: at(now))
            if changes.contains(where: { if case .subscribe = $0 { true } else { false } }) { asked.append(now) }
            guard let deadline = catchUp.deadline else { break }
            now = Int((start.duration(to: deadline) / .milliseconds(1)).rounded())
        }
        #expect(asked == [0, 1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000])

        // An answer of which a part is missing is none.
        var incomplete = self.catchUp("lobby")
        _ = incomplete.changes(Freshness(), at: start)
        #expect(incomplete.receive(end(2), on: "sync/0123456789abcdef/7-1/lobby/", at: at(5)) == nil)
        #expect(
            incomplete.changes(Freshness(), at: at(5)) == [.unsubscribe("sync/0123456789abcdef/7-1/lobby/")])
        #expect(incomplete.deadline == at(1005))
    }

    @Test("is done for groups that are behind when they still are after a moment")
    func behind() {
        var catchUp = catchUp("lobby", "store/*")
        var freshness = Freshness()
        _ = catchUp.changes(freshness, at: start)
        for group in ["lobby", "store"] {
            _ = catchUp.receive(end(0), on: "sync/0123456789abcdef/7-1/\(group)/", at: at(1))
        }
        _ = catchUp.changes(freshness, at: at(1))
        func beat(_ revision: UInt64, _ milliseconds: Int) {
            catchUp.heartbeat(
                WireHeads(epoch: 1, ["lobby": revision]), freshness, at: at(milliseconds), jitter: .milliseconds(400)
            ) { $0 == "lobby" || $0.hasPrefix("store/") }
        }

        _ = freshness.accept(WireGroupState("lobby", revision: 4, popup: "A"))
        beat(4, 1000)
        #expect(catchUp.deadline == nil)

        beat(5, 2000)
        #expect(catchUp.deadline == at(2400))
        _ = freshness.accept(WireGroupState("lobby", revision: 5, popup: "A"))
        #expect(catchUp.changes(freshness, at: at(2400)) == [])

        beat(6, 3000)
        beat(6, 3200)
        #expect(catchUp.changes(freshness, at: at(3400)) == [.subscribe("sync/0123456789abcdef/7-2/lobby/")])
    }
}
