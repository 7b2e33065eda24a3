@testable import PopupBroker
import PopupScheduling
import Testing

/// The time of the loop.
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

    @Test func `the uptime counts from the start, also behind the journal`() {
        var time = LoopTime(at: 100, journal: 130)
        #expect(time.uptime == 0)
        time.setClock(150)
        time.advance(to: time.clock)
        #expect(time.uptime == 50)
    }
}
