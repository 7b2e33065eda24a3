import Foundation

/// A point in time in the form of RFC 3339: `2030-01-31T08:00:00Z`, `2030-01-31T09:00:00.5+01:00`.
struct Timestamp {
    /// Since 1970-01-01T00:00:00Z; not negative.
    let milliseconds: Int64

    /// The reason why a text is not a valid time.
    enum Fault: Error, Equatable {
        case form
        /// A day that the month does not have, or a time that the day does not have.
        case impossible
        case before1970
    }

    init(_ text: String) throws(Fault) {
        let form = /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(?:Z|([+-])(\d\d):(\d\d))/
            .asciiOnlyDigits()
        guard let match = text.wholeMatch(of: form)?.output else { throw .form }
        func number(_ digits: Substring?) -> Int { digits.flatMap { Int($0) } ?? 0 }

        let written = DateComponents(
            calendar: Self.calendar, year: number(match.1), month: number(match.2), day: number(match.3),
            hour: number(match.4), minute: number(match.5), second: number(match.6))
        let offset = (hours: number(match.9), minutes: number(match.10))
        guard written.isValidDate, let date = written.date, offset.hours < 24, offset.minutes < 60 else {
            throw .impossible
        }
        let ahead = Int64(offset.hours * 60 + offset.minutes) * (match.8 == "-" ? -60_000 : 60_000)
        let fraction = match.7.flatMap { Double("0\($0)") } ?? 0
        milliseconds =
            Int64(date.timeIntervalSince1970.rounded()) * 1000 + Int64((fraction * 1000).rounded(.down)) - ahead
        guard milliseconds >= 0 else { throw .before1970 }
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
