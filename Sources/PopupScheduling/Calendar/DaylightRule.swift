/// When the clocks change each year: the rule of a POSIX `TZ` string, as the footer of a TZif file has it.
public struct DaylightRule: Sendable, Equatable {
    /// A day of each year.
    public enum Day: Sendable, Equatable {
        /// `Mm.w.d`: the weekday (0: Sunday) of the week (1…5; 5: the last) of the month (1…12).
        case weekday(month: Int, week: Int, weekday: Int)
        /// `Jn`: the day of the year, 1…365; February 29th is never counted.
        case dayWithoutLeap(Int)
        /// `n`: the day of the year, 0…365; February 29th is counted.
        case day(Int)
    }

    /// The clocks change to an offset.
    public struct Change: Sendable, Equatable {
        /// On which day.
        public var day: Day
        /// In seconds since the midnight of that day by the clocks before the change; may be negative or beyond a day.
        public var time: Int32

        /// A change.
        public init(day: Day, time: Int32 = 7200) {
            self.day = day
            self.time = time
        }
    }

    /// In seconds: by how much the clocks are ahead of UTC in standard time.
    public var standardOffset: Int32
    /// In seconds: by how much they are ahead in daylight saving time.
    public var daylightOffset: Int32
    /// When daylight saving time begins.
    public var start: Change
    /// When it ends.
    public var end: Change

    /// A rule.
    public init(standardOffset: Int32, daylightOffset: Int32, start: Change, end: Change) {
        self.standardOffset = standardOffset
        self.daylightOffset = daylightOffset
        self.start = start
        self.end = end
    }
}

extension DaylightRule {
    /// The instants at which daylight saving time begins and ends in a year.
    func changes(in year: Int) -> (start: Milliseconds, end: Milliseconds) {
        (
            start: instant(of: start, in: year, offset: standardOffset),
            end: instant(of: end, in: year, offset: daylightOffset)
        )
    }

    /// In seconds: by how much the clocks are ahead of UTC.
    func offset(at time: Milliseconds) -> Int32 {
        let (start, end) = changes(in: year(at: time))
        let isDaylight = start < end ? start <= time && time < end : !(end <= time && time < start)
        return isDaylight ? daylightOffset : standardOffset
    }

    /// The first change after an instant.
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
    /// The day in a year, as a number since 1970-01-01.
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

/// Of a day without a change of the clocks.
let millisecondsPerDay: Milliseconds = 86_400_000
