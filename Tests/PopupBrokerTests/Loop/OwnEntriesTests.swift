@testable import PopupBroker
import PopupScheduling
import Testing

/// The entries that the broker adds to the journal of itself.
@Suite struct OwnEntriesTests {
    @Test func `the wall clock is an entry when it was set, and again each second until it is journaled`() {
        var entries = OwnEntries()
        var (added, logged): ([Milliseconds], [Milliseconds]) = ([], [])
        for now in stride(from: 0, through: 2500, by: 100) as StrideThrough<Milliseconds> {
            let entry = entries.wallClock(ahead: 5000, journaled: now < 2200 ? 0 : 5000, at: now)
            guard let entry else { continue }
            #expect(entry.ahead == 5000)
            added.append(now)
            if entries.shouldLog(entry) { logged.append(now) }
        }
        #expect(added == [0, 1000, 2000] && logged == [0])
    }

    @Test func `slewing of the wall clock is no entry`() {
        var entries = OwnEntries()
        let added = ([499, -499, -500] as [Milliseconds]).filter {
            entries.wallClock(ahead: $0, journaled: 0, at: 0) != nil
        }
        #expect(added == [-500])
    }

    @Test func `each setting of the wall clock is logged once`() throws {
        var entries = OwnEntries()
        var logged: [Milliseconds] = []
        for (lead, now) in [(5000, 0), (5000, 1000), (9000, 2000), (9000, 3000)] as [(Milliseconds, Milliseconds)] {
            let added = entries.wallClock(ahead: lead, journaled: 0, at: now)
            let entry = try #require(added)
            if entries.shouldLog(entry) { logged.append(now) }
        }
        #expect(logged == [0, 2000])
    }

    @Test func `idle time is recorded once a minute`() {
        var entries = OwnEntries()
        let recorded = ([0, 1000, 59_999, 60_000, 119_999, 200_000] as [Milliseconds]).filter {
            entries.shouldRecordIdleTime(at: $0)
        }
        #expect(recorded == [0, 60_000, 200_000])
    }
}
