import PopupScheduling

/// Local time by going through the days.
enum ReferenceCalendar {
    static func isInForce(_ window: QuietWindow, at time: Milliseconds) -> Bool {
        let local = time + 1000 * Milliseconds(offset(in: window.zone, at: time))
        let minute = floored(local, by: 60_000) - 1440 * floored(local, by: 86_400_000)
        return window.from < window.to
            ? window.from <= minute && minute < window.to : minute >= window.from || minute < window.to
    }

    /// When the window begins or ends next: at one of its times by the clocks, or when the clocks change.
    static func nextChange(of window: QuietWindow, after time: Milliseconds) -> Milliseconds? {
        let changes = changes(in: window.zone, around: time)
        let offsets = Set(changes.map(\.offset) + [window.zone.initialOffset])
        var moments = changes.map(\.at)
        for date in floored(time, by: 86_400_000) - 2...floored(time, by: 86_400_000) + 3 {
            for minute in [window.from, window.to] {
                let local = date * 86_400_000 + Milliseconds(minute) * 60_000
                moments += offsets.map { local - 1000 * Milliseconds($0) }
            }
        }
        return moments.sorted().first { $0 > time && isInForce(window, at: $0) != isInForce(window, at: $0 - 1) }
    }

    /// In seconds: by how much the clocks are ahead of UTC.
    static func offset(in zone: TimeZoneRules, at time: Milliseconds) -> Int32 {
        changes(in: zone, around: time).last { $0.at <= time }?.offset ?? zone.initialOffset
    }

    /// The changes of the clocks: those listed, and those of the years around `time` by the rule.
    private static func changes(in zone: TimeZoneRules, around time: Milliseconds) -> [TimeZoneRules.Transition] {
        guard let rule = zone.rule else { return zone.transitions }
        var ruled: [TimeZoneRules.Transition] = []
        let year = 1970 + Int(floored(time, by: 31_556_952_000))
        for year in year - 1...year + 1 {
            ruled.append(instant(of: rule.start, year, from: rule.standardOffset, to: rule.daylightOffset))
            ruled.append(instant(of: rule.end, year, from: rule.daylightOffset, to: rule.standardOffset))
        }
        ruled.sort { $0.at < $1.at }
        guard let last = zone.transitions.last else { return ruled }
        if time < last.at { return zone.transitions + ruled.filter { $0.at > last.at } }
        return ruled
    }

    private static func instant(
        of change: DaylightRule.Change, _ year: Int, from former: Int32, to offset: Int32
    ) -> TimeZoneRules.Transition {
        let midnight = 86_400_000 * Milliseconds(day(change.day, of: year))
        return TimeZoneRules.Transition(at: midnight + 1000 * Milliseconds(change.time - former), offset: offset)
    }

    /// The day of a year, as a number of days since 1970.
    private static func day(_ day: DaylightRule.Day, of year: Int) -> Int {
        let first = days(before: 1, year)
        switch day {
        case .day(let number):
            return first + number
        case .dayWithoutLeap(let number):
            return first + number - 1 + (isLeap(year) && number >= 60 ? 1 : 0)
        case .weekday(let month, let week, let weekday):
            let first = days(before: month, year)
            let days = first..<first + length(of: month, year)
            let fitting = days.filter { (($0 + 4) % 7 + 7) % 7 == weekday }
            return week == 5 ? fitting.last! : fitting[week - 1]
        }
    }

    /// Days from 1970 to the first of a month.
    private static func days(before month: Int, _ year: Int) -> Int {
        firstDays[year - 1960] + (1..<month).map { length(of: $0, year) }.reduce(0, +)
    }

    /// Of each year from 1960 on: its first day, as a number of days since 1970.
    private static let firstDays = (1960...2100).reduce(into: [-3653]) {
        $0.append($0.last! + (isLeap($1) ? 366 : 365))
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private static func floored(_ time: Milliseconds, by unit: Milliseconds) -> Milliseconds {
        time >= 0 ? time / unit : -((unit - 1 - time) / unit)
    }
}
