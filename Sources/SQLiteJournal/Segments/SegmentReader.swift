import Checksums
import Foundation
import GRDB

/// Reads a segment through a connection of its own, which changes nothing: beside the one that appends, in this process
/// or another.
final class SegmentReader: Sendable {
    let path: String
    private let database: DatabaseQueue
    private let budget = ReadBudget()

    /// Opens it.
    ///
    /// - Throws: `SQLiteJournalError`; `damaged` when it can't be read for what it holds.
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
            // Damaged cells are told, not followed.
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

    /// In bytes: what reading all of a segment reads.
    private static func fileBytes(_ path: String) -> Int { Files.size(path) + Files.size(path + "-wal") }

    /// Closes it; it is when nobody holds it, too.
    func close() {
        try? database.close()
    }

    /// What a segment tells of itself beside its batches.
    struct Notes: Sendable {
        var openings: [Opening] = []
        var missing: [ClosedRange<UInt64>] = []
        /// Why not all can be read.
        var damage: String?
    }

    /// Reads the openings and what was told to be missing; rows whose checksum doesn't fit are left out.
    func notes() throws -> Notes {
        var notes = Notes()
        budget.begin(fileBytes: Self.fileBytes(path))
        do {
            try database.read { database in
                if try !Schema.isListed(database) { notes.damage = "its list of versions is damaged" }
                try Self.numbers(database, "SELECT epoch, time, checksum FROM opening") { epoch, time in
                    if epoch <= DataDirectory.mostSequence {
                        notes.openings.append(Opening(epoch: epoch, time: Int64(bitPattern: time)))
                    }
                }
                try Self.numbers(database, "SELECT first, last, checksum FROM missing") { first, last in
                    if first <= last, last <= DataDirectory.mostSequence { notes.missing.append(first...last) }
                }
            }
        } catch let error as DatabaseError where error.isDamage {
            notes.damage = error.reason
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
        return notes
    }

    /// Calls `body` with each row in `range` that can be read, by ascending sequence; the state of one moment.
    ///
    /// A damaged tree may lead to the same rows again and again: reading ends with the first row that is out of order,
    /// or when more was read than the files hold. `PageScan` finds what is whole beyond.
    ///
    /// - Returns: Why not all could be read; `nil` when all could.
    func forEachBatch(in range: ClosedRange<UInt64>, _ body: (StoredBatch) throws -> Void) throws -> String? {
        guard range.lowerBound <= DataDirectory.mostSequence else { return nil }
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
                    // A broker may have written more since.
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

    /// Where a segment begins and ends.
    struct Extent: Sendable {
        var count: Int
        var first: UInt64
        var last: UInt64
        /// Of the last batch, in ms.
        var lastTime: Int64
    }

    /// Where it begins and ends, without reading its batches; `nil` when it has none.
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

    /// Copies the segment as it is in one moment into a new file, on disk when this returns.
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

    // The rows of damaged pages may hold anything: no value is taken for what it should be.
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

    /// SQLite's keys have a sign: what is beyond them no sequence reaches.
    private static func key(_ sequence: UInt64) -> Int64 { Int64(clamping: sequence) }
}

extension DatabaseError {
    /// What SQLite says of it.
    var reason: String {
        resultCode == .SQLITE_INTERRUPT
            ? "reading it takes more operations than its size allows"
            : message ?? "SQLite error \(extendedResultCode.rawValue)"
    }
}
