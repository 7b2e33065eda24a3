public import PopupJournal

/// Whether the entries of a log continue one another: indices without gaps, one epoch after another, times that do not
/// go back, and the chain.
public struct LogCheck: Sendable {
    /// The index of the entry that comes next.
    public private(set) var next: UInt64
    private var epoch: UInt64
    private var time: Int64
    private var chain: UInt32

    /// Creates a check that begins after a snapshot; `nil`: with the first entry.
    public init(_ snapshot: LogSnapshot?) {
        next = (snapshot?.index ?? 0) + 1
        epoch = snapshot?.epoch ?? 0
        time = snapshot?.time ?? 0
        chain = snapshot?.chain ?? 0
    }

    /// Returns a check that begins with the oldest entries which can be read: after the oldest snapshot that is whole and
    /// whose next entry was not removed. The chunks of a snapshot may be missing: somebody removed them while another
    /// node completed it.
    ///
    /// - Throws: `SharedLogError` if the log cannot be read.
    public static func beginning(
        of log: any SharedLog, endingAt head: LogHead
    ) async throws(SharedLogError) -> LogCheck {
        for index in try await log.snapshots() where index <= head.index {
            guard let snapshot = try await whole(log, index) else { continue }
            if index == head.index { return LogCheck(snapshot) }
            if try await !log.entries(in: index + 1...index + 1).isEmpty { return LogCheck(snapshot) }
        }
        return LogCheck(nil)
    }

    private static func whole(_ log: any SharedLog, _ index: UInt64) async throws(SharedLogError) -> LogSnapshot? {
        do {
            return try await log.snapshot(at: index)
        } catch .unreadable {
            return nil
        }
    }

    /// The finding of a check.
    public enum Finding: Hashable, Sendable {
        /// The log is not one sequence of entries up to its head.
        case broken(String)
        /// Entries were removed while they were read: two snapshots after them make them needless.
        case removed
    }

    /// Reads the entries up to a head, and checks them and the head. Returns what is wrong; `nil` for nothing.
    ///
    /// - Parameter body: Receives each entry that follows the one before.
    /// - Throws: `SharedLogError` if the log cannot be read; what `body` throws.
    public mutating func read(
        _ log: any SharedLog, to head: LogHead, _ body: (LogEntry) throws -> Void
    ) async throws -> Finding? {
        while next <= head.index {
            let entries = try await log.entries(in: next...head.index)
            guard !entries.isEmpty else {
                // After the read: what has removed the entry is there.
                if let plan = LogDropPlan(snapshots: try await log.snapshots()), plan.lastEntry >= next {
                    return .removed
                }
                return .broken("entry \(next) is missing")
            }
            for entry in entries {
                if let problem = follow(entry) { return .broken(problem) }
                try body(entry)
            }
        }
        return end(at: head).map { .broken($0) }
    }

    /// Checks an entry. Returns what is wrong with it; `nil` for nothing.
    mutating func follow(_ entry: LogEntry) -> String? {
        guard entry.index == next else { return "entry \(entry.index) stands where \(next) should" }
        guard entry.chain == chain else { return "entry \(next) does not continue the chain" }
        guard entry.time >= time else { return "entry \(next) is earlier than the one before" }
        let begins = entry.kind == .takeOver
        guard begins ? entry.epoch > epoch : entry.epoch == epoch || next == 1 else {
            return "entry \(next) is of the epoch \(entry.epoch), after \(epoch)"
        }
        next += 1
        (epoch, time, chain) = (entry.epoch, entry.time, entry.chainAfter)
        return nil
    }

    /// Checks the head after the last entry. Returns what is wrong with it; `nil` for nothing.
    func end(at head: LogHead) -> String? {
        guard head.index > 0 else { return nil }
        guard head.index == next - 1, head.epoch == epoch, head.chain == chain, head.time >= time else {
            return "the head is not that of entry \(next - 1)"
        }
        return nil
    }
}
