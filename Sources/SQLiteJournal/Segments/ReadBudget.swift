import GRDBSQLite
import Synchronization

/// The limit of the work that reading a segment may take: a crafted or damaged file can make SQLite loop for ever.
/// Intact rows take about ten operations of SQLite's virtual machine each, and more than ten bytes.
final class ReadBudget: Sendable {
    /// The number of operations of SQLite's virtual machine between two checks of the budget.
    private static let interval: Int32 = 1000
    /// The number of operations that every reading may take: for the schema and the few rows of the small tables.
    private static let minOperations = 1_000_000

    private let checksLeft = Atomic<Int>(0)

    /// Begins a reading of files with this total size.
    func begin(fileBytes: Int) {
        checksLeft.store((Self.minOperations + 2 * fileBytes) / Int(Self.interval), ordering: .relaxed)
    }

    /// Limits a connection, which must not outlive this object.
    func install(on connection: OpaquePointer) {
        sqlite3_progress_handler(
            connection, Self.interval,
            { context in
                guard let context else { return 0 }
                let budget = Unmanaged<ReadBudget>.fromOpaque(context).takeUnretainedValue()
                return budget.checksLeft.subtract(1, ordering: .relaxed).newValue < 0 ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
