/// A live popup: 128 bytes, two cache lines.
///
///     show ──▶ arriving ──▶ waiting ◀────────┐ (answered "later", or interrupted)
///      │          ▲  │         │ ▲           │
///      ▼          │  └──────┐  ▼ │       ┌─ offered
///     delayed ────┘         active ◀─────┘   ▲
///                            ▲ │ (renderers lost, or not displayed: waiting again)
///                            │ ▼
///                           paused
///
/// A popup can close in any phase. Then only its id is remembered. A popup with an offer time is offered before it is
/// active.
struct PopupRecord: MarkedRecord {
    typealias Index = TableIndex<PopupRecord>

    /// A phase of a popup, with the data that only this phase needs.
    enum Phase: BitwiseCopyable {
        /// It is in no queue and does not have the slot.
        case arriving
        /// Without a timer the popup waits for the end of its flow's gathering.
        case delayed(arrival: TimerQueue.Index?)
        case waiting
        case offered(timer: TimerQueue.Index?)
        case active(since: Milliseconds, timer: TimerQueue.Index?)
        case paused
    }

    /// A phase without its data.
    enum PhaseKind: UInt8, BitwiseCopyable {
        case arriving
        case delayed
        case waiting
        case offered
        case active
        case paused
    }

    struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt8
        static let interruptible = Flags(rawValue: 1)
        static let holdsKey = Flags(rawValue: 2)
        static let hasProducer = Flags(rawValue: 4)
        static let isInUse = Flags(rawValue: 8)
    }

    var id: ByteReference
    /// The producer (16 bytes or none), collapse key, surface and content, in one text.
    var body: ByteReference
    var idHash: UInt32
    var keyCount: UInt16
    var surfaceCount: UInt16

    var group: GroupRecord.Index
    var priority: Int32
    var duration: UInt32
    private var attempts: UInt16 = 0
    private var payer: ShortAccount
    /// The number of its acceptance among the acceptances of all groups.
    var acceptance: UInt64
    /// The order within one priority of the queue: the number of its turn if it waits; negative and decreasing with
    /// each pause if it is paused.
    var rank: Int64
    /// The time from which its priority rises: when it arrived, or when it was paused. See `ageFromPause`.
    var agesSince: Milliseconds = 0
    /// The time in ms for which it was active before the current activation.
    var displayed: Milliseconds = 0
    var sinceRevision: UInt64 = 0

    // The data of its phase: if it is active, the times at which it became active and at which its clock started; if it
    // is in the queue, or delayed, its neighbours there. See `phase`.
    private var clock: Milliseconds = 0
    private var sinceOrNeighbours = TimeOrNeighbours()
    private var timerOrPlace = TimerOrPlace()
    private var usedTime: UInt32 = 0

    /// The timer that expires it if it is not shown in time.
    @Packed var expiry: TimerQueue.Index?
    /// The fields that only some popups have: see `RelationFields`.
    @Packed var relations: RelationFields.Index?
    /// The fields that few popups have: see `RareFields`.
    @Packed var rareFields: RareFields.Index?
    /// Its neighbours in the acceptance order of its group.
    fileprivate var accepted = Neighbours<PopupRecord>()

    private var kind = PhaseKind.arriving
    var exclusive: PopupRequest.Exclusivity
    var flags: Flags

    init(
        id: ByteReference, idHash: UInt32, body: ByteReference, keyCount: Int, surfaceCount: Int, hasProducer: Bool,
        account: AccountRecord.Index, group: GroupRecord.Index, priority: Int32, duration: UInt32, interruptible: Bool,
        exclusive: PopupRequest.Exclusivity, acceptance: UInt64
    ) {
        self.id = id
        self.idHash = idHash
        self.body = body
        self.keyCount = UInt16(keyCount)
        self.surfaceCount = UInt16(surfaceCount)
        payer = ShortAccount(account)
        self.group = group
        self.priority = priority
        self.duration = duration
        self.acceptance = acceptance
        self.exclusive = exclusive
        rank = Int64(acceptance)
        flags = .isInUse
        flags.set(.interruptible, interruptible)
        flags.set(.hasProducer, hasProducer)
    }
}

// MARK: - The data of its phase

extension PopupRecord {
    var phase: Phase {
        @inline(__always) get {
            switch kind {
            case .arriving: .arriving
            case .delayed: .delayed(arrival: timer)
            case .waiting: .waiting
            case .offered: .offered(timer: timer)
            case .active: .active(since: sinceOrNeighbours.time, timer: timer)
            case .paused: .paused
            }
        }
        @inline(__always) set {
            switch newValue {
            case .arriving:
                kind = .arriving
            case .delayed(let arrival):
                kind = .delayed
                timer = arrival
            case .waiting:
                kind = .waiting
                unlink()
            case .offered(let timer):
                kind = .offered
                self.timer = timer
            case .active(let start, let timer):
                if kind != .active { clock = Self.stopped }
                kind = .active
                sinceOrNeighbours.time = start
                self.timer = timer
            case .paused:
                kind = .paused
                unlink()
            }
        }
    }

    /// The time at which its display time started to elapse; `stopped` if it does not elapse.
    var clockSince: Milliseconds {
        @inline(__always) get { kind == .active ? clock : Self.stopped }
        @inline(__always) set {
            assert(kind == .active, "the clock of a popup that isn't active")
            clock = newValue
        }
    }

    static var stopped: Milliseconds { .min }

    /// The display time in ms that was used before `clockSince`. A display time is at most 2^32 - 1 ms, so a longer
    /// time need not be counted.
    var used: Milliseconds {
        @inline(__always) get { Milliseconds(usedTime) }
        @inline(__always) set { usedTime = UInt32(clamping: newValue) }
    }

