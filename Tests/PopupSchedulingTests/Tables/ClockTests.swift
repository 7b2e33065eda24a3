@testable import PopupScheduling
import Testing

/// The clock alone: the time never goes back, and the wall clock is apart from it.
@Suite struct ClockTests {
    @Test func `an earlier time has no effect`() {
        var random = ReferenceGenerator(seed: 3)
        var clock = Clock(now: 500)
        var latest: Milliseconds = 500
        for _ in 0..<300 {
            let time = Milliseconds(random.below(5000)) - 1000
            clock.advance(to: time)
            latest = max(latest, time)
            #expect(clock.now == latest)
        }
    }

    @Test func `the wall clock is ahead or behind by what was set last, and moves with the time`() {
        var clock = Clock()
        clock.advance(to: 100)
        #expect(clock.wallTime == 100)
        for lead: Milliseconds in [3_600_000, -7_200_000, 0] {
            clock.setWallClock(ahead: lead)
            #expect(clock.wallTime == clock.now + lead)
            clock.advance(to: clock.now + 50)
            #expect(clock.wallTime == clock.now + lead)
        }
        #expect(clock.now == 250)
    }

    @Test(arguments: [Milliseconds.min, .max])
    func `a wall clock that can't be is the farthest that can`(_ lead: Milliseconds) {
        var clock = Clock(now: TimeLimits.latest)
        clock.setWallClock(ahead: lead)
        #expect(abs(clock.lead) == TimeLimits.latest)
        #expect(clock.lead.signum() == lead.signum())
        #expect(clock.wallTime == TimeLimits.latest + clock.lead)
    }
}
