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

    /// The thresholds of the suspensions of one pattern.
    private struct Thresholds {
        private var each: [(number: UInt64, threshold: Int64)] = []
        private var highest = Int64.min

        var isEmpty: Bool { each.isEmpty }

        mutating func add(_ record: Record) {
            each.append((record.number, record.threshold))
            highest = max(highest, record.threshold)
        }

        mutating func remove(_ record: Record) {
            guard let place = each.firstIndex(where: { $0 == (record.number, record.threshold) }) else { return }
            each.remove(at: place)
            highest = each.lazy.map(\.threshold).max() ?? .min
        }

        /// Returns the highest threshold of those after a number; `Int64.min` if there are none.
        func highest(after number: UInt64) -> Int64 {
            guard number > 0 else { return highest }
            return each.reduce(.min) { $1.number > number ? max($0, $1.threshold) : $0 }
        }
    }

    private(set) var records: [Record] = []
    private var thresholds = PatternMap<Thresholds>()
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
        remove(record.token)
        var record = record
        record.number = nextNumber()
        restore(record)
    }

    /// Adds a suspension with its former number.
    mutating func restore(_ record: Record) {
        records.append(record)
        thresholds[record.key, default: Thresholds()].add(record)
    }

    /// Returns the number of a suspension or quiet window that begins.
    mutating func nextNumber() -> UInt64 {
        latest += 1
        return latest
    }

    mutating func remove(_ token: [UInt8]) {
        guard let place = records.firstIndex(where: { $0.token == token }) else { return }
        let record = records.remove(at: place)
        let key = record.key
        thresholds[key, default: Thresholds()].remove(record)
        if thresholds[key]?.isEmpty == true { thresholds[key] = nil }
    }

    /// Returns the highest threshold of a group's suspensions after `number`; `Int64.min` if there are none.
    func threshold(for name: UnsafeRawBufferPointer, after number: UInt64 = 0) -> Int64 {
        var highest = Int64.min
        // All that match count: no one ends the look-up.
        thresholds.first(for: name) { found -> Never? in
            highest = max(highest, found.highest(after: number))
            return nil
        }
        return highest
    }
}

extension SuspensionTable.Record {
    /// Its pattern, in the one form that all groups have.
    fileprivate var key: [UInt8] {
        pattern.withUnsafeBytes { Pattern.normalized($0) }
    }

    func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        pattern.withUnsafeBytes { Pattern($0).matches(name) }
    }
}
