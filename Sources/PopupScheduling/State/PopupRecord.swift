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
struct PopupRecord: BitwiseCopyable {
    /// Where it is in its life, with what that alone needs.
    enum Stage: BitwiseCopyable {
        /// Being judged: in no queue, holding no slot.
        case arriving
        /// With no timer it waits for the end of its flow's gathering.
        case delayed(arrival: Int32)
        case waiting
        case offered(timer: Int32)
        case active(since: Milliseconds, timer: Int32)
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
    }

    var id: ByteReference
    /// Producer (16 bytes or none), collapse key, surface and content, one after the other.
    var body: ByteReference
    var idHash: UInt32
    var keyCount: UInt16
    var surfaceCount: UInt16

    var group: Int32
    var priority: Int32
    var duration: UInt32
    private var attempts: UInt16 = 0
    private var accountPlace: UInt16
    /// Counts acceptances of all groups: earlier ones are lower.
    var acceptance: UInt64
    /// Orders equals in the queue: a waiting one's turn, or below 0 and falling for each pause.
    var rank: Int64
    /// When it arrived: from then on it ages.
    var arrivedAt: Milliseconds = 0
    /// In ms: how long it was active in all, the present activation left out.
    var displayed: Milliseconds = 0
    var sinceRevision: UInt64 = 0

    // What its stage needs: active, since when and since when its clock runs; in the queue, the neighbours. See
    // `stage`.
    private var clock: Milliseconds = 0
    private var since: Milliseconds = 0
    /// Its timer; in the queue, its level.
    private var place = nobody
    private var usedTime: UInt32 = 0

    /// Until it is first shown: closes it when it falls due.
    var expiry = nobody
    /// What only some popups have: see `RelationFields`.
    var relations = nobody
    /// What few popups ever get: see `RareFields`.
    var rareFields = nobody
    /// Its neighbours in the group's acceptance order: all live popups in order of acceptance.
    var older = nobody
    var younger = nobody

    private var kind = StageKind.arriving
    var exclusive: PopupRequest.Exclusivity
    var flags: Flags

    init(
        id: ByteReference, idHash: UInt32, body: ByteReference, keyCount: Int, surfaceCount: Int, hasProducer: Bool,
        account: Int32, group: Int32, priority: Int32, duration: UInt32, interruptible: Bool,
        exclusive: PopupRequest.Exclusivity, acceptance: UInt64
    ) {
        self.id = id
        self.idHash = idHash
        self.body = body
        self.keyCount = UInt16(keyCount)
        self.surfaceCount = UInt16(surfaceCount)
        accountPlace = UInt16(account)
        self.group = group
        self.priority = priority
        self.duration = duration
        self.acceptance = acceptance
        self.exclusive = exclusive
        rank = Int64(acceptance)
        flags = []
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
            case .delayed: .delayed(arrival: place)
            case .waiting: .waiting
            case .offered: .offered(timer: place)
            case .active: .active(since: since, timer: place)
            case .paused: .paused
            }
        }
        @inline(__always) set {
            switch newValue {
            case .arriving:
                kind = .arriving
            case .delayed(let timer):
                kind = .delayed
                place = timer
            case .waiting:
                kind = .waiting
                unlink()
            case .offered(let timer):
                kind = .offered
                place = timer
            case .active(let start, let timer):
                if kind != .active { clock = Self.stopped }
                kind = .active
                since = start
                place = timer
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

    /// The level that it stands on; `nobody` when it isn't in the queue.
    var level: Int32 {
        @inline(__always) get { isInQueue ? place : nobody }
        @inline(__always) set {
            assert(isInQueue, "a level for a popup that isn't in the queue")
            place = newValue
        }
    }

    /// Its neighbours in the queue; of no meaning when it isn't in it.
    var before: Int32 {
        @inline(__always) get { Int32(truncatingIfNeeded: since) }
        @inline(__always) set { since = since & ~0xFFFF_FFFF | Milliseconds(UInt32(bitPattern: newValue)) }
    }

    var behind: Int32 {
        @inline(__always) get { Int32(truncatingIfNeeded: since >> 32) }
        @inline(__always) set { since = since & 0xFFFF_FFFF | Milliseconds(newValue) << 32 }
    }

    @inline(__always)
    private var isInQueue: Bool { kind == .waiting || kind == .paused }

    @inline(__always)
    private mutating func unlink() {
        place = nobody
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
    var account: Int32 { Int32(accountPlace) }

    /// The bytes of its body before the collapse key.
    @inline(__always)
    var producerCount: Int { flags.contains(.hasProducer) ? MemoryLayout<ProducerID>.size : 0 }
}
