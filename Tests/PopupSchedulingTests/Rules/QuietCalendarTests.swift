import Foundation
import PopupScheduling
import Testing

/// Quiet windows by the clocks of real places, held against Foundation's calendar.
@Suite struct QuietCalendarTests {
    struct Place: Sendable {
        var name: String
        var rules: TimeZoneRules
    }

    private static func hours(_ hours: Double) -> Int32 { Int32(3600 * hours) }

    static let places = [
        Place(
            name: "Europe/Berlin",
            rules: TimeZoneRules(
                initialOffset: hours(1),
                rule: DaylightRule(
                    standardOffset: hours(1), daylightOffset: hours(2),
                    start: .init(day: .weekday(month: 3, week: 5, weekday: 0)),
                    end: .init(day: .weekday(month: 10, week: 5, weekday: 0), time: hours(3))))),
        Place(
            name: "America/New_York",
            rules: TimeZoneRules(
                initialOffset: hours(-5),
                rule: DaylightRule(
                    standardOffset: hours(-5), daylightOffset: hours(-4),
                    start: .init(day: .weekday(month: 3, week: 2, weekday: 0)),
                    end: .init(day: .weekday(month: 11, week: 1, weekday: 0))))),
        Place(
            name: "Australia/Lord_Howe",
            rules: TimeZoneRules(
                initialOffset: hours(10.5),
                rule: DaylightRule(
                    standardOffset: hours(10.5), daylightOffset: hours(11),
                    start: .init(day: .weekday(month: 10, week: 1, weekday: 0)),
                    end: .init(day: .weekday(month: 4, week: 1, weekday: 0))))),
        Place(name: "Asia/Kathmandu", rules: TimeZoneRules(initialOffset: hours(5.75))),
    ]

    private static let windows: [(from: UInt16, to: UInt16)] = [
        (22 * 60, 7 * 60), (2 * 60 + 15, 2 * 60 + 45), (90, 150),
    ]

    /// The days around the changes of the clocks in 2026.
    private static let days = [
        (2026, 3, 7), (2026, 3, 28), (2026, 4, 4), (2026, 10, 3), (2026, 10, 24), (2026, 10, 31),
    ]

    @Test(arguments: places)
    func `popups are held back according to the calendar`(place: Place) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: place.name))
        for (from, to) in Self.windows {
            var policy = Policy()
            policy.quiet = [QuietWindow(from: from, to: to, zone: place.rules)]
            for (name, subject) in Setting().subjects() {
                for day in Self.days {
                    let start = try #require(
                        calendar.date(from: DateComponents(year: day.0, month: day.1, day: day.2)))
                    // Every quarter of an hour for a day and a quarter.
                    for quarter in 0..<120 {
                        let time = start.addingTimeInterval(Double(900 * quarter))
                        let at = Milliseconds(time.timeIntervalSince1970) * 1000
                        if quarter == 0 {
                            _ = subject.perform(.policy("g", policy), at: at)
                            _ = subject.perform(.show(Instruction.Request(id: "A", group: "g")), at: at)
                        }
                        while subject.step(until: at) != nil {}
                        let clock = calendar.dateComponents([.hour, .minute], from: time)
                        let minute = UInt16(60 * clock.hour! + clock.minute!)
                        let isQuiet = from < to ? from <= minute && minute < to : minute >= from || minute < to
                        #expect(
                            (subject.state(of: "g", at: at)?.active == nil) == isQuiet,
                            "the \(name), \(place.name), \(from)–\(to), at \(time)")
                    }
                }
            }
        }
    }

    @Test func `listed transitions come before the rule`() {
        let zone = TimeZoneRules(
            initialOffset: 0, transitions: [.init(at: 0, offset: 600), .init(at: 86_400_000 * 400, offset: 3600)],
            rule: Self.places[0].rules.rule)
        // 00:10 to 00:20 by clocks that are ten minutes ahead: the first ten minutes of each day by universal time.
        Timeline().policy { $0.quiet = [QuietWindow(from: 10, to: 20, zone: zone)] }
            .at(86_400_000 * 200 - 1).show("A", duration: 1_200_000).at(86_400_000 * 200).peek()
            .at(86_400_000 * 200 + 600_000).peek()
            .gives(
                """
                17279999999 shown A
                17280000000 paused A
                17280000000 peek A paused
                17280600000 resumed A
                17280600000 peek A active
                17281799999 closed A TIMED_OUT
                """)
    }
}
