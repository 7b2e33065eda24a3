import PopupFleet
import PopupJournal

/// A shared log in memory, which carries out requests as an engine does.
struct FuzzedLog {
    /// The head.
    private(set) var head: LogHead
    private var entries: [LogEntry] = []
    private var snapshots: [LogSnapshot] = []
    /// The chain through each entry, also of those that were dropped; the first one is that before all.
    private(set) var chains: [UInt32] = [0]

    /// Creates an empty log at a time.
    init(at time: Int64) {
        head = LogHead(
            level: 1, epoch: 1, index: 0, owner: LogOwner(high: 0, low: 0), time: time, horizon: time, chain: 0)
    }

    /// Replaces the head if it is the expected one. A head or an entry that nobody could read is not written.
    mutating func write(_ write: HeadWrite) throws -> HeadAnswer {
        guard write.old == head, try Self.isReadable(write) else { return .refused(head) }
        head = write.new
        if let entry = write.entry {
            entries.append(entry)
            chains.append(entry.chainAfter)
        }
        return .succeeded
    }

    /// Whether the records of a request are read as they were written. They are refused only at the ends of their ranges.
    private static func isReadable(_ write: HeadWrite) throws -> Bool {
        guard let head = try? LogHead(write.new.bytes) else { return false }
        guard head == write.new else { throw Finding("a head is read as another: \(head)") }
        guard let entry = write.entry else { return true }
        guard let read = try? LogEntry(entry.bytes) else { return false }
        guard read == entry else { throw Finding("an entry is read as another: \(read)") }
        return true
    }

    /// Keeps a snapshot, unless there is one of its index.
    mutating func keep(_ snapshot: LogSnapshot) {
        if !snapshots.contains(where: { $0.index == snapshot.index }) { snapshots.append(snapshot) }
    }

    /// Returns the answer to a call of a node.
    ///
    /// - Parameters:
    ///   - isOwn: Whether the claim is the node's.
    ///   - orders: The wishes of operators.
    mutating func answer(to call: FleetCall, isOwn: Bool, orders: LogOrders) throws -> FleetAnswer {
        switch call {
        case .readOrders: return .orders(orders)
        case .readHead: return .head(head)
        case .readEntries(let range): return .entries(entries.filter { range.contains($0.index) })
        case .readSnapshot: return .snapshot(snapshots.max { $0.index < $1.index })
        case .claim, .renewClaim: return .claim(isOwn: isOwn)
        case .releaseClaim: return .claim(isOwn: false)
        case .write(let write): return .write(try self.write(write))
        case .keep(let snapshot):
            keep(snapshot)
            return .snapshots(snapshots.map(\.index).sorted())
        case .drop(let plan):
            entries.removeAll { $0.index <= plan.lastEntry }
            snapshots.removeAll { plan.snapshots.contains($0.index) }
            return .dropped
        }
    }
}
