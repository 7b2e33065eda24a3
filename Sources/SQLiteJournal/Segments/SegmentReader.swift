import Checksums
import Foundation
import GRDB

/// A read-only connection to a segment, also while another connection appends to it, in this process or another.
final class SegmentReader: Sendable {
    let path: String
    private let database: DatabaseQueue
    private let budget = ReadBudget()

    /// Opens a segment.
    ///
    /// - Throws: `SQLiteJournalError`; `damaged` if its content is the reason.
    init(_ path: String) throws {
        self.path = path
        if let kind = Files.foreignKind(path) { throw SQLiteJournalError.damaged(path: path, reason: kind) }
        let budget = budget
        budget.begin(fileBytes: Self.fileBytes(path))
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            if let connection = database.sqliteConnection { budget.install(on: connection) }
            // Damaged cells are errors, and not followed.
            try database.execute(sql: "PRAGMA cell_size_check = ON")
        }
        do {
            guard Files.exists(path) else { throw SQLiteJournalError.system("open", path, ENOENT) }
            database = try DatabaseQueue(path: path, configuration: configuration)
            if let version = try database.read(Schema.newerVersion) {
                throw SQLiteJournalError.newerVersion(file: path, version: version, known: Schema.version)
            }
        } catch let error as DatabaseError where error.isDamage {
            throw SQLiteJournalError.damaged(path: path, reason: error.reason)
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    /// Returns the size of a segment in bytes, with its WAL.
    private static func fileBytes(_ path: String) -> Int { Files.size(path) + Files.size(path + WAL.suffix) }

    /// Closes the connection now, and not only when this object is released.
    func close() {
        try? database.close()
    }

    /// The content of a segment except its batches.
    struct Metadata: Sendable {
        var openings: [Opening] = []
        var missing: [ClosedRange<UInt64>] = []
        /// The reason why parts of it cannot be read; `nil` if all can.
        var damage: String?
    }

    /// Returns the openings and the batches reported as missing. Rows with a wrong checksum are left out.
    func metadata() throws -> Metadata {
        var metadata = Metadata()
        budget.begin(fileBytes: Self.fileBytes(path))
        do {
            try database.read { database in
                if try !Schema.isListed(database) { metadata.damage = "its list of versions is damaged" }
                try Self.numbers(database, "SELECT epoch, time, checksum FROM opening") { epoch, time in
                    if epoch <= DataDirectory.maxSequence {
                        metadata.openings.append(Opening(epoch: epoch, time: Int64(bitPattern: time)))
                    }
                }
                try Self.numbers(database, "SELECT first, last, checksum FROM missing") { first, last in
                    if first <= last, last <= DataDirectory.maxSequence { metadata.missing.append(first...last) }
                }
            }
        } catch let error as DatabaseError where error.isDamage {
            metadata.damage = error.reason
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
        return metadata
    }

    /// Calls `body` with each row in `range` that can be read, by ascending sequence; the state of one moment.
    ///
    /// A damaged tree may lead to the same rows again and again. So reading ends with the first row that is out of
    /// order, or when more was read than the size of the files. `PageScan` finds the intact rows beyond.
    ///
    /// - Returns: The reason why not all rows could be read; `nil` if all could.
    func forEachBatch(in range: ClosedRange<UInt64>, _ body: (StoredBatch) throws -> Void) throws -> String? {
        guard range.lowerBound <= DataDirectory.maxSequence else { return nil }
        var next = range.lowerBound
        var bytes = 0
        var most = Self.fileBytes(path)
        budget.begin(fileBytes: most)
        do {
            try database.read { database in
                try Self.rows(database, range) { row in
                    guard row.sequence >= next, row.sequence <= range.upperBound else {
                        throw DamagedTree(reason: "its batches are not in order")
                    }
                    bytes += row.commands.count
                    // A broker may have appended meanwhile.
                    if bytes > most { most = Self.fileBytes(path) }
                    guard bytes <= most else { throw DamagedTree(reason: "it contains more than its size allows") }
                    next = row.sequence + 1
                    try body(row)
                }
            }
        } catch let error as DamagedTree {
            return error.reason
        } catch let error as DatabaseError where error.isDamage {
            return error.reason
        } catch let error as DatabaseError {
            throw SQLiteJournalError.of(error, path: path)
        }
        return nil
    }

    private struct DamagedTree: Error {
        var reason: String
    }

    /// The number, the ends and the last time of a segment's batches.
    struct Extent: Sendable {
        var count: Int
        var first: UInt64
        var last: UInt64
        /// The time of the last batch, in ms by the broker's clock.
        var lastTime: Int64
    }

    /// Returns the extent of the segment, without reading the batches; `nil` if there are none.
    func extent() throws -> Extent? {
        do {
            return try database.read { database in
                let ends = try Row.fetchOne(
                    database,
                    sql: """
                        SELECT (SELECT count(*) FROM batch), (SELECT min(sequence) FROM batch), sequence, time
                        FROM batch ORDER BY sequence DESC LIMIT 1
                        """)
                guard let ends, let count = Self.integer(ends, 0), let first = Self.integer(ends, 1),
                    let last = Self.integer(ends, 2), let time = Self.integer(ends, 3)
                else { return nil }
                return Extent(
                    count: Int(count), first: UInt64(bitPattern: first), last: UInt64(bitPattern: last), lastTime: time)
            }
        } catch let error as DatabaseError where error.isDamage {
            throw SQLiteJournalError.damaged(path: path, reason: error.reason)
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    /// Copies the segment, as it is at one moment, to a new file, which is on disk when this returns.
    func copy(to path: String) throws {
        do {
            try Files.makeFile(path)
            let target = try DatabaseQueue(path: path)
            do {
                defer { try? target.close() }
                try database.backup(to: target)
            }
            try Files.synchronize(path)
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    // Rows of damaged pages may contain anything: the type of each value is checked.
    private static func rows(
        _ database: Database, _ range: ClosedRange<UInt64>, _ body: (StoredBatch) throws -> Void
    ) throws {
        let statement = try database.cachedStatement(
            sql: """
                SELECT sequence, time, checksum, commands FROM batch
                WHERE sequence BETWEEN ? AND ? ORDER BY sequence
                """)
        let rows = try Row.fetchCursor(statement, arguments: [Self.key(range.lowerBound), Self.key(range.upperBound)])
        while let row = try rows.next() {
            guard let sequence = integer(row, 0) else { continue }
            try row.withUnsafeData(atIndex: 3) { data in
                let (time, checksum) = (integer(row, 1) ?? 0, integer(row, 2) ?? -1)
                try (data ?? Data()).withUnsafeBytes { commands in
                    try body(
                        StoredBatch(
                            sequence: UInt64(bitPattern: sequence), time: time, checksum: checksum, commands: commands))
                }
            }
        }
    }

    private static func numbers(
        _ database: Database, _ query: String, _ body: (UInt64, UInt64) -> Void
    ) throws {
        let rows = try Row.fetchCursor(database, sql: query)
        while let row = try rows.next() {
            guard let first = integer(row, 0), let second = integer(row, 1), let checksum = integer(row, 2) else {
                continue
            }
            let (one, other) = (UInt64(bitPattern: first), UInt64(bitPattern: second))
            if checksum == Int64(CRC32C.checksum(of: one, other)) { body(one, other) }
        }
    }

    private static func integer(_ row: Row, _ index: Int) -> Int64? {
        let value: DatabaseValue = row[index]
        guard case .int64(let number) = value.storage else { return nil }
        return number
    }

    /// Returns the key of a sequence. SQLite's keys are signed; sequences are below their maximum.
    private static func key(_ sequence: UInt64) -> Int64 { Int64(clamping: sequence) }
}

extension DatabaseError {
    /// The message of SQLite.
    var reason: String {
        resultCode == .SQLITE_INTERRUPT
            ? "reading it takes more operations than its size allows"
            : message ?? "SQLite error \(extendedResultCode.rawValue)"
    }
}
