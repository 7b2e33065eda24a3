import PopupFleet
import PopupJournal
import Synchronization

/// A shared log in memory that can be told to answer as an engine in trouble does.
final class ScriptedLog: SharedLog {
    /// How the log behaves.
    enum Script: Sendable {
        /// As it should.
        case works
        /// Nothing is answered.
        case silent
        /// Writes are refused with the head as it is.
        case refusesWrites
        /// Writes are not answered.
        case forgetsWrites
        /// Snapshots are not kept, and nothing says so.
        case forgetsSnapshots
        /// Snapshots are left out, as while a node of an older version runs.
        case leavesSnapshotsOut
    }

    struct Content {
        var script = Script.works
        var head: LogHead
        var entries: [LogEntry] = []
        var snapshots: [UInt64: LogSnapshot] = [:]
        /// Snapshots of which chunks are missing.
        var torn: Set<UInt64> = []
        var claim: LogOwner?
        var orders = LogOrders()
        /// How many writes were asked for.
        var writes = 0
        /// How often a snapshot was to be kept.
        var offers = 0
        /// How many questions were asked, of any kind but for orders.
        var questions = 0

        /// Lets another owner take over at the horizon.
        mutating func takeOver(by owner: LogOwner) {
            head = HeadWrite.takeOver(after: head, by: owner, epoch: 1, at: head.horizon, horizon: head.horizon).new
        }
    }

    let lease: Int64
    let maxEntryBytes: Int
    private let content: Mutex<Content>
    private let hinted: AsyncStream<LogHint>
    private let hinting: AsyncStream<LogHint>.Continuation

    init(lease: Int64 = 4000, script: Script = .works, maxEntryBytes: Int = 1000) {
        self.lease = lease
        self.maxEntryBytes = maxEntryBytes
        (hinted, hinting) = AsyncStream.makeStream()
        content = Mutex(
            Content(
                script: script,
                head: LogHead(
                    level: 1, epoch: 1, index: 0, owner: LogOwner(high: 0, low: 0), time: 1000, horizon: 1000, chain: 0)
            ))
    }

    /// Reads or changes what the log contains.
    @discardableResult
    func with<Result>(_ body: (inout Content) -> Result) -> Result { content.withLock { body(&$0) } }

    private func answering<Result>(
        _ body: (inout Content) throws(SharedLogError) -> Result
    ) throws(SharedLogError) -> Result {
        try content.withLock { (content) throws(SharedLogError) in
            content.questions += 1
            guard content.script != .silent else { throw .unknown("silent") }
            return try body(&content)
        }
    }

    func head() async throws(SharedLogError) -> LogHead? { try answering { $0.head } }

    func entries(in range: ClosedRange<UInt64>) async throws(SharedLogError) -> [LogEntry] {
        try answering { content in
            let found = content.entries.filter { range.contains($0.index) }
            return found.first?.index == range.lowerBound ? found : []
        }
    }

    func write(_ write: HeadWrite) async throws(SharedLogError) -> HeadAnswer {
        try answering { content throws(SharedLogError) in
            content.writes += 1
            if content.script == .forgetsWrites { throw .unknown("forgotten") }
            guard content.script != .refusesWrites, content.head == write.old else { return .refused(content.head) }
            content.head = write.new
            if let entry = write.entry { content.entries.append(entry) }
            return .succeeded
        }
    }

    func claim(as owner: LogOwner) async throws(SharedLogError) -> Bool {
        try answering {
            $0.claim = $0.claim ?? owner
            return $0.claim == owner
        }
    }

    func renewClaim(of owner: LogOwner) async throws(SharedLogError) -> Bool { try answering { $0.claim == owner } }

    func releaseClaim(of owner: LogOwner) async throws(SharedLogError) {
        try answering { if $0.claim == owner { $0.claim = nil } }
    }

    func hints() -> AsyncStream<LogHint> { hinted }

    /// Lets the node see a change.
    func hint(_ hint: LogHint) { hinting.yield(hint) }

    func snapshots() async throws(SharedLogError) -> [UInt64] {
        try answering { $0.torn.union($0.snapshots.keys).sorted() }
    }

    func snapshot(at index: UInt64) async throws(SharedLogError) -> LogSnapshot? {
        try answering { content throws(SharedLogError) in
            if content.torn.contains(index) { throw .unreadable(.damaged) }
            return content.snapshots[index]
        }
    }

    func keep(_ snapshot: LogSnapshot, by owner: LogOwner) async throws(SharedLogError) {
        try answering { content throws(SharedLogError) in
            content.offers += 1
            if content.script == .forgetsSnapshots { throw .unknown("forgotten") }
            guard content.script != .leavesSnapshotsOut else { return }
            if content.snapshots[snapshot.index] == nil { content.snapshots[snapshot.index] = snapshot }
        }
    }

    func digest(ofSnapshotAt index: UInt64) async throws(SharedLogError) -> SnapshotDigest? {
        try answering { $0.snapshots[index]?.digest }
    }

    func drop(_ plan: LogDropPlan) async throws(SharedLogError) {}

    func orders() async throws(SharedLogError) -> LogOrders { with { $0.orders } }
}

/// Clocks that stand still until somebody moves them.
final class Clocks: Sendable {
    private let boot = Mutex<(now: Int64, ahead: Int64)>((0, 0))

    /// Moves the clocks on by some ms.
    func advance(by time: Int64) { boot.withLock { $0.now += time } }

    /// Moves the clocks on by some ms after they are read once more.
    func advance(byAfterNextRead time: Int64) { boot.withLock { $0.ahead = time } }

    func moment() -> FleetMoment {
        boot.withLock { boot in
            defer { boot = (boot.now + boot.ahead, 0) }
            return FleetMoment(boot: boot.now, wall: 5000 + boot.now)
        }
    }
}

/// Waits until a condition holds.
func eventually(_ isSo: () async -> Bool) async throws {
    while await !isSo() { try await Task.sleep(for: .milliseconds(5)) }
}
