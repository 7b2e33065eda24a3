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
        /// Where the producer sessions had it last; -1: nowhere.
        var place: Int32 = -1
        var heardAt: Milliseconds
        var isOwed = false
        var passing: [PassingRefusal] = []
        /// What it has of the latest batch that it has anything of.
        var share = Share()
        /// The same of the batch before that.
        var earlier = Share()
    }

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
    private var free: [Int32] = []
    private var placesByName: [ProducerName: Int32] = [:]
    private var last: Int32 = -1
    private var owed: [Int32] = []
    private var served = 0
    // Commands of producers for which there was no place: they are told so once.
    private var turnedAway: [CommandSender] = []
    private var refresh: Refresh

    init(capacity: Int, at now: Milliseconds) {
        self.capacity = capacity
        refresh = Refresh(interval: Self.interval, at: now)
    }

    subscript(caller: Int32) -> Caller {
        _read { yield table[Int(caller)] }
        _modify { yield &table[Int(caller)] }
    }

    /// Notes that something came of a producer: it is owed an acknowledgement. Returns its place; `nil` when the table
    /// is full.
    @inline(__always)
    mutating func hear(_ producer: ProducerName, at now: Milliseconds) -> Int32? {
        if last >= 0, table[Int(last)].producer == producer {
            note(last, at: now)
            return last
        }
        return find(producer, at: now)
    }

    private mutating func find(_ producer: ProducerName, at now: Milliseconds) -> Int32? {
        if let caller = placesByName[producer] {
            last = caller
        } else {
            guard placesByName.count < capacity else { return nil }
            let caller = Caller(producer: producer, heardAt: now)
            if let reused = free.popLast() {
                last = reused
                table[Int(reused)] = caller
            } else {
                last = Int32(table.count)
                table.append(caller)
            }
            placesByName[producer] = last
        }
        note(last, at: now)
        return last
    }

    @inline(__always)
    private mutating func note(_ caller: Int32, at now: Milliseconds) {
        self[caller].heardAt = now
        owe(caller)
    }

    /// Owes an acknowledgement: something of the producer is settled, or refused.
    @inline(__always)
    mutating func owe(_ caller: Int32) {
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
    mutating func begin(batch: UInt64, of caller: Int32) {
        guard self[caller].share.batch != batch else { return }
        self[caller].earlier = self[caller].share
        self[caller].share = Share(batch: batch)
    }

    /// Notes a refusal that settles nothing, in the place of an earlier one of its sequence.
    mutating func note(_ refusal: PassingRefusal, of caller: Int32) {
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
    mutating func takeOwed() -> Int32? {
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
        var due: [Int32] = []
        while let place = refresh.takeDue(at: now, capacity: table.count) { due.append(place.rawValue) }
        for caller in due {
            guard self[caller].isInUse else { continue }
            if now - self[caller].heardAt <= Self.activity {
                owe(caller)
            } else if !self[caller].isOwed, self[caller].share.batch < batch {
                forget(caller)
            }
        }
    }

    private mutating func forget(_ caller: Int32) {
        placesByName[self[caller].producer] = nil
        self[caller].isInUse = false
        self[caller].passing = []
        free.append(caller)
        if last == caller { last = -1 }
    }
}
