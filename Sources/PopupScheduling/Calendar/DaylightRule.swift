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
