/// A live popup as the scheduler keeps it.
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
        /// Being judged: in no line, holding no slot.
        case arriving
        /// With no timer it waits for the end of its flow's gathering.
        case delayed(arrival: Int32)
        case waiting
        case offered(timer: Int32)
        case active(since: Milliseconds, timer: Int32)
        case paused
    }

    /// What a popup tried while the active one was still protected by its minimum display time.
    enum Attempt: UInt8, BitwiseCopyable {
        case arrival
        case promotion
    }

    var id: ByteReference
    var idHash: UInt32
    /// Collapse key, surface and content, one after the other.
    var body: ByteReference
    var keyCount: UInt16
    var surfaceCount: UInt16
    var keyHash: UInt32
    var producer: ProducerID?

    var group: Int32
    var priority: Int32
    var duration: UInt32
    var minimumDisplay: UInt32
    var interruptible: Bool
    var exclusive: PopupRequest.Exclusivity
    /// Shown by being exclusive: the suspensions up to this number don't hold it back while it is active.
    var exemptUpTo: UInt64 = 0
    /// Whether the key table names it: it has a key and has arrived.
    var holdsKey = false

    var stage = Stage.arriving
    /// Counts acceptances of all groups: earlier ones are lower.
    var acceptance: UInt64
    /// Orders equals in the line: a waiting one's turn, or below 0 and falling for each pause.
    var rank: Int64
    /// The rank that it has whenever it waits: its acceptance, or a later number.
    var turn: Int64
    /// When it arrived: from then on it ages.
    var arrivedAt: Milliseconds = 0
    /// By how much its priority had risen when it last left the line.
    var age: Int64 = 0
    var attempt: UInt32 = 0
    /// Until it is first shown: closes it when it falls due.
    var expiry = nobody
    /// In ms: how much of its display time was used up to `clockSince`.
    var used: Milliseconds = 0
    /// Since when its display time runs; `stopped` when it doesn't.
    var clockSince = stopped
    static let stopped = Milliseconds.min
    /// In ms: how long it was active in all, the present activation left out.
    var displayed: Milliseconds = 0
    var sinceRevision: UInt64 = 0
    /// What only some popups have: see `Particulars`.
    var particulars = nobody

    /// The try that came too early, and the activation that it came too early for.
    var early: Attempt?
    var earlyFor: UInt64 = 0

    /// Its neighbours in the line, and the rung that it stands on.
    var rung = nobody
    var before = nobody
    var behind = nobody
    /// Its neighbours in the group's roster: all live popups in order of acceptance.
    var older = nobody
    var younger = nobody
}

extension PopupRecord {
    /// Whether it is on screen.
    var isActive: Bool { if case .active = stage { true } else { false } }
    /// Whether it is active or offered.
    var holdsSlot: Bool {
        switch stage {
        case .active, .offered: true
        case .arriving, .delayed, .waiting, .paused: false
        }
    }
    var isOffered: Bool { if case .offered = stage { true } else { false } }
    var isPaused: Bool { if case .paused = stage { true } else { false } }
    var isDelayed: Bool { if case .delayed = stage { true } else { false } }
    var isWaiting: Bool { if case .waiting = stage { true } else { false } }

    /// Whether it counts as waiting: accepted, not shown yet.
    var countsAsWaiting: Bool { isWaiting || isDelayed }

    /// Display time used at `now`.
    func used(at now: Milliseconds) -> Milliseconds {
        clockSince == Self.stopped ? used : used + now - clockSince
    }
}
