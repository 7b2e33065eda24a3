import GRDBSQLite
import Synchronization

/// The work that reading a segment may take: a crafted or damaged file makes SQLite go round for ever otherwise. Rows that
/// are written take some ten operations of SQLite's machine each, and more than ten bytes.
final class ReadBudget: Sendable {
    /// Operations of SQLite's machine between two looks at the budget.
    private static let interval: Int32 = 1000
    /// What every reading may take: the schema, the few rows of the small tables.
    private static let leastOperations = 1_000_000

    private let looksLeft = Atomic<Int>(0)

    /// Begins a reading of files that have so many bytes.
    func begin(fileBytes: Int) {
        looksLeft.store((Self.leastOperations + 2 * fileBytes) / Int(Self.interval), ordering: .relaxed)
    }

    /// Makes a connection heed it, which must not outlive it.
    func install(on connection: OpaquePointer) {
        sqlite3_progress_handler(
            connection, Self.interval,
            { context in
                guard let context else { return 0 }
                let budget = Unmanaged<ReadBudget>.fromOpaque(context).takeUnretainedValue()
                return budget.looksLeft.subtract(1, ordering: .relaxed).newValue < 0 ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
