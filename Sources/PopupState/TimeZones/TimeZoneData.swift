public import PopupScheduling

/// A time zone: its name, and the data with the changes of its clocks.
///
/// The data is kept in addition to the rules that are derived from it, because the journal contains it.
public struct TimeZoneData: Sendable, Equatable {
    /// The name in the time zone database, such as `Europe/Berlin`.
    public let name: String
    /// The data: TZif, RFC 9636.
    public let bytes: [UInt8]
    /// The rules that are derived from the data.
    public let rules: TimeZoneRules

    package init(name: String, bytes: [UInt8]) throws(TimeZoneFile.Damaged) {
        self.name = name
        self.bytes = bytes
        rules = try TimeZoneFile.rules(in: bytes)
    }

    /// Whether two zones have the same name and data.
    public static func == (a: TimeZoneData, b: TimeZoneData) -> Bool {
        a.name == b.name && a.bytes == b.bytes
    }
}

extension TimeZoneData {
    /// The encoding in the journal: the name, a zero byte, the data.
    package var journalEntry: [UInt8] { Array(name.utf8) + [0] + bytes }

    init(journalEntry entry: ArraySlice<UInt8>) throws(TimeZoneFile.Damaged) {
        guard let end = entry.firstIndex(of: 0) else { throw TimeZoneFile.Damaged("it has no name") }
        try self.init(name: String(decoding: entry[..<end], as: UTF8.self), bytes: Array(entry[(end + 1)...]))
    }
}
