import Foundation
@testable import PopupBroker
import PopupScheduling
import TestPrograms
import Testing

/// The clocks of the system's zones, as this broker reads them, against another reader of the same files.
@Suite("The clocks of a zone")
struct TimeZoneComparisonTests {
    private static let from: Milliseconds = 946_684_800_000  // 2000-01-01
    private static let to: Milliseconds = 2_871_763_200_000  // 2061-01-01

    @Test(
        "change when Python's zoneinfo says, to the second, from 2000 to 2060",
        arguments: [
            "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca",
            "America/Nuuk", "UTC", "Europe/Dublin", "America/Santiago", "Asia/Gaza", "Pacific/Apia", "Antarctica/Troll",
        ])
    func changes(name: String) async throws {
        let rules = try TimeZoneDirectory.system.zone(named: name).rules
        let expected = try await python(name)
        #expect(changes(of: rules) == expected)
    }

    /// The offset at the beginning, then each change: the time in s, and the offset from then on.
    private func changes(of rules: TimeZoneRules) -> [[Int64]] {
        var changes = [[Self.from / 1000, Int64(rules.offset(at: Self.from))]]
        var time = Self.from
        while let next = rules.nextTransition(after: time), next < Self.to {
            time = next
            let offset = Int64(rules.offset(at: next))
            // Some changes are of the name alone.
            if offset != changes[changes.count - 1][1] { changes.append([next / 1000, offset]) }
        }
        return changes
    }

    private func python(_ name: String) async throws -> [[Int64]] {
        let program = """
            import datetime, sys, zoneinfo
            zone, start, end = zoneinfo.ZoneInfo(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
            def offset(time):
                return int(datetime.datetime.fromtimestamp(time, zone).utcoffset().total_seconds())
            changes, step = [[start, offset(start)]], 6 * 3600
            for later in range(start + step, end + 1, step):
                if offset(later) == changes[-1][1]:
                    continue
                low, high = later - step, later
                while high - low > 1:
                    middle = (low + high) // 2
                    if offset(middle) == changes[-1][1]:
                        low = middle
                    else:
                        high = middle
                changes.append([high, offset(high)])
            print(changes)
            """
        let python = try RunningProgram(
            URL(filePath: "/usr/bin/env"),
            ["python3", "-c", program, name, "\(Self.from / 1000)", "\(Self.to / 1000)"],
            environment: ProcessInfo.processInfo.environment)
        let output = try await python.output.next()
        return try JSONDecoder().decode([[Int64]].self, from: Data(output.utf8))
    }
}
