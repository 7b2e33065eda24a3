package import PopupFleet
package import PopupJournal

/// The engine: it carries out whole calls, one after another. What happens to calls and answers on their way is the
/// world's business.
package struct SimulatedLog {
    package private(set) var head: LogHead
    /// All entries that ever were in the log.
    package private(set) var history: [LogEntry] = []
    /// The true time at which each was appended.
    package private(set) var appended: [Int64] = []
    package private(set) var claim: LogOwner?
    /// When the claim ends, by true time.
    package var claimEnds: Int64 = 0
    /// What operators ask for.
    package var orders = LogOrders()
    package private(set) var snapshots: [UInt64: LogSnapshot] = [:]
    private var firstEntry: UInt64 = 1

    /// Creates an empty log.
    package init() {
        head = LogHead(
            level: 1, epoch: 1, index: 0, owner: LogOwner(high: 0, low: 0), time: 1_000_000, horizon: 1_000_000,
            chain: 0)
    }

    /// Whether entries were removed.
    package var isCompacted: Bool { firstEntry > 1 }

    /// Ends the claim if its time is over. Returns whether it did.
    package mutating func endClaim(at now: Int64) -> Bool {
        guard claim != nil, now >= claimEnds else { return false }
        claim = nil
        return true
    }

    /// Carries out a call.
    ///
    /// - Parameter lease: How long a claim made or renewed by it lasts, by true time.
    package mutating func perform(_ call: FleetCall, of node: LogOwner, at now: Int64, lease: Int64) -> FleetAnswer {
        switch call {
        case .readOrders: return .orders(orders)
        case .readHead: return .head(head)
        case .readEntries(let range):
            guard range.lowerBound >= firstEntry, range.lowerBound <= UInt64(history.count) else { return .entries([]) }
            let last = min(range.upperBound, UInt64(history.count))
            return .entries(Array(history[Int(range.lowerBound) - 1..<Int(last)]))
        case .readSnapshot: return .snapshot(snapshots.keys.max().flatMap { snapshots[$0] })
        case .claim:
            if claim == nil {
                claim = node
                claimEnds = now + lease
            }
            return .claim(isOwn: claim == node)
        case .renewClaim:
            if claim == node { claimEnds = now + lease }
            return .claim(isOwn: claim == node)
        case .releaseClaim:
            if claim == node { claim = nil }
            return .claim(isOwn: false)
        case .write(let write): return .write(perform(write, of: node, at: now))
        case .keep(let snapshot):
            if let kept = snapshots[snapshot.index] {
                if kept.digest.contradicts(snapshot.digest) { return .snapshotDiffers }
            } else {
                snapshots[snapshot.index] = snapshot
            }
            return .snapshots(snapshots.keys.sorted())
        case .drop(let plan):
            if plan.kept.allSatisfy({ snapshots[$0] != nil }) {
                firstEntry = max(firstEntry, plan.lastEntry + 1)
                for index in plan.snapshots { snapshots[index] = nil }
            }
            return .dropped
        }
    }

    private mutating func perform(_ write: HeadWrite, of node: LogOwner, at now: Int64) -> HeadAnswer {
        guard head == write.old, write.purpose != .takeOver || claim == node else { return .refused(head) }
        head = write.new
        if let entry = write.entry {
            history.append(entry)
            appended.append(now)
        }
        if write.purpose == .handOver, claim == node { claim = nil }
        return .succeeded
    }
}