    /// Returns the display time used at `now`.
    @inline(__always)
    func used(at now: Milliseconds) -> Milliseconds {
        clockSince == Self.stopped ? used : used + now - clockSince
    }

    @inline(__always)
    private var timer: TimerQueue.Index? {
        get { timerOrPlace.timer }
        set { timerOrPlace.timer = newValue }
    }

    /// The timer of its display time, if it is active and its display time elapses.
    @inline(__always)
    var displayTimer: TimerQueue.Index? { kind == .active ? timer : nil }

    /// Makes it active, with a display time that elapses from now on.
    @inline(__always)
    mutating func start(at now: Milliseconds, _ displayTimer: TimerQueue.Index?) {
        kind = .active
        sinceOrNeighbours.time = now
        clock = now
        timer = displayTimer
    }

    /// Returns the time in ms for which it was active until now. It must be active.
    @inline(__always)
    func displayed(at now: Milliseconds) -> Milliseconds {
        assert(kind == .active, "the time of a popup that isn't active")
        return displayed + now - sinceOrNeighbours.time
    }

    /// Whether it has a place in the queue.
    @inline(__always)
    var hasPlace: Bool { isInQueue && timerOrPlace.hasPlace }

    /// Its place in the tree of the queue; `nil` if it has none, or is on a level.
    var candidate: Candidate.Index? {
        get { isInQueue ? timerOrPlace.candidate : nil }
        set {
            assert(isInQueue, "a place for a popup that isn't in the queue")
            timerOrPlace.candidate = newValue
        }
    }

    /// Its level in the queue; `nil` if it has none, or is in the tree.
    var level: PriorityLevel.Index? {
        @inline(__always) get { isInQueue ? timerOrPlace.level : nil }
        @inline(__always) set {
            assert(isInQueue, "a level for a popup that isn't in the queue")
            timerOrPlace.level = newValue
        }
    }

    /// Its neighbours on its level; unspecified if it is not in the queue.
    fileprivate var queued: Neighbours<PopupRecord> {
        @inline(__always) get { sinceOrNeighbours.neighbours }
        @inline(__always) set { sinceOrNeighbours.neighbours = newValue }
    }

    /// Its neighbours in the ring of the delayed popups with its collapse key; unspecified if it is not delayed or has
    /// no key. See `DelayedKeys`.
    var ring: Neighbours<PopupRecord> {
        @inline(__always) get { sinceOrNeighbours.neighbours }
        @inline(__always) set {
            assert(kind == .delayed, "a ring for a popup that isn't delayed")
            sinceOrNeighbours.neighbours = newValue
        }
    }

    @inline(__always)
    private var isInQueue: Bool { kind == .waiting || kind == .paused }

    @inline(__always)
    private mutating func unlink() {
        timerOrPlace = TimerOrPlace()
        sinceOrNeighbours.neighbours = Neighbours()
    }
}

// These are inlined: a call would pass a copy of the whole record.
extension PopupRecord {
    /// Whether it is shown.
    @inline(__always)
    var isActive: Bool { kind == .active }
    @inline(__always)
    var isOffered: Bool { kind == .offered }
    @inline(__always)
    var isPaused: Bool { kind == .paused }
    /// Whether it is accepted and has no place yet.
    @inline(__always)
    var isArriving: Bool { kind == .arriving }
    @inline(__always)
    var isDelayed: Bool { kind == .delayed }
    @inline(__always)
    var isWaiting: Bool { kind == .waiting }

    /// Whether it has the slot: it is active or offered.
    @inline(__always)
    var holdsSlot: Bool { kind == .active || kind == .offered }

    /// Whether it counts as waiting: it is accepted and was not shown yet.
    @inline(__always)
    var countsAsWaiting: Bool { isWaiting || isDelayed }

    var interruptible: Bool {
        @inline(__always) get { flags.contains(.interruptible) }
        @inline(__always) set { flags.set(.interruptible, newValue) }
    }

    var isInUse: Bool {
        @inline(__always) get { flags.contains(.isInUse) }
        @inline(__always) set { flags.set(.isInUse, newValue) }
    }

    /// Whether the table of keys contains it: it has a key and has arrived.
    var holdsKey: Bool {
        @inline(__always) get { flags.contains(.holdsKey) }
        @inline(__always) set { flags.set(.holdsKey, newValue) }
    }

    /// The number of times that it was shown, at most `Limits.maxAttempts`.
    var attempt: UInt32 {
        @inline(__always) get { UInt32(attempts) }
        @inline(__always) set { attempts = UInt16(clamping: newValue) }
    }

    /// The account that holds it.
    @inline(__always)
    var account: AccountRecord.Index { payer.account }

    /// The number of bytes of its body before the collapse key.
    @inline(__always)
    var producerCount: Int { flags.contains(.hasProducer) ? MemoryLayout<ProducerID>.size : 0 }
}

// MARK: - Lists of popups

/// The links of a group's acceptance order.
enum Acceptances: ListLinks {
    @inline(__always)
    static func neighbours(of popup: UnsafePointer<PopupRecord>) -> Neighbours<PopupRecord> { popup.pointee.accepted }

    @inline(__always)
    static func setNeighbours(of popup: UnsafeMutablePointer<PopupRecord>, to neighbours: Neighbours<PopupRecord>) {
        popup.pointee.accepted = neighbours
    }
}

/// The links of the popups of one level of a queue.
enum LevelMembers: ListLinks {
    @inline(__always)
    static func neighbours(of popup: UnsafePointer<PopupRecord>) -> Neighbours<PopupRecord> { popup.pointee.queued }

    @inline(__always)
    static func setNeighbours(of popup: UnsafeMutablePointer<PopupRecord>, to neighbours: Neighbours<PopupRecord>) {
        popup.pointee.queued = neighbours
    }
}
