public import PopupScheduling

/// A time zone by its name, with the data that says when its clocks change.
///
/// The data is kept beside the rules made from it: that is what the journal holds.
public struct TimeZoneData: Sendable, Equatable {
    /// Its name in the time zone database, such as `Europe/Berlin`.
    public let name: String
    /// The data: TZif, RFC 9636.
    public let bytes: [UInt8]
    /// What the data says.
    public let rules: TimeZoneRules

    package init(name: String, bytes: [UInt8]) throws(TimeZoneFile.Damaged) {
        self.name = name
        self.bytes = bytes
        rules = try TimeZoneFile.rules(in: bytes)
    }

    /// Two zones are the same when their data is.
    public static func == (a: TimeZoneData, b: TimeZoneData) -> Bool {
        a.name == b.name && a.bytes == b.bytes
    }
}

extension TimeZoneData {
    /// As the journal has it: the name, a zero byte, the data.
    package var journalEntry: [UInt8] { Array(name.utf8) + [0] + bytes }

    init(journalEntry entry: ArraySlice<UInt8>) throws(TimeZoneFile.Damaged) {
        guard let end = entry.firstIndex(of: 0) else { throw TimeZoneFile.Damaged("it has no name") }
        try self.init(name: String(decoding: entry[..<end], as: UTF8.self), bytes: Array(entry[(end + 1)...]))
    }
}
