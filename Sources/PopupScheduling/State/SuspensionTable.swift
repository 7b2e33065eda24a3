/// The suspension tokens that stand.
struct SuspensionTable {
    /// One of them.
    struct Record {
        var token: [UInt8]
        var pattern: [UInt8]
        /// Popups of lower priority are held back; `Int64.max`: all are.
        var threshold: Int64
        /// That of whoever made it.
        var account: AccountRecord.Index?
        /// Later ones have higher numbers.
        var number: UInt64 = 0
    }

    private(set) var records: [Record] = []
    /// How many were ever set.
    private(set) var latest: UInt64 = 0

    init() {}

    /// One to which suspensions are restored, of `latest` that were ever set.
    init(latest: UInt64) {
        self.latest = latest
    }

    var count: Int { records.count }

    func record(of token: UnsafeRawBufferPointer) -> Record? {
        records.first { $0.token.withUnsafeBytes { $0.equals(token) } }
    }

    /// Adds a record; one with the same token makes way.
    mutating func set(_ record: Record) {
        records.removeAll { $0.token == record.token }
        var record = record
        record.number = nextNumber()
        records.append(record)
    }

    /// Takes over a record with the number that it had.
    mutating func restore(_ record: Record) {
        records.append(record)
    }

    /// The number of a suspension or quiet window that begins.
    mutating func nextNumber() -> UInt64 {
        latest += 1
        return latest
    }

    mutating func remove(_ token: [UInt8]) {
        records.removeAll { $0.token == token }
    }

    /// The highest threshold that holds for a group, of suspensions later than `number`; `Int64.min` when none does.
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
