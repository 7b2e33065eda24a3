import PopupProtocol
import PopupScheduling

/// Knows which producers were heard of lately, which of them an acknowledgement is owed, and what of it isn't settled.
///
/// A producer is owed one when something came of it in a batch, and again each second while it was heard of within the
/// last ten: in a slot of the second that follows from its place, so that the load is spread out. Nothing here outlives
/// the process.
struct AckScheduler {
    /// A refusal that settles nothing: the sequence may come again, or was settled by another command.
    struct PassingRefusal {
        var sequence: UInt64
        var reason: WireRefused.Reason
        /// In ms; 0 for what isn't to be tried again.
        var retryAfter: UInt32
        var detail: String
        var notedAt: Milliseconds
    }

    /// A producer that was heard of lately.
    struct Caller {
        var producer: ProducerName
        var isInUse = true
        /// Where the producer sessions had it last, if they had it.
        @Packed var place: ProducerSessions.Index? = nil
        var heardAt: Milliseconds
        var isOwed = false
        var passing: [PassingRefusal] = []
        /// What it has of the latest batch that it has anything of.
        var share = Share()
        /// The same of the batch before that.
        var earlier = Share()
    }

    typealias Index = TableIndex<Caller>

    /// What a producer has of a batch.
    struct Share {
        /// The batch's number.
        var batch: UInt64 = 0
        var highest: UInt64 = 0
        /// How many ranges its commands may open.
        var opened = 0
        /// Whether the producer sessions keep room for it.
        var isReserved = false
    }

    /// In ms: so often an acknowledgement is repeated.
    static let interval: Milliseconds = 1000
    /// In ms: so long after it was heard of last a producer is given acknowledgements, and so long passing refusals are
    /// told.
    static let activity: Milliseconds = 10_000
    /// In ms: so long a producer is asked to wait before it sends again what was refused `OVERLOAD`, unless more is
    /// known.
    static let retryAfter: UInt32 = 1000
    /// Passing refusals kept for a producer at most; the oldest go first.
    static let mostPassing = 256
    /// Acknowledgements given in one turn at most.
    static let acksPerTurn = 512

    /// Callers at most.
    private let capacity: Int
    private var table: [Caller] = []
    private var free: [Index] = []
    private var placesByName: [ProducerName: Index] = [:]
    private var last: Index?
    private var owed: [Index] = []
    private var served = 0
    // Commands of producers for which there was no place: they are told so once.
    private var turnedAway: [CommandSender] = []
    private var refresh: Refresh

    init(capacity: Int, at now: Milliseconds) {
        self.capacity = capacity
        refresh = Refresh(interval: Self.interval, at: now)
    }

    subscript(caller: Index) -> Caller {
        _read { yield table[caller.number] }
        _modify { yield &table[caller.number] }
    }

    /// Notes that something came of a producer: it is owed an acknowledgement. Returns its place; `nil` when the table
    /// is full.
    @inline(__always)
    mutating func hear(_ producer: ProducerName, at now: Milliseconds) -> Index? {
        if let last, table[last.number].producer == producer {
            note(last, at: now)
            return last
        }
        return find(producer, at: now)
    }

    private mutating func find(_ producer: ProducerName, at now: Milliseconds) -> Index? {
        guard let caller = placesByName[producer] ?? add(producer, at: now) else { return nil }
        last = caller
        note(caller, at: now)
        return caller
    }

    /// Adds a producer, if there is room for one.
    private mutating func add(_ producer: ProducerName, at now: Milliseconds) -> Index? {
        guard placesByName.count < capacity else { return nil }
        let caller = free.popLast() ?? Index(number: table.count)
        let record = Caller(producer: producer, heardAt: now)
        if caller.number == table.count { table.append(record) } else { table[caller.number] = record }
        placesByName[producer] = caller
        return caller
    }

    @inline(__always)
    private mutating func note(_ caller: Index, at now: Milliseconds) {
        self[caller].heardAt = now
        owe(caller)
    }

    /// Owes an acknowledgement: something of the producer is settled, or refused.
    @inline(__always)
    mutating func owe(_ caller: Index) {
        guard !self[caller].isOwed else { return }
        self[caller].isOwed = true
        owed.append(caller)
    }

    /// Owes an acknowledgement to a producer that was heard of lately. Returns whether it was.
    mutating func owe(_ producer: ProducerName) -> Bool {
        guard let caller = placesByName[producer] else { return false }
        owe(caller)
        return true
    }

    /// Begins a batch for a caller, if it hasn't begun.
    @inline(__always)
    mutating func begin(batch: UInt64, of caller: Index) {
        guard self[caller].share.batch != batch else { return }
        self[caller].earlier = self[caller].share
        self[caller].share = Share(batch: batch)
    }

    /// Notes a refusal that settles nothing, in the place of an earlier one of its sequence.
    mutating func note(_ refusal: PassingRefusal, of caller: Index) {
        self[caller].passing.removeAll { $0.sequence == refusal.sequence }
        if self[caller].passing.count >= Self.mostPassing { self[caller].passing.removeFirst() }
        self[caller].passing.append(refusal)
    }

    /// Notes that there is no place for a producer. Of very many some are not told.
    mutating func turnAway(_ sender: CommandSender) {
        if turnedAway.count < Self.acksPerTurn { turnedAway.append(sender) }
    }

    /// A command whose producer is to be told that there is no place for it.
    mutating func takeTurnedAway() -> CommandSender? { turnedAway.popLast() }

    // MARK: - Giving

    /// Whether somebody is owed an acknowledgement.
    var isOwing: Bool { served < owed.count || !turnedAway.isEmpty }

    /// Who is to be given an acknowledgement next; it isn't owed any more.
    mutating func takeOwed() -> Index? {
        guard served < owed.count else { return nil }
        let caller = owed[served]
        served += 1
        if served == owed.count {
            owed.removeAll(keepingCapacity: true)
            served = 0
        }
        self[caller].isOwed = false
        return caller
    }

    /// Forgets what is owed: nobody would receive it.
    mutating func forgetOwed() {
        if !turnedAway.isEmpty { turnedAway.removeAll() }
        while takeOwed() != nil {}
    }

    /// When somebody may be owed a repetition; `nil` when nobody was heard of lately.
    var nextDue: Milliseconds? {
        placesByName.isEmpty ? nil : refresh.nextDue(capacity: table.count)
    }

    /// Owes their repetition to those whose slot has come, and forgets those that are silent.
    ///
    /// - Parameter batch: the number of the oldest one that hasn't completed: who has a share in it is not forgotten.
    mutating func repeatDue(at now: Milliseconds, pending batch: UInt64) {
        guard refresh.isBehind(at: now) else { return }
        var due: [Index] = []
        while let place = refresh.takeDue(at: now, capacity: table.count) { due.append(Index(number: place)) }
        for caller in due {
            guard self[caller].isInUse else { continue }
            if now - self[caller].heardAt <= Self.activity {
                owe(caller)
            } else if !self[caller].isOwed, self[caller].share.batch < batch {
                forget(caller)
            }
        }
    }

    private mutating func forget(_ caller: Index) {
        placesByName[self[caller].producer] = nil
        self[caller].isInUse = false
        self[caller].passing = []
        free.append(caller)
        if last == caller { last = nil }
    }
}
