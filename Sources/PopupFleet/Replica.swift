public import PopupJournal

/// A state machine that entries determine: the same entries at the same times result in the same state on any machine.
public protocol ReplicatedState {
    /// The version of its rules: with the same one, the same entries lead to the same snapshot on any machine. 0: not known,
    /// so that its snapshots are not compared with those of other nodes.
    static var rulesVersion: UInt32 { get }

    /// Creates the state of an empty log.
    init()

    /// Creates the state of a snapshot.
    ///
    /// - Throws: If the bytes are not a state.
    init(snapshot: [UInt8]) throws

    /// The time of the next timer; `nil` for none.
    var nextDeadline: Int64? { get }

    /// Handles the timers that are due at or before a time.
    mutating func advance(to time: Int64)

    /// Applies an entry, after the timers until its time.
    ///
    /// - Throws: `EntryIsNewer` if its commands mean more than this program knows; others if they cannot be read.
    mutating func apply(_ entry: LogEntry) throws

    /// Returns the state as bytes.
    ///
    /// - Throws: If it cannot be encoded.
    func snapshot() throws -> [UInt8]
}

/// The state after the entries of a log through one.
public struct Replica<State: ReplicatedState> {
    /// The state.
    public private(set) var state = State()
    /// The index of the last applied entry; 0 for none.
    public private(set) var index: UInt64 = 0
    /// The epoch of that entry.
    public private(set) var epoch: UInt64 = 0
    /// The time until which timers are handled.
    public private(set) var time: Int64 = 0
    /// The chain of the applied entries.
    public private(set) var chain: UInt32 = 0
    /// The rules by which the state was made: in the lower half the version, in the upper half the lineage. Nodes that have
    /// applied all entries by one version have one lineage, and so have nodes that went on from the same snapshot of another
    /// version. Among other nodes, states may differ although nothing is wrong.
    public private(set) var rules = State.rulesVersion

    /// Creates the state of an empty log.
    public init() {}

    /// Applies an entry if it is the next one. Returns whether it is: an earlier one is there already, a later one has to
    /// wait for those between.
    ///
    /// - Throws: `ReplicaDiffers` if it does not continue what was applied; the errors of the state, of which `EntryIsNewer`
    ///   gets the index of the entry.
    @discardableResult
    public mutating func apply(_ entry: LogEntry) throws -> Bool {
        guard entry.index == index + 1 else { return false }
        guard entry.chain == chain, entry.epoch >= epoch, entry.time >= time else {
            throw ReplicaDiffers(index: entry.index)
        }
        state.advance(to: entry.time)
        do {
            try state.apply(entry)
        } catch var error as EntryIsNewer {
            error.index = entry.index
            throw error
        }
        index = entry.index
        epoch = entry.epoch
        time = entry.time
        chain = entry.chainAfter
        return true
    }

    /// Handles timers until a time before which no entry comes any more.
    public mutating func advance(to time: Int64) {
        guard time > self.time else { return }
        state.advance(to: time)
        self.time = time
    }

    /// Handles timers as the head of the log says, if the replica has all of its entries. Returns whether it has.
    ///
    /// - Throws: `ReplicaDiffers` if the head names the same index with another chain.
    @discardableResult
    public mutating func follow(_ head: LogHead) throws -> Bool {
        guard head.index == index else { return false }
        guard head.chain == chain else { throw ReplicaDiffers(index: index) }
        advance(to: head.time)
        return true
    }

    /// Returns the state as a snapshot. Right after `apply` it is the same on each node.
    ///
    /// - Throws: The errors of the state if it cannot be encoded.
    public func snapshot() throws -> LogSnapshot {
        LogSnapshot(
            index: index, epoch: epoch, time: time, chain: chain, state: try state.snapshot(), rules: rules)
    }

    /// Goes on from a snapshot, if it is later.
    ///
    /// - Throws: The errors of the state if the bytes are not one.
    public mutating func restore(_ snapshot: LogSnapshot) throws {
        guard snapshot.index > index else { return }
        state = try State(snapshot: snapshot.state)
        index = snapshot.index
        epoch = snapshot.epoch
        time = snapshot.time
        chain = snapshot.chain
        rules = Self.rules(after: snapshot)
    }

    /// Returns the rules of a state that goes on from a snapshot: those of the snapshot, if it is of the same version;
    /// otherwise those of a lineage that begins with its entries and its state.
    private static func rules(after snapshot: LogSnapshot) -> UInt32 {
        let own = State.rulesVersion
        guard own != 0 else { return 0 }
        if snapshot.rules != 0, snapshot.rules & versionMask == own & versionMask { return snapshot.rules }
        return own & versionMask | (snapshot.chain ^ snapshot.digest.checksum) & ~versionMask
    }

    /// The half of the rules that names the version.
    private static var versionMask: UInt32 { 0xFFFF }
}

/// The error that a replica is not that of the log. The log decides: such a node never owns it.
public struct ReplicaDiffers: Error, Hashable, Sendable, CustomStringConvertible {
    /// The index at which it was noticed.
    public var index: UInt64

    /// One sentence that says what is wrong.
    public var description: String {
        "the state of this node is not that of the shared log, as after a backup was restored; noticed at entry \(index)"
    }
}

/// The error that the snapshot of another node, made after the same entry and by the same rules, has another state. The log
/// decides: it has that snapshot.
struct SnapshotDiffers: Error, CustomStringConvertible {
    /// The index of the entry.
    var index: UInt64

    var description: String {
        "the state of this node after entry \(index) is not that of the snapshot which another node of the same version "
            + "has written: report this bug"
    }
}

/// The error that an entry or another record has content that this program does not know: a newer version has written it.
public struct EntryIsNewer: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part that is not known.
    public var what: String
    /// The index of the entry; `nil` for a snapshot or another record, or if it is not known.
    public var index: UInt64?

    /// Creates an error.
    public init(what: String, index: UInt64? = nil) {
        self.what = what
        self.index = index
    }

    /// One sentence that says what is wrong.
    public var description: String {
        let place = index.map { "entry \($0) of the shared log" } ?? "the shared log"
        return "\(place) has \(what) that this version does not know; install a newer version on this node"
    }
}
