import Checksums
import GRDB
import SystemCalls

/// A segment that is written: SQLite in WAL mode, one row a batch.
///
/// While batches are appended nothing is ever written but the end of its WAL: no checkpoint, so that an append waits
/// for one write and one fsync. `seal` moves the WAL into the database when the next segment has begun.
struct Segment: Sendable {
    /// In bytes. Batches of one command lie within a page or two, those of a thousand in a chain of pages.
    static let pageSize = 4096

    /// The sequence that its first batch has or will have.
    let first: UInt64
    let path: String
    private let database: DatabaseQueue

    /// Makes a segment's file without batches, on disk when this returns; another that is there is replaced.
    static func make(_ path: String, openings: [Opening], missing: [ClosedRange<UInt64>] = []) throws {
        do {
            try remove(path)
            try Files.makeFile(path)
            // Nobody relies on the file before the one fsync at the end.
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

    /// Opens a segment for appending. What is noted here is on disk when this returns; appends wait for the disk if
    /// `isFull`.
    ///
    /// - Parameters:
    ///   - opening: what is noted first.
    ///   - missing: batches that were told to be missing.
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

    /// Appends a batch as one transaction. Nothing of it is kept when this throws.
    func append(sequence: UInt64, time: Int64, checksum: UInt32, commands: UnsafeRawBufferPointer) throws {
        try database.writeWithoutTransaction { database in
            let statement = try database.cachedStatement(
                sql: "INSERT INTO batch (sequence, time, checksum, commands) VALUES (?, ?, ?, ?)")
            try Bytes.lending(commands) { data in
                // Bound without a copy: GRDB does so for arguments that are given with the execution.
                try statement.execute(arguments: [Int64(bitPattern: sequence), time, Int64(checksum), data])
            }
        }
    }

    /// Moves the WAL into the database and closes both. What was committed stays so if this fails.
    func seal() throws {
        do {
            try Self.checkpointAndClose(database)
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    /// Closes it as it is.
    func close() {
        try? database.close()
    }

    /// In bytes: what its WAL has on disk.
    var walSize: Int { Files.size(path + "-wal") }

    /// Moves what an earlier process left in a segment's WAL into its database.
    static func seal(_ path: String) throws {
        guard Files.size(path + "-wal") > 0 else { return }
        do {
            try checkpointAndClose(try DatabaseQueue(path: path, configuration: configuration(synchronous: "FULL")))
        } catch {
            throw SQLiteJournalError.of(error, path: path)
        }
    }

    /// Takes back what an earlier process had begun to change of a segment's header, which reading alone can't do. A
    /// file that is too damaged for it is left for the reader to tell of.
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

    /// Removes a segment's files, the database last: until then it is there, and whole, since it was sealed.
    static func remove(_ path: String) throws(SQLiteJournalError) {
        for suffix in DataDirectory.companions { try Files.remove(path + suffix) }
        try Files.remove(path)
    }

    /// Inserts rows into a segment that isn't appended to yet.
    static func fill(_ path: String, _ body: (_ insert: (StoredBatch) throws -> Void) throws -> Void) throws {
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration(synchronous: "OFF"))
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

    /// - Parameter isLast: nothing is appended from now on: a database without a WAL can be read where nothing may be
    ///   written, and leaves no files beside it.
    private static func checkpointAndClose(_ database: DatabaseQueue, isLast: Bool = true) throws {
        defer { try? database.close() }
        try database.writeWithoutTransaction { database in
            // One that was closed stays as it is: SQLite checks no connection that a checkpoint is asked of.
            guard database.sqliteConnection != nil else { return }
            _ = try database.checkpoint(.truncate)
            if isLast { try? database.execute(sql: "PRAGMA journal_mode = MEMORY") }
        }
    }

    /// A database begins and ends its WAL by a few bytes of its header, which lie in one sector: they are as before or
    /// as after. For these SQLite needs no rollback journal in a file, and with one that a killed process has left
    /// nobody could read the segment before it is repaired.
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
        // Only a copy that is being made, or another's recovery, is ever waited for.
        configuration.busyMode = .timeout(1)
        // A transaction that SQLite can't end on a damaged file is an error, not the end of the process.
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

/// That a journal was opened.
struct Opening: Hashable, Sendable {
    var epoch: UInt64
    /// In ms from 1970 on.
    var time: Int64

    func insert(into database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO opening (epoch, time, checksum) VALUES (?, ?, ?)",
            arguments: [
                Int64(bitPattern: epoch), time, Int64(CRC32C.checksum(of: epoch, UInt64(bitPattern: time))),
            ])
    }
}
