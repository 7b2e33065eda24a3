import Checksums
import GRDB
import SystemCalls

/// A segment that is written: an SQLite database in WAL mode, with one row per batch.
///
/// Appending a batch writes only to the end of the WAL's frames, without checkpoints, so that it waits for one write and
/// one fsync. `seal` moves the WAL into the database when the next segment has begun.
struct Segment: Sendable {
    /// The page size in bytes. A batch of one command takes one or two pages, a batch of a thousand a chain of pages.
    static let pageSize = 4096

    /// The sequence of the first batch, also before it is written.
    let first: UInt64
    let path: String
    private let database: DatabaseQueue

    /// Creates a segment without batches, which is on disk when this returns. Replaces an existing file.
    static func make(_ path: String, openings: [Opening], missing: [ClosedRange<UInt64>] = []) throws {
        do {
            try remove(path)
            try Files.makeFile(path)
            // The file is not used before the fsync at the end.
            let database = try DatabaseQueue(path: path, configuration: configuration(synchronous: "OFF"))
            try database.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA page_size = \(pageSize)")
                try database.execute(sql: "PRAGMA journal_mode = WAL")
            }
            try Schema.migrate(database)
            try database.write { database in
                try openings.forEach { try $0.insert(into: database) }
                try missing.forEach { try insert(missing: $0, into: database) }
            }
            try checkpointAndClose(database, isLast: false)
            try Files.synchronize(path)
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    /// Opens a segment for appending. `opening` and `missing` are on disk when this returns. Appends wait for the disk
    /// if `isFull`.
    ///
    /// - Parameters:
    ///   - opening: The opening to record.
    ///   - missing: The batches that this opening reports as missing.
    init(
        first: UInt64, path: String, opening: Opening?, missing: [ClosedRange<UInt64>] = [], isFull: Bool
    ) throws {
        self.first = first
        self.path = path
        do {
            database = try DatabaseQueue(path: path, configuration: Self.configuration(synchronous: "FULL"))
            try database.writeWithoutTransaction(Self.beginWAL)
            try Schema.migrate(database)
            if let opening {
                try database.write { database in
                    try opening.insert(into: database)
                    try missing.forEach { try Self.insert(missing: $0, into: database) }
                }
            }
            if !isFull {
                try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
            }
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    /// Appends a batch as one transaction. If it throws, nothing is appended.
    func append(sequence: UInt64, time: Int64, checksum: UInt32, commands: UnsafeRawBufferPointer) throws {
        try database.writeWithoutTransaction { database in
            let statement = try database.cachedStatement(
                sql: "INSERT INTO batch (sequence, time, checksum, commands) VALUES (?, ?, ?, ?)")
            try Bytes.lending(commands) { data in
                // GRDB binds arguments without a copy only if they are given with the execution.
                try statement.execute(arguments: [Int64(bitPattern: sequence), time, Int64(checksum), data])
            }
        }
    }

    /// Moves the WAL into the database and closes it. If this fails, committed batches stay in the WAL.
    ///
    /// - Parameter keepsWAL: Whether to remove the WAL without truncating it first, because it has a second name.
    func seal(keepsWAL: Bool = false) throws {
        do {
            try Self.checkpointAndClose(database, keepsWAL: keepsWAL)
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    /// Closes the database without a checkpoint.
    func close() {
        try? database.close()
    }

    /// The size of the part of the WAL that is in use, in bytes.
    var walSize: Int { WAL.usedBytes(of: path) }

    /// Returns whether the file of the WAL is smaller than a size in bytes, so that appends make it grow.
    func isGrowing(below bytes: Int) -> Bool { Files.size(path + WAL.suffix) < bytes }

    /// Moves the WAL that an earlier process has left into its database.
    static func seal(_ path: String) throws {
        guard Files.size(path + WAL.suffix) > 0 else { return }
        do {
            try checkpointAndClose(try DatabaseQueue(path: path, configuration: configuration(synchronous: "FULL")))
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    /// Rolls back a change of the header that an earlier process has left unfinished, since a read-only connection
    /// cannot. A file that is too damaged for it is left to the reader, which reports it.
    static func rollBack(_ path: String) throws {
        guard Files.size(path + "-journal") > 0 else { return }
        do {
            let budget = ReadBudget()
            budget.begin(fileBytes: Files.size(path) + Files.size(path + "-journal"))
            var settings = configuration(synchronous: "FULL")
            settings.prepareDatabase { if let connection = $0.sqliteConnection { budget.install(on: connection) } }
            let database = try DatabaseQueue(path: path, configuration: settings)
            defer {
                try? database.close()
                withExtendedLifetime(budget) {}
            }
            try database.read { try $0.execute(sql: "SELECT name FROM sqlite_master LIMIT 1") }
        } catch let error as DatabaseError where error.isDamage {
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    /// Removes the files of a segment, the database last: until then the segment is complete, since it was sealed.
    static func remove(_ path: String) throws(SQLiteJournalError) {
        for suffix in DataDirectory.companions { try Files.remove(path + suffix) }
        try Files.remove(path)
    }

    /// Inserts rows into a segment that is not yet in use.
    static func fill(_ path: String, _ body: (_ insert: (StoredBatch) throws -> Void) throws -> Void) throws {
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration(synchronous: "OFF"))
            // Without a WAL, rows are written to their places, and need not be read again to be moved there.
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = MEMORY") }
            try database.write { database in
                // A damaged tree may lead to the same row twice.
                let statement = try database.makeStatement(
                    sql: "INSERT OR IGNORE INTO batch (sequence, time, checksum, commands) VALUES (?, ?, ?, ?)")
                try body { row in
                    try Bytes.lending(row.commands) { data in
                        try statement.execute(arguments: [
                            Int64(bitPattern: row.sequence), row.time, row.checksum, data,
                        ])
                    }
                }
            }
            try checkpointAndClose(database)
            try Files.synchronize(path)
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    /// Moves the WAL into the database and closes it.
    ///
    /// - Parameters:
    ///   - isLast: Whether nothing is appended from now on. Then the WAL mode ends: without a WAL, a database can be read
    ///     in a read-only directory, and leaves no other files.
    ///   - keepsWAL: Whether the file of the WAL keeps its size and content when SQLite removes its name. It is
    ///     truncated nevertheless if a reader keeps the database in WAL mode.
    private static func checkpointAndClose(
        _ database: DatabaseQueue, isLast: Bool = true, keepsWAL: Bool = false
    ) throws {
        defer { try? database.close() }
        try database.writeWithoutTransaction { database in
            // A closed database stays as it is: SQLite does not check the connection of a checkpoint.
            guard database.sqliteConnection != nil else { return }
            _ = try database.checkpoint(keepsWAL ? .full : .truncate)
            guard isLast else { return }
            let mode = try? String.fetchOne(database, sql: "PRAGMA journal_mode = MEMORY")
            if keepsWAL, mode != "memory" { _ = try database.checkpoint(.truncate) }
        }
    }

    /// Switches to WAL mode. That changes a few bytes of the header, within one sector, so they are written completely
    /// or not at all, and SQLite needs no rollback journal in a file. If a killed process left one, no process could read
    /// the segment before a repair.
    private static func beginWAL(_ database: Database) throws {
        guard try String.fetchOne(database, sql: "PRAGMA journal_mode") != "wal" else { return }
        try database.execute(sql: "PRAGMA journal_mode = MEMORY")
        try database.execute(sql: "PRAGMA journal_mode = WAL")
    }

    private static func insert(missing range: ClosedRange<UInt64>, into database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO missing (first, last, checksum) VALUES (?, ?, ?)",
            arguments: [
                Int64(bitPattern: range.lowerBound), Int64(bitPattern: range.upperBound),
                Int64(CRC32C.checksum(of: range.lowerBound, range.upperBound)),
            ])
    }

    private static func configuration(synchronous: String) -> Configuration {
        var configuration = Configuration()
        // Only a copy, or the recovery of another connection, can make it wait.
        configuration.busyMode = .timeout(1)
        // A transaction that SQLite cannot end on a damaged file must be an error, not a trap.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA synchronous = \(synchronous);
                    PRAGMA wal_autocheckpoint = 0;
                    """)
        }
        return configuration
    }
}

/// One opening of a journal.
struct Opening: Hashable, Sendable {
    var epoch: UInt64
    /// The time in ms since 1970.
    var time: Int64

    func insert(into database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO opening (epoch, time, checksum) VALUES (?, ?, ?)",
            arguments: [
                Int64(bitPattern: epoch), time, Int64(CRC32C.checksum(of: epoch, UInt64(bitPattern: time))),
            ])
    }
}
