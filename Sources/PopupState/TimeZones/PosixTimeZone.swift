import PopupScheduling

/// A POSIX `TZ` string, as in the footer of TZif data (RFC 9636, 3.3.1): `CET-1CEST,M3.5.0,M10.5.0/3`.
struct PosixTimeZone {
    /// The standard time minus UTC, in seconds. POSIX uses the opposite sign.
    private(set) var standardOffset: Int32 = 0
    /// The changes of each year; `nil` if there are none.
    private(set) var rule: DaylightRule?

    private var text: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) throws(TimeZoneFile.Damaged) {
        self.text = text
        guard let zone = Self.parse(text) else {
            throw TimeZoneFile.Damaged("its footer `\(String(decoding: text, as: UTF8.self))` is not a POSIX time zone")
        }
        self = zone
    }

    private init(unread text: ArraySlice<UInt8>) {
        self.text = text
    }

    private static func parse(_ text: ArraySlice<UInt8>) -> PosixTimeZone? {
        var zone = PosixTimeZone(unread: text)
        guard zone.name(), let west = zone.time(hours: 24) else { return nil }
        zone.standardOffset = -west
        guard !zone.text.isEmpty else { return zone }

        guard zone.name() else { return nil }
        var daylightOffset = zone.standardOffset + 3600
        if zone.text.first != UInt8(ascii: ",") {
            guard let west = zone.time(hours: 24) else { return nil }
            daylightOffset = -west
        }
        guard let start = zone.change(), let end = zone.change(), zone.text.isEmpty else { return nil }
        zone.rule = DaylightRule(
            standardOffset: zone.standardOffset, daylightOffset: daylightOffset, start: start, end: end)
        return zone
    }

    /// Parses a name: at least three letters, or any text between `<` and `>`. Returns whether there is one.
    private mutating func name() -> Bool {
        if take("<") {
            guard let end = text.firstIndex(of: UInt8(ascii: ">")), end > text.startIndex else { return false }
            text = text[(end + 1)...]
            return true
        }
        let letters = text.prefix { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 & 0xDF }
        text = text[letters.endIndex...]
        return letters.count >= 3
    }

    /// Parses the time of a change: `,day`, or `,day/time`.
    private mutating func change() -> DaylightRule.Change? {
        guard take(","), let day = day() else { return nil }
        guard take("/") else { return DaylightRule.Change(day: day) }
        return time(hours: 167).map { DaylightRule.Change(day: day, time: $0) }
    }

    private mutating func day() -> DaylightRule.Day? {
        if take("M") {
            guard let month = number(1...12), take("."), let week = number(1...5), take("."),
                let weekday = number(0...6)
            else { return nil }
            return .weekday(month: month, week: week, weekday: weekday)
        }
        if take("J") { return number(1...365).map { .dayWithoutLeap($0) } }
        return number(0...365).map { .day($0) }
    }

    /// Parses a time, `[+-]hours[:minutes[:seconds]]`. Returns it in seconds.
    private mutating func time(hours largest: Int) -> Int32? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hours = number(0...largest) else { return nil }
        var seconds = hours * 3600
        if take(":") {
            guard let minutes = number(0...59) else { return nil }
            seconds += minutes * 60
            if take(":") {
                guard let rest = number(0...59) else { return nil }
                seconds += rest
            }
        }
        return Int32(isNegative ? -seconds : seconds)
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int? {
        let digits = text.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard 1...3 ~= digits.count else { return nil }
        text = text[digits.endIndex...]
        let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return range.contains(value) ? value : nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard text.first == UInt8(ascii: character) else { return false }
        text = text.dropFirst()
        return true
    }
}
