public import PopupJournal

/// A node of a fleet: a standby that follows the log, then perhaps its owner, then it ends. A process owns once.
///
/// It is pure: time is an argument, and each function returns what has to be done. Its calls of the log can be carried
/// out late, twice or never; nothing that is safe depends on clocks, claims or hints.
///
///     standby ──claim──▶ read to the head ──take over──▶ owner ──▶ overtaken or handed over
///        ▲                                    │            │ ▲
///        └────────────── refused ─────────────┘         not confirmed: mute
public struct FleetNode<State: ReplicatedState> {
    /// The role of a node.
    public enum Role: Hashable, Sendable {
        /// It follows the log.
        case standby
        /// It appends to the log.
        case owner
        /// It does nothing any more.
        case ended(FleetEnd)
    }

    /// The state that a node may publish now: that after an entry, with timers handled until a time.
    public struct Voice: Hashable, Sendable {
        /// The epoch of its tenure.
        public var epoch: UInt64
        /// The index of the last entry.
        public var index: UInt64
        /// The time until which timers are handled.
        public var time: Int64
    }

    /// The identity of this process.
    public let identity: LogOwner
    /// Its role.
    public internal(set) var role = Role.standby
    /// The state that it follows, or owns.
    public internal(set) var replica = Replica<State>()
    /// The state before the take-over's entry, with which a broker begins the tenure; `nil` until then, and if the node
    /// handles timers itself.
    public internal(set) var beginning: LogSnapshot?
    /// The number of take-overs that it has followed, with its own.
    public private(set) var takeOvers: UInt64 = 0
    /// The error that has ended it, in a sentence; `nil` for none.
    public private(set) var failure: String?

    let rank: Int64
    let timers: TenureTimers
    /// The durations that it goes by.
    public let timing: FleetTiming
    /// The greatest level of a log that it can follow.
    let newestLevel: UInt32
    /// The newest head that was seen; of an owner: the one that its next request compares.
    var head: LogHead?
    /// The request that writes the head and whose outcome is not known.
    var pending: HeadWrite?
    /// The batch of a broker that is in the log, and not applied yet.
    var unapplied: LogEntry?
    var calls = CallsUnderWay()
    var confirmation: Confirmation?
    var estimate = TimeEstimate()
    var clock = TenureClock(0, at: 0)
    private(set) var dueSnapshot: DueSnapshot
    private(set) var orders = OperatorOrders()
    var claim = OwnClaim()
    var isListening = false
    var handsOver = false
    var broker = LocalBroker()
    /// Of a standby: the time at which the latest read of the head began that was answered. Of an owner: the time of its
    /// latest read; `nil` after the head of another node was seen.
    var headRead: Int64?
    /// The entry that was not in the log when it was read last; `nil` for none.
    var gap: LogGap?

    /// Creates a standby.
    ///
    /// - Parameters:
    ///   - identity: Random, of this process only.
    ///   - rank: 0 for the node that is to claim first.
    ///   - timing: The durations that it goes by.
    ///   - timers: Who handles timers while it owns the log.
    ///   - snapshotBytes: The least number of bytes of commands between two snapshots.
    ///   - snapshotEntries: The greatest number of entries between two snapshots.
    ///   - newestLevel: The greatest level of a log that it can follow.
    public init(
        _ identity: LogOwner, rank: Int, timing: FleetTiming = FleetTiming(), timers: TenureTimers = .ofNode,
        snapshotBytes: Int = 64 << 20, snapshotEntries: Int = 20_000, newestLevel: UInt32 = LogHead.newestLevel
    ) {
        self.newestLevel = newestLevel
        self.timers = timers
        self.identity = identity
        self.rank = Int64(rank)
        self.timing = timing
        dueSnapshot = DueSnapshot(SnapshotSchedule(bytes: snapshotBytes, entries: snapshotEntries))
    }

    /// The index of the last entry that it knows of, applied or not; `nil` before it has read the head.
    public var headIndex: UInt64? { head?.index }

    /// The index of the snapshot that is due and that the log does not have yet; `nil` if none is due.
    public var dueSnapshotIndex: UInt64? { dueSnapshot.snapshot?.index }

    // MARK: - What happens to it

    /// Handles a turn: what is due by the clock. First it applies the batch that is in the log and was told.
    public mutating func turn(at moment: FleetMoment) -> [FleetEffect] { applyTold() + step(at: moment) }

    /// Applies the batch of a broker that is in the log. The broker has been told before, so that it waits for the log only;
    /// the sooner the better, but not before the broker's next batch is on its way.
    public mutating func applyTold() -> [FleetEffect] {
        var effects: [FleetEffect] = []
        do { try applyUnapplied() } catch { fail(error, &effects) }
        return effects
    }

