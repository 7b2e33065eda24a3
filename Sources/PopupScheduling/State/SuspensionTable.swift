/// The suspensions by token.
struct SuspensionTable {
    /// A suspension.
    struct Record {
        var token: [UInt8]
        var pattern: [UInt8]
        /// The priority below which popups are held back; `Int64.max` if all are.
        var threshold: Int64
        /// The account that created it.
        var account: AccountRecord.Index?
        /// The user that set it; empty for none.
        var user: [UInt8] = []
        /// The time at which it was set; `nil` if it is restored from a state that does not record it.
        var since: Milliseconds?
        /// Its number; later suspensions have higher ones.
        var number: UInt64 = 0
    }

    private(set) var records: [Record] = []
    /// The number of suspensions and quiet windows that ever began.
    private(set) var latest: UInt64 = 0

    init() {}

    /// Creates a table into which suspensions are restored.
    init(latest: UInt64) {
        self.latest = latest
    }

    var count: Int { records.count }

    func record(of token: UnsafeRawBufferPointer) -> Record? {
        records.first { $0.token.withUnsafeBytes { $0.equals(token) } }
    }

    /// Adds a suspension, replacing one with the same token.
    mutating func set(_ record: Record) {
        records.removeAll { $0.token == record.token }
        var record = record
        record.number = nextNumber()
        records.append(record)
    }

    /// Adds a suspension with its former number.
    mutating func restore(_ record: Record) {
        records.append(record)
    }

    /// Returns the number of a suspension or quiet window that begins.
    mutating func nextNumber() -> UInt64 {
        latest += 1
        return latest
    }

    mutating func remove(_ token: [UInt8]) {
        records.removeAll { $0.token == token }
    }

    /// Returns the highest threshold of a group's suspensions after `number`; `Int64.min` if there are none.
    func threshold(for name: UnsafeRawBufferPointer, after number: UInt64 = 0) -> Int64 {
        var highest = Int64.min
        for record in records where record.number > number && record.threshold > highest && record.matches(name) {
            highest = record.threshold
        }
        return highest
    }
}

extension SuspensionTable.Record {
    func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        pattern.withUnsafeBytes { Pattern($0).matches(name) }
    }
}
