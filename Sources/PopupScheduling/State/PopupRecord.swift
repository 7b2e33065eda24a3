/// A live popup as the scheduler keeps it: 128 bytes, two lines of the processor's cache.
///
///     show ──▶ arriving ──▶ waiting ◀────────┐ (asked for later, preempted)
///      │          ▲  │         │ ▲           │
///      ▼          │  └──────┐  ▼ │       ┌─ offered
///     delayed ────┘         active ◀─────┘   ▲
///                            ▲ │ (its renderers are gone, or nobody displayed it: waiting again)
///                            │ ▼
///                           paused
///
/// From each of them it closes: then only its id is remembered. One that has to be offered is so before it is active.
struct PopupRecord: MarkedRecord {
    typealias Index = TableIndex<PopupRecord>

    /// Where it is in its life, with what that alone needs.
    enum Stage: BitwiseCopyable {
        /// Being judged: in no queue, holding no slot.
        case arriving
        /// With no timer it waits for the end of its flow's gathering.
        case delayed(arrival: TimerQueue.Index?)
        case waiting
        case offered(timer: TimerQueue.Index?)
        case active(since: Milliseconds, timer: TimerQueue.Index?)
        case paused
    }

    /// The stage without what it needs.
    enum StageKind: UInt8, BitwiseCopyable {
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
    /// Producer (16 bytes or none), collapse key, surface and content, one after the other.
    var body: ByteReference
    var idHash: UInt32
    var keyCount: UInt16
    var surfaceCount: UInt16

    var group: GroupRecord.Index
    var priority: Int32
    var duration: UInt32
    private var attempts: UInt16 = 0
    private var payer: ShortAccount
    /// Counts acceptances of all groups: earlier ones are lower.
    var acceptance: UInt64
    /// Orders equals in the queue: a waiting one's turn, or below 0 and falling for each pause.
    var rank: Int64
    /// When it arrived, or was paused: from then on it ages. See `ageFromPause`.
    var agesSince: Milliseconds = 0
    /// In ms: how long it was active in all, the present activation left out.
    var displayed: Milliseconds = 0
    var sinceRevision: UInt64 = 0

    // What its stage needs: active, since when and since when its clock runs; in the queue, the neighbours. See
    // `stage`.
    private var clock: Milliseconds = 0
    private var since: Milliseconds = 0
    /// Its timer; in the queue, its level.
    private var place = UInt32.max
    private var usedTime: UInt32 = 0

    /// Until it is first shown: closes it when it falls due.
    @Packed var expiry: TimerQueue.Index?
    /// What only some popups have: see `RelationFields`.
    @Packed var relations: RelationFields.Index?
    /// What few popups ever get: see `RareFields`.
    @Packed var rareFields: RareFields.Index?
    /// Its neighbours in the group's acceptance order: all live popups in order of acceptance.
    fileprivate var accepted = Neighbours<PopupRecord>()

    private var kind = StageKind.arriving
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

// MARK: - What its stage needs

extension PopupRecord {
    var stage: Stage {
        @inline(__always) get {
            switch kind {
            case .arriving: .arriving
            case .delayed: .delayed(arrival: timer)
            case .waiting: .waiting
            case .offered: .offered(timer: timer)
            case .active: .active(since: since, timer: timer)
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
                since = start
                self.timer = timer
            case .paused:
                kind = .paused
                unlink()
            }
        }
    }

    /// Since when its display time runs; `stopped` when it doesn't, as when it isn't active.
    var clockSince: Milliseconds {
        @inline(__always) get { kind == .active ? clock : Self.stopped }
        @inline(__always) set {
            assert(kind == .active, "the clock of a popup that isn't active")
            clock = newValue
        }
    }

    static var stopped: Milliseconds { .min }

    /// In ms: how much of its display time was used up to `clockSince`. No display time is longer than 2^32 - 1, so
    /// that no more need be counted.
    var used: Milliseconds {
        @inline(__always) get { Milliseconds(usedTime) }
        @inline(__always) set { usedTime = UInt32(clamping: newValue) }
    }

