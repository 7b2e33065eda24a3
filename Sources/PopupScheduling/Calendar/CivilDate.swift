/// Conversions between dates of the Gregorian calendar and day numbers, which count from 1970-01-01.
///
/// The algorithms are those of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013). A year begins in
/// March, so that the leap day is its last day. An era of 400 years always has the same number of days.
enum CivilDate {
    private static let daysPerEra = 146_097

    /// Returns the day number of a date.
    static func day(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = marchYear.dividedDown(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPerEra + dayOfEra - 719_468
    }

    /// Returns the year that contains a day.
    static func year(ofDay day: Int) -> Int {
        let (era, dayOfEra) = (day + 719_468).dividedDown(by: daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let isNextYear = (5 * dayOfYear + 2) / 153 >= 10
        return yearOfEra + era * 400 + (isNextYear ? 1 : 0)
    }

    /// Returns the weekday of a day; 0 is Sunday. 1970-01-01 was a Thursday.
    static func weekday(ofDay day: Int) -> Int { (day + 4).dividedDown(by: 7).remainder }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

extension BinaryInteger {
    /// Returns the quotient, rounded towards minus infinity, and the remainder, which is never negative.
    func dividedDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
