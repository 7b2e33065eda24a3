import GRDB

/// The tables of a segment.
///
///     batch    sequence, time (ms), checksum (CRC-32C of sequence, time and commands), commands
///     opening  the epoch of each opening that wrote here, and when it began (ms)
///     missing  batches that an opening has reported as missing: later ones do not report them
///
/// The rows of `opening` and `missing` have checksums of their two numbers: no damaged one is believed.
enum Schema {
    /// The version of the tables, which is the number of migrations and the segment's `PRAGMA user_version`.
    static let version = 1
    /// The SQLite application id that distinguishes a segment from other databases ("Popu").
    private static let applicationID = 0x506F_7075

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(name(1)) { database in
            try database.execute(
                sql: """
                    CREATE TABLE batch (
                        sequence INTEGER PRIMARY KEY,
                        time INTEGER NOT NULL,
                        checksum INTEGER NOT NULL,
                        commands BLOB NOT NULL
                    );
                    CREATE TABLE opening (
                        epoch INTEGER PRIMARY KEY,
                        time INTEGER NOT NULL,
                        checksum INTEGER NOT NULL
                    );
                    CREATE TABLE missing (
                        first INTEGER PRIMARY KEY,
                        last INTEGER NOT NULL,
                        checksum INTEGER NOT NULL
                    );
                    PRAGMA application_id = \(applicationID);
                    PRAGMA user_version = 1;
                    """)
        }
        return migrator
    }

    private static func name(_ version: Int) -> String { "version \(version)" }

    /// Migrates the tables of a segment to this version.
    static func migrate(_ database: DatabaseQueue) throws {
        try migrator.migrate(database)
    }

    /// Returns the version of a segment that a later program has written; `nil` if this program supports it.
    static func newerVersion(_ database: Database) throws -> Int? {
        // Two places must agree: a flipped bit must not look like a later version.
        let stored = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        return try stored > version && has(stored, database) ? stored : nil
    }

    /// Whether the segment's list of migrations is one that the migrator accepts.
    static func isListed(_ database: Database) throws -> Bool {
        try has(1, database)
    }

    private static func has(_ version: Int, _ database: Database) throws -> Bool {
        let names = try Row.fetchCursor(database, sql: "SELECT identifier FROM grdb_migrations")
        while let row = try names.next() {
            let value: DatabaseValue = row[0]
            if case .string(name(version)) = value.storage { return true }
        }
        return false
    }
}
