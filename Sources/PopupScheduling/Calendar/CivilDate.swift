/// Days of the Gregorian calendar, as numbers since 1970-01-01.
///
/// The arithmetic is that of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013): years that begin in
/// March put the leap day last, and 400 years are always as long.
enum CivilDate {
    private static let daysPerEra = 146_097

    /// The day of a date.
    static func day(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = marchYear.dividedDown(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPerEra + dayOfEra - 719_468
    }

    /// The year in which a day lies.
    static func year(ofDay day: Int) -> Int {
        let (era, dayOfEra) = (day + 719_468).dividedDown(by: daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let isNextYear = (5 * dayOfYear + 2) / 153 >= 10
        return yearOfEra + era * 400 + (isNextYear ? 1 : 0)
    }

    /// The weekday of a day, 0: Sunday. 1970-01-01 was a Thursday.
    static func weekday(ofDay day: Int) -> Int { (day + 4).dividedDown(by: 7).remainder }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

extension BinaryInteger {
    /// The quotient rounded towards minus infinity, and the remainder, which is never negative.
    func dividedDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
