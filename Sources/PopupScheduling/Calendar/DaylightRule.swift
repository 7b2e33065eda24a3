/// The yearly rule of daylight saving time in a POSIX `TZ` string, as in the footer of a TZif file.
public struct DaylightRule: Sendable, Equatable {
    /// A day of each year.
    public enum Day: Sendable, Equatable {
        /// `Mm.w.d`: a weekday (0 is Sunday) of a week (1…5; 5 is the last) of a month (1…12).
        case weekday(month: Int, week: Int, weekday: Int)
        /// `Jn`: the day of the year, 1…365, without February 29th.
        case dayWithoutLeap(Int)
        /// `n`: the day of the year, 0…365, with February 29th.
        case day(Int)
    }

    /// A yearly change of the clocks.
    public struct Change: Sendable, Equatable {
        /// The day of the change.
        public var day: Day
        /// The time of the change in seconds since the midnight of `day`, by the clocks before the change. It may be
        /// negative or longer than a day.
        public var time: Int32

        /// Creates a change. The default time is 2:00, as in POSIX.
        public init(day: Day, time: Int32 = 7200) {
            self.day = day
            self.time = time
        }
    }

    /// The offset of standard time from UTC in seconds, positive east of Greenwich.
    public var standardOffset: Int32
    /// The offset of daylight saving time from UTC in seconds.
    public var daylightOffset: Int32
    /// The start of daylight saving time.
    public var start: Change
    /// The end of daylight saving time.
    public var end: Change

    /// Creates a rule.
    public init(standardOffset: Int32, daylightOffset: Int32, start: Change, end: Change) {
        self.standardOffset = standardOffset
        self.daylightOffset = daylightOffset
        self.start = start
        self.end = end
    }
}

extension DaylightRule {
    /// Returns the instants at which daylight saving time begins and ends in a year.
    func changes(in year: Int) -> (start: Milliseconds, end: Milliseconds) {
        (
            start: instant(of: start, in: year, offset: standardOffset),
            end: instant(of: end, in: year, offset: daylightOffset)
        )
    }

    /// Returns the offset from UTC in seconds at an instant.
    func offset(at time: Milliseconds) -> Int32 {
        let (start, end) = changes(in: year(at: time))
        let isDaylight = start < end ? start <= time && time < end : !(end <= time && time < start)
        return isDaylight ? daylightOffset : standardOffset
    }

    /// Returns the first change after an instant.
    func nextChange(after time: Milliseconds) -> Milliseconds {
        let year = year(at: time)
        return (year - 1...year + 1)
            .flatMap { [changes(in: $0).start, changes(in: $0).end] }
            .filter { $0 > time }.min() ?? .max
    }

    private func year(at time: Milliseconds) -> Int {
        let local = time + Milliseconds(standardOffset) * 1000
        return CivilDate.year(ofDay: Int(local.dividedDown(by: millisecondsPerDay).quotient))
    }

    private func instant(of change: Change, in year: Int, offset: Int32) -> Milliseconds {
        let seconds = Milliseconds(change.time) - Milliseconds(offset)
        return Milliseconds(change.day.number(in: year)) * millisecondsPerDay + seconds * 1000
    }
}

extension DaylightRule.Day {
    /// Returns the day number of the day in a year, counted from 1970-01-01.
    func number(in year: Int) -> Int {
        let newYear = CivilDate.day(year: year, month: 1, day: 1)
        switch self {
        case .day(let number):
            return newYear + number
        case .dayWithoutLeap(let number):
            return newYear + number - 1 + (number >= 60 && CivilDate.isLeap(year) ? 1 : 0)
        case .weekday(let month, let week, let weekday):
            let first = CivilDate.day(year: year, month: month, day: 1)
            let next =
                month == 12
                ? CivilDate.day(year: year + 1, month: 1, day: 1) : CivilDate.day(year: year, month: month + 1, day: 1)
            let toFirst = (weekday - CivilDate.weekday(ofDay: first)).dividedDown(by: 7).remainder
            let day = first + toFirst + (week - 1) * 7
            return day < next ? day : day - 7
        }
    }
}

/// The length of a day without a change of the clocks.
let millisecondsPerDay: Milliseconds = 86_400_000
