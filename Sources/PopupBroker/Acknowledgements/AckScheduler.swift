import PopupProtocol
import PopupScheduling
import PopupState

/// The producers that were active lately, their pending acknowledgements, and their temporary refusals.
///
/// An acknowledgement is pending after each batch that settled or refused a command of the producer. It is repeated
/// every second while the producer was active within the last ten seconds. The index of a producer determines its slot
/// within the second, so that the load is spread. This state does not outlive the process.
struct AckScheduler {
    /// A temporary refusal: it settles no sequence. The sequence may be sent again, or another command has settled it.
    struct PassingRefusal {
        var sequence: UInt64
        var reason: WireRefused.Reason
        /// The time in ms after which the command may be sent again; 0 if it should not be.
        var retryAfter: UInt32
        var detail: String
        var notedAt: Milliseconds
    }

    /// A producer that was active lately.
    struct Caller {
        var producer: ProducerName
        var isInUse = true
        /// The last known index in the producer sessions; `nil` if it was in none.
        @Packed var session: ProducerSessions.Index? = nil
        var activeAt: Milliseconds
        var isPending = false
        var passing: [PassingRefusal] = []
        /// Its part of the last batch with a command of it.
        var share = Share()
        /// Its part of the batch before that.
        var earlier = Share()
    }

    /// A command of a producer for which there was no space.
    struct Rejected {
        var sender: CommandSender
        var refusal: ActiveProducers.Refusal
    }

    typealias Index = TableIndex<Caller>

    /// The part of a batch that belongs to one producer.
    struct Share {
        /// The number of the batch.
        var batch: UInt64 = 0
        var highest: UInt64 = 0
        /// The number of sequence ranges that its commands may open.
        var opened = 0
        /// Whether the producer sessions reserve space for it.
        var isReserved = false
    }

    /// The interval in ms at which an acknowledgement is repeated.
    static let interval: Milliseconds = 1000
    /// The time in ms since a producer's last activity for which acknowledgements are repeated, and since a temporary
    /// refusal for which it is reported.
    static let activity: Milliseconds = 10_000
    /// The time in ms after which a command refused with `OVERLOAD` may be sent again, if nothing more precise is
    /// known.
    static let retryAfter: UInt32 = 1000
    /// The maximum number of temporary refusals per producer. The oldest ones are removed first: no sequence is settled
    /// by them, and a command that is neither acknowledged nor refused is sent again.
    static let maxPassing = 256
    /// The maximum number of temporary refusals of all producers, besides one of each. A producer keeps at most a
    /// multiple of what is free of it.
    static let maxPassingTogether = 65_536
    /// The maximum number of acknowledgements per turn.
    static let acksPerTurn = 512

    private let maxPassingTogether: Int
    private var producers: ActiveProducers
    /// The number of temporary refusals of all producers.
    private(set) var passingCount = 0
    private(set) var table: [Caller] = []
    private var free: [Index] = []
    private var indicesByName = SpreadTable<ProducerName, Index>()
    private var last: Index?
    private var pending: [Index] = []
    private var served = 0
    // Commands of producers for which there was no space. Each is reported once.
    private var rejected: [Rejected] = []
    private var refresh: Refresh

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of producers that are active within `silence`.
    ///   - silence: The time in ms after which a silent producer may be forgotten for another one.
    ///   - maxPassingTogether: The maximum number of temporary refusals of all producers, besides one of each.
    init(
        capacity: Int, silence: Milliseconds, maxPassingTogether: Int = Self.maxPassingTogether, at now: Milliseconds
    ) {
        self.maxPassingTogether = maxPassingTogether
        producers = ActiveProducers(capacity: capacity, silence: silence)
        table.reserveCapacity(min(capacity, ProducerSessions.reservedProducers))
        refresh = Refresh(interval: Self.interval, at: now)
    }

    subscript(caller: Index) -> Caller {
        _read { yield table[caller.number] }
        _modify { yield &table[caller.number] }
    }

    /// Records activity of a producer, whose acknowledgement is pending then. Returns its index; `nil` if it was not
    /// active lately.
    @inline(__always)
    mutating func recordActivity(of producer: ProducerName, at now: Milliseconds) -> Index? {
        if let last, table[last.number].producer == producer {
            markActive(last, at: now)
            return last
        }
        return find(producer, at: now)
    }

    private mutating func find(_ producer: ProducerName, at now: Milliseconds) -> Index? {
        guard let caller = indicesByName[producer] else { return nil }
        last = caller
        markActive(caller, at: now)
        return caller
    }