    /// Display time used at `now`.
    @inline(__always)
    func used(at now: Milliseconds) -> Milliseconds {
        clockSince == Self.stopped ? used : used + now - clockSince
    }

    @inline(__always)
    private var timer: TimerQueue.Index? {
        get { Packed<TimerQueue.Index>(bits: place).wrappedValue }
        set { place = Packed(wrappedValue: newValue).bits }
    }

    /// The level that it stands on; `nil` when it isn't in the queue.
    var level: PriorityLevel.Index? {
        @inline(__always) get { isInQueue ? Packed(bits: place).wrappedValue : nil }
        @inline(__always) set {
            assert(isInQueue, "a level for a popup that isn't in the queue")
            place = Packed(wrappedValue: newValue).bits
        }
    }

    /// Its neighbours on its level; of no meaning when it isn't in the queue.
    fileprivate var queued: Neighbours<PopupRecord> {
        @inline(__always) get { unsafeBitCast(since, to: Neighbours<PopupRecord>.self) }
        @inline(__always) set { since = unsafeBitCast(newValue, to: Milliseconds.self) }
    }

    @inline(__always)
    private var isInQueue: Bool { kind == .waiting || kind == .paused }

    @inline(__always)
    private mutating func unlink() {
        place = .max
        since = -1
    }
}

// Inlined: a call would be lent a copy of the whole record.
extension PopupRecord {
    /// Whether it is on screen.
    @inline(__always)
    var isActive: Bool { kind == .active }
    @inline(__always)
    var isOffered: Bool { kind == .offered }
    @inline(__always)
    var isPaused: Bool { kind == .paused }
    /// Whether it is accepted and has not got its place yet.
    @inline(__always)
    var isArriving: Bool { kind == .arriving }
    @inline(__always)
    var isDelayed: Bool { kind == .delayed }
    @inline(__always)
    var isWaiting: Bool { kind == .waiting }

    /// Whether it is active or offered.
    @inline(__always)
    var holdsSlot: Bool { kind == .active || kind == .offered }

    /// Whether it counts as waiting: accepted, not shown yet.
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

    /// Whether the key table names it: it has a key and has arrived.
    var holdsKey: Bool {
        @inline(__always) get { flags.contains(.holdsKey) }
        @inline(__always) set { flags.set(.holdsKey, newValue) }
    }

    /// How often it was shown: `Limits.mostAttempts` bounds it.
    var attempt: UInt32 {
        @inline(__always) get { UInt32(attempts) }
        @inline(__always) set { attempts = UInt16(clamping: newValue) }
    }

    /// The account that pays for it.
    @inline(__always)
    var account: AccountRecord.Index { payer.account }

    /// The bytes of its body before the collapse key.
    @inline(__always)
    var producerCount: Int { flags.contains(.hasProducer) ? MemoryLayout<ProducerID>.size : 0 }
}

// MARK: - The lists in which it is

/// All live popups of a group in order of acceptance.
enum Acceptances: ListLinks {
    @inline(__always)
    static func neighbours(of popup: UnsafePointer<PopupRecord>) -> Neighbours<PopupRecord> { popup.pointee.accepted }

    @inline(__always)
    static func setNeighbours(of popup: UnsafeMutablePointer<PopupRecord>, to neighbours: Neighbours<PopupRecord>) {
        popup.pointee.accepted = neighbours
    }
}

/// The popups of one level of a queue.
enum Equals: ListLinks {
    @inline(__always)
    static func neighbours(of popup: UnsafePointer<PopupRecord>) -> Neighbours<PopupRecord> { popup.pointee.queued }

    @inline(__always)
    static func setNeighbours(of popup: UnsafeMutablePointer<PopupRecord>, to neighbours: Neighbours<PopupRecord>) {
        popup.pointee.queued = neighbours
    }
}
