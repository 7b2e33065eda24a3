/// A live popup as the scheduler keeps it.
///
///     show ──▶ arriving ──▶ waiting ◀──┐
///      │          ▲  │         │       │ (its place taken over by collapse)
///      ▼          │  └──────┐  ▼       │
///     delayed ────┘         active ◀─▶ paused
///
/// From each of them it closes: then only its id is remembered.
struct PopupRecord: BitwiseCopyable {
    /// Where it is in its life, with what that alone needs.
    enum Stage: BitwiseCopyable {
        /// Being judged: in no line, holding no slot.
        case arriving
        case delayed(arrival: Int32)
        case waiting
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
    /// Orders equals in the line: a waiting one's acceptance or a later number, or below 0 and falling for each pause.
    var rank: Int64
    var attempt: UInt32 = 0
    /// Until it is first shown: closes it when it falls due.
    var expiry = nobody
    /// In ms: how much of its display time is used, the present activation left out.
    var used: Milliseconds = 0
    /// In ms: how long it was active in all, the present activation left out.
    var displayed: Milliseconds = 0
    var sinceRevision: UInt64 = 0

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
    var isActive: Bool { if case .active = stage { true } else { false } }
    var isPaused: Bool { if case .paused = stage { true } else { false } }

    /// Whether it counts as waiting: accepted, not shown yet.
    var countsAsWaiting: Bool {
        switch stage {
        case .delayed, .waiting: true
        case .arriving, .active, .paused: false
        }
    }

    /// Display time used at `now`.
    func used(at now: Milliseconds) -> Milliseconds {
        if case .active(let since, _) = stage { used + now - since } else { used }
    }
}