    /// Adds a producer that was not active lately. Returns the reason if there is no place for it.
    mutating func add(
        _ producer: ProducerName, from sender: ActiveProducers.Sender?, at now: Milliseconds
    ) -> ActiveProducers.Refusal? {
        if let refusal = producers.begin(producer, from: sender, at: now) { return refusal }
        let caller = free.popLast() ?? Index(number: table.count)
        let record = Caller(producer: producer, activeAt: now)
        if caller.number == table.count { table.append(record) } else { table[caller.number] = record }
        indicesByName[producer] = caller
        return nil
    }

    @inline(__always)
    private mutating func markActive(_ caller: Index, at now: Milliseconds) {
        self[caller].activeAt = now
        requestAck(of: caller)
    }

    /// Makes an acknowledgement pending.
    @inline(__always)
    mutating func requestAck(of caller: Index) {
        guard !self[caller].isPending else { return }
        self[caller].isPending = true
        pending.append(caller)
    }

    /// Makes an acknowledgement pending if the producer was active lately. Returns whether it was.
    mutating func requestAck(of producer: ProducerName) -> Bool {
        guard let caller = indicesByName[producer] else { return false }
        requestAck(of: caller)
        return true
    }

    /// Begins the caller's part of a batch, if it has not begun.
    @inline(__always)
    mutating func begin(batch: UInt64, of caller: Index) {
        guard self[caller].share.batch != batch else { return }
        self[caller].earlier = self[caller].share
        self[caller].share = Share(batch: batch)
    }

    /// Adds a temporary refusal. It replaces an earlier one of the same sequence.
    mutating func add(_ refusal: PassingRefusal, of caller: Index) {
        var passing = self[caller].passing
        self[caller].passing = []
        passingCount -= passing.count
        passing.removeAll { $0.sequence == refusal.sequence }
        let share = (maxPassingTogether - passingCount - passing.count) * Limits.shareOfFree
        let kept = min(Self.maxPassing, max(1, share)) - 1
        if passing.count > kept { passing.removeFirst(passing.count - kept) }
        passing.append(refusal)
        set(passing, of: caller)
    }

    /// Removes temporary refusals.
    mutating func removePassing(of caller: Index, where isOver: (PassingRefusal) -> Bool) {
        var passing = self[caller].passing
        self[caller].passing = []
        passingCount -= passing.count
        passing.removeAll(where: isOver)
        set(passing, of: caller)
    }

    private mutating func set(_ passing: [PassingRefusal], of caller: Index) {
        passingCount += passing.count
        self[caller].passing = passing
    }

    /// Records a command of a producer for which there is no space. If there are very many, some are not recorded.
    mutating func reject(_ sender: CommandSender, for refusal: ActiveProducers.Refusal) {
        if rejected.count < Self.acksPerTurn { rejected.append(Rejected(sender: sender, refusal: refusal)) }
    }

    /// Removes and returns a command whose producer had no space.
    mutating func takeRejected() -> Rejected? { rejected.popLast() }

    // MARK: - Pending acknowledgements

    /// Whether any acknowledgement is pending.
    var hasPending: Bool { served < pending.count || !rejected.isEmpty }

    /// Removes the next pending acknowledgement. Returns its producer.
    mutating func takePending() -> Index? {
        guard served < pending.count else { return nil }
        let caller = pending[served]
        served += 1
        if served == pending.count {
            pending.removeAll(keepingCapacity: true)
            served = 0
        }
        self[caller].isPending = false
        return caller
    }

    /// Removes all pending acknowledgements, since they have no receivers.
    mutating func forgetPending() {
        if !rejected.isEmpty { rejected.removeAll() }
        while takePending() != nil {}
    }

    /// The time at which the next repetition may be due; `nil` if no producer was active lately.
    var nextDue: Milliseconds? {
        indicesByName.isEmpty ? nil : refresh.nextDue(capacity: table.count)
    }

    /// Makes the repetitions pending whose slot has come, and removes inactive producers.
    ///
    /// - Parameter batch: The number of the oldest batch that has not completed. Producers with a part in it are not
    ///   removed.
    mutating func repeatDue(at now: Milliseconds, uncompleted batch: UInt64) {
        guard refresh.isBehind(at: now) else { return }
        var due: [Index] = []
        while let number = refresh.takeDue(at: now, capacity: table.count) { due.append(Index(number: number)) }
        for caller in due {
            guard self[caller].isInUse else { continue }
            if now - self[caller].activeAt <= Self.activity {
                requestAck(of: caller)
            } else if !self[caller].isPending, self[caller].share.batch < batch {
                forget(caller)
            }
        }
    }

    private mutating func forget(_ caller: Index) {
        indicesByName[self[caller].producer] = nil
        producers.end(self[caller].producer, at: self[caller].activeAt)
        self[caller].isInUse = false
        removePassing(of: caller) { _ in true }
        free.append(caller)
        if last == caller { last = nil }
    }
}
