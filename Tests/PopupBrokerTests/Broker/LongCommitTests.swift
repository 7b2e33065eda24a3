import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@testable import PopupBroker

/// The commit with which a file of the journal begins.
@Suite("A commit that takes long")
struct LongCommitTests {
    @Test("is made beside the loop, even for a single command")
    func singleCommand() throws {
        let pipeline = try Pipeline(leastEntries: 100)
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        #expect(broker.stats.popups == 1)
        pipeline.committer.isNextCommitLong = true
        try broker.send(show("B", 2))
        #expect(broker.stats.popups == 1 && pipeline.committer.isInFlight)
        try pipeline.complete()
        try broker.send(show("C", 3))
        #expect(broker.stats.popups == 3 && !pipeline.committer.isInFlight)
    }

    /// A broker with the leases of 40 renderers, for some groups each, which have just ended, or will.
    private func pipelineWithLeases(
        groups: Int = 1, at time: Milliseconds = Scheduler.leaseDuration
    ) throws -> Pipeline {
        let pipeline = try Pipeline(leastEntries: 100)
        let names = (0..<groups).map { "\"g\($0)\"" }.joined(separator: ",")
        for number in 0..<40 { try pipeline.broker.send(#"{"lease":{"client":"c\#(number)","groups":[\#(names)]}}"#) }
        #expect(pipeline.broker.leasedPatterns.count == 40)
        pipeline.broker.jumpWithoutTurn(to: time)
        return pipeline
    }

    @Test("has the leases that have ended, and the loop does not wait")
    func leaseEnds() throws {
        let pipeline = try pipelineWithLeases()
        let broker = pipeline.broker
        pipeline.committer.isNextCommitLong = true
        let before = pipeline.committer.waits
        for _ in 0..<10 { _ = try broker.turnOnce() }
        #expect(pipeline.committer.isInFlight && pipeline.committer.waits == before)
        #expect(broker.leasedPatterns.count == 40)
        // Others are served meanwhile.
        broker.client.send(Array(show("A", 1).utf8))
        for _ in 0..<10 { _ = try broker.turnOnce() }
        #expect(pipeline.committer.isInFlight && pipeline.committer.waits == before)
        #expect(broker.leasedPatterns.count == 40)

        // However long it takes.
        broker.jumpWithoutTurn(to: Scheduler.leaseDuration + 10_000)
        try pipeline.complete()
        #expect(broker.leasedPatterns.isEmpty)
        try pipeline.flow()
        #expect(broker.stats.popups == 1)
    }

    @Test("has what was gathered before leases ended: they end after it")
    func gatheredBefore() throws {
        let pipeline = try Pipeline()
        let broker = pipeline.broker
        try broker.send(#"{"lease":{"client":"r","groups":["g"]}}"#)
        try pipeline.complete()
        pipeline.committer.isNextCommitLong = true
        try broker.send(show("A", 1))
        try broker.send(show("B", 2))
        pipeline.committer.isNextCommitLong = true
        broker.jumpWithoutTurn(to: Scheduler.leaseDuration)
        let before = pipeline.committer.waits
        for _ in 0..<10 { _ = try broker.turnOnce() }
        #expect(pipeline.committer.isInFlight && broker.stats.popups == 0)
        try pipeline.complete()
        for _ in 0..<10 { _ = try broker.turnOnce() }
        #expect(pipeline.committer.isInFlight && broker.stats.popups == 1)
        #expect(pipeline.committer.waits == before && broker.leasedPatterns.count == 1)
        try pipeline.complete()
        for _ in 0..<10 { _ = try broker.turnOnce() }
        #expect(broker.stats.popups == 2 && broker.leasedPatterns.isEmpty)
    }

    @Test("that was not announced: the loop waits a short time for it, once, before it ends leases")
    func unannounced() throws {
        let pipeline = try pipelineWithLeases(at: Scheduler.leaseDuration - 1)
        let broker = pipeline.broker
        // As many commands as are worth a batch in flight.
        for number in 1...100 { broker.client.send(Array(show("A\(number)", UInt64(number)).utf8)) }
        _ = try broker.turnOnce()
        #expect(pipeline.committer.isInFlight)
        pipeline.committer.isSlow = true
        broker.jumpWithoutTurn(to: Scheduler.leaseDuration)
        let before = pipeline.committer.waits
        for _ in 0..<10 { _ = try broker.turnOnce() }
        #expect(pipeline.committer.isInFlight && pipeline.committer.waits == before + 1)
        #expect(broker.leasedPatterns.count == 40)

        // What is received meanwhile has the time of its own batch, with which the leases end.
        broker.client.send(Array(#"{"show":{"id":"brief","group":"other","durationMs":100}}"#.utf8))
        _ = try broker.turnOnce()
        broker.jumpWithoutTurn(to: Scheduler.leaseDuration + 500)
        try pipeline.complete()
        for _ in 0..<10 { _ = try broker.turnOnce() }
        #expect(broker.stats.popups == 100 && broker.leasedPatterns.count == 40)
        #expect(pipeline.committer.isInFlight && pipeline.committer.waits == before + 1)
        try pipeline.complete()
        for _ in 0..<10 { _ = try broker.turnOnce() }
        #expect(broker.stats.popups == 101 && broker.leasedPatterns.isEmpty)
    }

    @Test("has no more ends of leases than a turn applies", arguments: [(1, 1), (100, 2)])
    func costOfLeaseEnds(groups: Int, commits: Int) throws {
        let pipeline = try pipelineWithLeases(groups: groups)
        let broker = pipeline.broker
        pipeline.committer.isHolding = false
        pipeline.committer.isEveryCommitLong = true
        let before = pipeline.committer.begins
        for _ in 0..<20 { _ = try broker.turnOnce() }
        #expect(pipeline.committer.begins == before + commits && broker.leasedPatterns.isEmpty)
    }

    @Test("fails: a second passes before the ends of leases are tried again")
    func failure() throws {
        let pipeline = try pipelineWithLeases()
        let broker = pipeline.broker
        pipeline.committer.isHolding = false
        pipeline.committer.isEveryCommitLong = true
        pipeline.journal.isFull = true
        let before = pipeline.committer.begins
        for _ in 0..<20 { _ = try broker.turnOnce() }
        #expect(pipeline.committer.begins == before + 1 && broker.leasedPatterns.count == 40)
        pipeline.journal.isFull = false
        broker.jumpWithoutTurn(to: Scheduler.leaseDuration + 1000)
        for _ in 0..<20 { _ = try broker.turnOnce() }
        #expect(pipeline.committer.begins == before + 2 && broker.leasedPatterns.isEmpty)
    }

    @Test("is not begun for leases that were renewed")
    func renewedLeases() throws {
        let pipeline = try Pipeline(leastEntries: 100)
        let broker = pipeline.broker
        let lease = #"{"lease":{"client":"r","groups":["g"]}}"#
        try broker.send(lease)
        try broker.jump(to: 4000)
        try broker.send(lease)
        pipeline.committer.isEveryCommitLong = true
        let before = pipeline.committer.begins
        broker.jumpWithoutTurn(to: Scheduler.leaseDuration)
        for _ in 0..<10 { _ = try broker.turnOnce() }
        #expect(pipeline.committer.begins == before && broker.leasedPatterns.count == 1)
    }

    @Test("is over before a call from another thread is carried out")
    func call() throws {
        let pipeline = try pipelineWithLeases()
        pipeline.committer.isNextCommitLong = true
        let refusal = try pipeline.broker.perform(
            .with {
                $0.show.id = "A"
                $0.show.group = "g"
            })
        #expect(refusal == nil && pipeline.broker.stats.popups == 1)
        #expect(pipeline.broker.leasedPatterns.isEmpty)
    }

    @Test("is begun when the journal has the time until which timers are handled beside it")
    func timers() throws {
        let pipeline = try pipelineWithLeases()
        pipeline.committer.isNextCommitLong = true
        _ = try pipeline.broker.turnOnce()
        #expect(pipeline.committer.isInFlight && pipeline.journal.recordedTime >= Scheduler.leaseDuration)
    }
}
