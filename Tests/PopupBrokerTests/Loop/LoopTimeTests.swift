@testable import PopupBroker
import PopupScheduling
import Testing

/// The time of the loop, and the wall clock's way into the journal.
@Suite struct LoopTimeTests {
    @Test func `time begins at that of the journal if the clock is behind, and stays ahead by that`() {
        var time = LoopTime(at: 100, journal: 130)
        #expect(time.now == 130 && time.lag == 30)
        time.setClock(105)
        #expect(time.clock == 135 && time.byCallersClock(135) == 105)
        #expect(LoopTime(at: 100, journal: 90).lag == 0)
    }

    @Test func `the clock and the time never go back`() {
        var time = LoopTime(at: 100, journal: 0)
        time.setClock(120)
        time.setClock(110)
        time.advance(to: 115)
        time.advance(to: 112)
        #expect(time.clock == 120 && time.now == 115)
    }

    @Test func `a lease ends at its own time, but not before what is settled`() {
        var time = LoopTime(at: 100, journal: 0)
        time.markDecided(until: 100)
        time.markDecided(until: 90)
        time.advance(to: 150)
        time.goBack(to: 130)
        #expect(time.now == 130)
        time.goBack(to: 95)
        #expect(time.now == 100)
    }

    @Test func `a wall clock that was set is recorded until it is journaled, once a second, and logged once`() {
        var clock = WallClockWatch()
        var (recorded, logged): ([Milliseconds], [Milliseconds]) = ([], [])
        for now in stride(from: 0, through: 2500, by: 100) as StrideThrough<Milliseconds>
        where clock.shouldRecord(5000, journaled: now < 2200 ? 0 : 5000, at: now) {
            recorded.append(now)
            if clock.shouldLog(5000) { logged.append(now) }
        }
        #expect(recorded == [0, 1000, 2000] && logged == [0])
    }

    @Test func `slewing is not recorded`() {
        var clock = WallClockWatch()
        let recorded = [499, -499, -500].filter { clock.shouldRecord($0, journaled: 0, at: 0) }
        #expect(recorded == [-500])
    }
}

/// The replies that a message receives while a batch is being committed.
@Suite struct EarlyRepliesTests {
    private struct Failure: Error {}

    @Test func `a message has replied until it ends`() throws {
        var replies = EarlyReplies()
        let isPublished = replies.begin()
        #expect(isPublished && replies.hasReplied)
        try replies.endMessage()
        #expect(!replies.hasReplied)
    }

    @Test func `after a failure nothing is published, and the message ends with it, once`() throws {
        var replies = EarlyReplies()
        _ = replies.begin()
        replies.fail(Failure())
        let isPublished = replies.begin()
        #expect(!isPublished)
        #expect(throws: Failure.self) { try replies.endMessage() }
        try replies.endMessage()
        let isPublishedAgain = replies.begin()
        #expect(isPublishedAgain)
    }

    @Test func `visits are counted for a turn`() throws {
        var replies = EarlyReplies()
        replies.spend(visits: 3)
        try replies.endMessage()
        replies.spend(visits: 4)
        #expect(replies.visits == 7)
        replies.beginTurn()
        #expect(replies.visits == 0)
    }
}
