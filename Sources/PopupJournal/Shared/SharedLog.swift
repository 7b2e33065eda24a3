/// A log of committed batches on several machines, of which at most one process at a time can append.
///
/// The engine behind it commits on a majority of its members before it answers, and compares and replaces the head in
/// one transaction. Claims and hints decide when somebody tries; nothing that is safe depends on them.
///
/// Each call has a deadline of its own. `SharedLogError.unknown` means what it says: what was asked for may have
/// happened, or may happen later. Only an answer says that it has not.
public protocol SharedLog: AnyObject, Sendable {
    /// The largest entry that the engine accepts, in bytes.
    var maxEntryBytes: Int { get }

    /// The time for which a claim lasts without a renewal, in ms. The nodes go by it, too.
    var lease: Int64 { get }

    /// Returns the head, as of a moment after the call began; `nil` if nobody has created the log.
    func head() async throws(SharedLogError) -> LogHead?

    /// Returns the first entries of a range, without gaps; fewer than asked for if they are many. Empty: the first was
    /// dropped, or is not there yet.
    func entries(in range: ClosedRange<UInt64>) async throws(SharedLogError) -> [LogEntry]

    /// Takes over, appends, advances or hands over: replaces the head if it is `write.old`. A take-over requires the
    /// claim in addition; a hand-over releases it.
    func write(_ write: HeadWrite) async throws(SharedLogError) -> HeadAnswer

    /// Claims the log if nobody does. Returns whether the claim is the caller's.
    func claim(as owner: LogOwner) async throws(SharedLogError) -> Bool

    /// Renews the claim. Returns whether it is still the caller's.
    func renewClaim(of owner: LogOwner) async throws(SharedLogError) -> Bool

    /// Ends the claim, if it is the caller's, so that nobody waits until it ends by itself.
    func releaseClaim(of owner: LogOwner) async throws(SharedLogError)

    /// Returns what changes from now on. Some of it may be missing, come twice or in another order.
    func hints() -> AsyncStream<LogHint>

    /// Returns the indices of the complete snapshots, in ascending order.
    func snapshots() async throws(SharedLogError) -> [UInt64]

    /// Returns a snapshot; `nil` if it is not there.
    func snapshot(at index: UInt64) async throws(SharedLogError) -> LogSnapshot?

    /// Keeps a snapshot, unless there is one of its index: first its content, then what makes it complete. It may leave out one
    /// that other nodes could not read, or while another process makes one.
    func keep(_ snapshot: LogSnapshot, by owner: LogOwner) async throws(SharedLogError)

    /// Returns the digest of a complete snapshot, whose state is not read; `nil` if it is not there.
    func digest(ofSnapshotAt index: UInt64) async throws(SharedLogError) -> SnapshotDigest?

    /// Removes the entries and snapshots of a plan, if the snapshots that it relies on are there.
    func drop(_ plan: LogDropPlan) async throws(SharedLogError)

    /// Returns what operators ask of the nodes.
    func orders() async throws(SharedLogError) -> LogOrders
}

/// The reason for which a shared log gives no answer.
public enum SharedLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is not known whether a request was, or will be, performed; with what the engine said.
    case unknown(String)
    /// The log is not there.
    case missing
    /// The content of the log cannot be read.
    case unreadable(LogRecordError)

    /// One sentence that says what is wrong.
    public var description: String {
        switch self {
        case .unknown(let reason): "it is not known whether the shared log has carried out a request: \(reason)"
        case .missing: "there is no such shared log"
        case .unreadable(let error): error.description
        }
    }
}

/// A snapshot in a shared log: the state after all entries up to one, as bytes.
public struct LogSnapshot: Hashable, Sendable {
    /// The index of the last entry that it contains.
    public var index: UInt64
    /// The epoch of that entry.
    public var epoch: UInt64
    /// The time of that entry, in ms.
    public var time: Int64
    /// The chain of all entries through that one.
    public var chain: UInt32
    /// The encoded state.
    public var state: [UInt8]
    /// The version of the rules by which the state was made. With the same one, the same entries lead to the same bytes on
    /// any machine. 0: not known.
    public var rules: UInt32

    /// Creates a snapshot.
    public init(index: UInt64, epoch: UInt64, time: Int64, chain: UInt32, state: [UInt8], rules: UInt32 = 0) {
        self.rules = rules
        self.index = index
        self.epoch = epoch
        self.time = time
        self.chain = chain
        self.state = state
    }
}

/// A change of a shared log that somebody saw. It is never relied on: the log is read.
public enum LogHint: Hashable, Sendable {
    /// An entry was appended.
    case entry(LogEntry)
    /// The head was replaced.
    case head(LogHead)
    /// Nobody claims the log any more.
    case claimEnded
    /// Operators ask for something else.
    case ordersChanged
}