    private mutating func step(at moment: FleetMoment) -> [FleetEffect] {
        var effects: [FleetEffect] = []
        do {
            if role == .standby || role == .owner { readOrders(at: moment, &effects) }
            switch role {
            case .standby: try standByTurn(at: moment, &effects)
            case .owner: ownerTurn(at: moment, &effects)
            case .ended: return []
            }
            keepSnapshot(at: moment, &effects)
        } catch {
            fail(error, &effects)
        }
        return effects
    }

    /// Handles the answer to one of its calls, and then a turn.
    public mutating func receive(
        _ answer: FleetAnswer, to call: FleetCall, at moment: FleetMoment
    ) -> [FleetEffect] {
        var effects: [FleetEffect] = []
        if case .ended = role { return [] }
        let begun = calls.end(call)
        let asked = begun?.boot ?? moment.boot
        do {
            switch answer {
            case .orders(let answer):
                if orders.receive(answer, asked: asked) { effects.append(.configure(answer.configuration)) }
            case .head(let head):
                if let head { try checkLater(head, than: begun?.head) }
                try received(head, asked: asked, at: moment, &effects)
            case .entries(let entries):
                for entry in entries { try follow(entry, at: moment) }
                if case .readEntries(let range) = call { noteGap(entries.isEmpty ? range.lowerBound : nil) }
            case .snapshot(let snapshot): try received(snapshot, at: moment)
            case .claim(let isOwn): claimed(isOwn, asked: asked)
            case .write(let answer):
                if case .write(let write) = call {
                    try finish(write, write.outcome(of: answer), asked: asked, at: moment, &effects)
                }
            case .snapshots(let indices):
                dueSnapshot.update(kept: indices, retryAt: moment.boot + timing.snapshotRetry)
                if let plan = LogDropPlan(snapshots: indices) { ask(.drop(plan), at: moment, &effects) }
            case .snapshotDiffers: throw SnapshotDiffers(index: dueSnapshot.snapshot?.index ?? replica.index)
            case .dropped: break
            case .unreadable: throw LogIsUnreadable()
            case .newer: throw EntryIsNewer(what: "a record")
            case .unknown:
                switch call {
                case .write(let write): try finish(write, .unknown, asked: asked, at: moment, &effects)
                case .readOrders: orders.recordChange()
                // Nothing keeps the process any longer.
                case .releaseClaim where handsOver: claim.forget()
                default: break
                }
            }
        } catch {
            fail(error, &effects)
        }
        return effects + step(at: moment)
    }

    /// Handles what somebody saw of the log. It is only a hint: what it says may be missing, come twice or late.
    public mutating func receive(_ hint: LogHint, at moment: FleetMoment) -> [FleetEffect] {
        do {
            switch (hint, role) {
            case (.entry(let entry), .standby): try follow(entry, at: moment)
            case (.head(let head), .standby): try follow(head, at: moment)
            case (.head(let head), .owner) where head.epoch > replica.epoch: headRead = nil
            case (.claimEnded, .standby): claim.recordEnd(at: moment.boot)
            case (.ordersChanged, _): orders.recordChange()
            default: break
            }
        } catch {
            var effects: [FleetEffect] = []
            fail(error, &effects)
            return effects
        }
        return step(at: moment)
    }

    // MARK: - What both roles need

    /// Asks for a call, unless one of its kind is under way.
    mutating func ask(_ call: FleetCall, at moment: FleetMoment, _ effects: inout [FleetEffect]) {
        guard calls.begin(call, at: moment.boot, head: head) else { return }
        effects.append(.call(call))
    }

    mutating func end(_ reason: FleetEnd, _ effects: inout [FleetEffect]) {
        role = .ended(reason)
        unapplied = nil
        if isListening { effects.append(.listen(false)) }
        isListening = false
        effects.append(.end(reason))
    }

    private mutating func fail(_ error: any Error, _ effects: inout [FleetEffect]) {
        failure = "\(error)"
        end(Self.reason(of: error), &effects)
    }

    private mutating func readOrders(at moment: FleetMoment, _ effects: inout [FleetEffect]) {
        guard orders.isReadingDue(at: moment.boot, timing) else { return }
        guard calls.begin(.readOrders, at: moment.boot, head: head) else { return }
        orders.beginReading(at: moment.boot)
        effects.append(.call(.readOrders))
    }

    private static func reason(of error: any Error) -> FleetEnd {
        switch error {
        case is LevelIsNewer: .levelIsNewer
        case is EntryIsNewer: .entryIsNewer
        default: .replicaDiffers
        }
    }

