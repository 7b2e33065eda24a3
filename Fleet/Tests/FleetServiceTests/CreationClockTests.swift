import Testing

@testable import FleetService

@Suite struct CreationClockTests {
    @Test(
        arguments: [
            (CreationClock.release, false, true), (CreationClock.release - 1, false, false), (0, false, false),
            (CreationClock.release - 1, true, true), (0, true, true), (-1, true, false), (.min, true, false),
            (1 << 61, false, true),
        ] as [(Int64, Bool, Bool)])
    func `no log is created by a clock before the release, unless that is wished, and never by one before 1970`(
        wall: Int64, isForced: Bool, isTaken: Bool
    ) {
        var problem: WrongClock?
        do throws(WrongClock) { try CreationClock.check(wall, isForced: isForced) } catch { problem = error }

        #expect((problem == nil) == isTaken)
    }

    @Test func `the refusal says the date of the clock, and what helps`() {
        func words(_ wall: Int64) -> String? {
            do throws(WrongClock) { try CreationClock.check(wall, isForced: false) } catch { return error.description }
            return nil
        }

        #expect(words(86_400_000)?.contains("1970-01-02T00:00:00Z") == true)
        #expect(words(86_400_000)?.contains("--force") == true)
        #expect(words(-1)?.contains("--force") == false)
    }

    @Test func `the date of an epoch is told also if no clock can show it`() {
        #expect(CreationClock.date(ofEpoch: 1_767_225_600_000) == "2026-01-01T00:00:00Z")
        #expect(CreationClock.date(ofEpoch: .max) == "after the year 9999")
    }
}