    /// Checks that a head which the log had after a request began is not earlier than one that it had before: it would be
    /// another log, such as one that was restored from a backup.
    ///
    /// - Throws: `ReplicaDiffers`.
    private func checkLater(_ head: LogHead, than known: LogHead?) throws {
        guard let known else { return }
        guard head.epoch >= known.epoch, head.index >= known.index, head.time >= known.time else {
            throw ReplicaDiffers(index: head.index)
        }
    }

    /// Applies an entry that is in the log.
    mutating func apply(_ entry: LogEntry) throws {
        // Also of an entry that somebody saw before the head with the level.
        guard entry.index != replica.index + 1 || entry.level ?? 1 <= newestLevel else {
            throw LevelIsNewer(newestLevel: newestLevel)
        }
        guard try replica.apply(entry) else { return }
        if entry.kind == .takeOver { takeOvers += 1 }
        try dueSnapshot.count(entry, of: replica)
    }

    private mutating func applyUnapplied() throws {
        if let entry = unapplied.take() { try apply(entry) }
    }

    private mutating func keepSnapshot(at moment: FleetMoment, _ effects: inout [FleetEffect]) {
        let delay = role == .owner ? timing.ownerSnapshotDelay : rank * timing.snapshotDelay
        guard let snapshot = dueSnapshot.offer(at: moment.boot, delay: delay) else { return }
        ask(.keep(snapshot), at: moment, &effects)
    }

    private mutating func received(
        _ head: LogHead?, asked: Int64, at moment: FleetMoment, _ effects: inout [FleetEffect]
    ) throws {
        guard let head else { return end(.logIsMissing, &effects) }
        guard head.level <= newestLevel else { throw LevelIsNewer(newestLevel: newestLevel) }
        switch role {
        case .standby:
            headRead = asked
            try follow(head, at: moment)
            try checkGap(headAsked: asked)
        case .owner:
            // An older epoch: the read was on its way when the tenure began.
            if head.epoch > replica.epoch {
                end(.overtaken, &effects)
            } else if head.epoch == replica.epoch {
                confirmation?.noteHead(asked: asked)
            }
        case .ended: break
        }
    }

    private mutating func claimed(_ isOwn: Bool, asked: Int64) {
        claim.receive(isOwn: isOwn, asked: asked)
        if isOwn { confirmation?.noteClaim(asked: asked) }
    }

    /// Handles the outcome of a request that writes the head. Until it is known, the same request is repeated.
    private mutating func finish(
        _ write: HeadWrite, _ outcome: WriteOutcome, asked: Int64, at moment: FleetMoment,
        _ effects: inout [FleetEffect]
    ) throws {
        guard write == pending else { return }
        switch outcome {
        case .unknown:
            ask(.write(write), at: moment, &effects)
        case .overtaken(let head):
            pending = nil
            try checkLater(head, than: write.old)
            if role == .owner { return end(.overtaken, &effects) }
            try follow(head, at: moment)
        case .committed:
            pending = nil
            head = write.new
            // What is due until the tenure begins is the broker's to tell.
            if write.purpose == .takeOver, timers == .ofBroker { beginning = try replica.snapshot() }
            try applyUnapplied()
            if write.purpose == .append, timers == .ofBroker {
                unapplied = write.entry
            } else if let entry = write.entry {
                try apply(entry)
            }
            switch write.purpose {
            case .takeOver: beginTenure(asked: asked, at: moment)
            case .append: effects.append(.committed(index: write.new.index))
            case .advance, .raise: break
            case .handOver: return end(.handedOver, &effects)
            }
            confirmation?.noteHead(asked: asked)
        }
    }
}

/// The error that a log has a level which this program does not know.
struct LevelIsNewer: Error, CustomStringConvertible {
    /// The greatest level that it knows.
    var newestLevel: UInt32

    var description: String {
        "the shared log has a level above \(newestLevel), the greatest that this version knows; install a newer version on "
            + "this node"
    }
}

/// The error that a record of the log is damaged, or missing.
struct LogIsUnreadable: Error, CustomStringConvertible {
    /// The index of the entry that is missing; `nil` for a damaged record.
    var missing: UInt64?

    var description: String {
        let reason = missing.map { "entry \($0) is missing, and no snapshot is later" } ?? "a record of it is damaged"
        return "the shared log cannot be read: \(reason)"
    }
}

/// The part that handles the timers of a log during a tenure.
public enum TenureTimers: Hashable, Sendable {
    /// The node, as its clock goes on.
    case ofNode
    /// A broker beside the node. It begins with the state of `FleetNode.beginning`, names the time of each batch, and asks
    /// for a later horizon itself.
    case ofBroker
}
