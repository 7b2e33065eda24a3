import PopupScheduling

/// The rules once more, in arrays and dictionaries, written from their description alone and with no eye on speed: the
/// scheduler is compared with it command by command.
///
/// `ReferenceScheduler+Commands` says what each command does, `+Rules` who gives way to whom, `+Slot` what happens when
/// somebody takes the slot or leaves it, `+Questions` answers.
final class ReferenceScheduler: Subject {
    /// A live popup.
    struct Popup {
        /// Where it stands among those of its priority: paused places first, the latest first; then by number.
        struct Place {
            var isPaused: Bool
            var number: Int
        }

        /// How it would have taken the slot, had the active popup's minimum display time been over.
        enum Mark {
            case newcomer
            case promotion
        }

        let id: String
        let group: String
        let request: Instruction.Request
        var priority: Int32
        var duration: UInt32
        var interruptible: Bool
        var content: String

        /// The order of acceptance.
        let accepted: Int
        let arrival: Milliseconds
        var place: Place
        var phase: Phase
        var mark: Mark?

        /// While active: since when.
        var activeSince: Milliseconds = 0
        /// Active time before `activeSince`, in all.
        var displayed: Milliseconds = 0
        /// Display time used up before `activeSince`.
        var used: Milliseconds = 0
        var attempt: UInt32 = 0
        var sinceRevision: UInt64 = 0
        /// While active: whether its minimum display time still runs, and whether `advance` waits for its end.
        var isProtected = false
        var advanceIsPending = false
        /// While active: the suspensions that stood when an exclusive popup took the slot; they don't pause it.
        var exemptions: [Int] = []
    }

    /// A popup that is over.
    struct Closed {
        var group: String
        var reason: CloseReason
        var action: String
        var at: Milliseconds
        var displayed: Milliseconds
    }

    struct Timer {
        enum Purpose: Equatable {
            case arrival(String)
            case expiry(String)
            case display(String)
            case minimumDisplay(String)
            case gap(String)
        }
        var due: Milliseconds
        var number: Int
        var purpose: Purpose
    }

    struct StandingSuspension {
        var number: Int
        var token: String
        var pattern: String
        var minimumPriority: Int32?
    }

    let limits: Limits
    var generator: ReferenceGenerator

    var popups: [String: Popup] = [:]
    var closed: [String: Closed] = [:]
    /// The groups that were ever given a popup, with their revision.
    var revisions: [String: UInt64] = [:]
    /// The groups inside a gap, with its end.
    var gaps: [String: Milliseconds] = [:]
    var policies: [String: Policy] = [:]
    /// The latest last.
    var suspensions: [StandingSuspension] = []
    var timers: [Timer] = []

    /// One count for everything that is ordered by when it happened.
    var lastNumber = 0

    // What the step at hand came to.
    var now: Milliseconds = 0
    var events: [Occurrence] = []
    /// Popups activated or updated in it.
    var touched: [String] = []
    /// Groups whose active popup it changed in place.
    var changedInPlace: [String] = []

    init(limits: Limits, seed: UInt64) {
        self.limits = limits
        generator = ReferenceGenerator(seed: seed)
    }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: - Steps

    func perform(_ instruction: Instruction, at time: Milliseconds) -> (events: [Occurrence], refusal: Refusal?) {
        var all: [Occurrence] = []
        while let due = step(until: time) { all += due }
        forgetOldIDs(at: max(now, time))
        var refusal: Refusal?
        all += asOneStep(at: time) { refusal = carryOut(instruction) }
        return (all, refusal)
    }

    func step(until time: Milliseconds) -> [Occurrence]? {
        guard let next = timers.min(by: isBefore), next.due <= time else { return nil }
        timers.removeAll { $0.number == next.number }
        return asOneStep(at: next.due) {
            switch next.purpose {
            case .arrival(let id): arrivesAfterDelay(id)
            case .expiry(let id): expires(id)
            case .display(let id): displayTimeEnds(id)
            case .minimumDisplay(let id): minimumDisplayEnds(id)
            case .gap(let group): gapEnds(group)
            }
        }
    }

    var nextDeadline: Milliseconds? { timers.min(by: isBefore)?.due }

    private func isBefore(_ one: Timer, _ other: Timer) -> Bool {
        (one.due, one.number) < (other.due, other.number)
    }

    /// Revisions go up once a step, in each group whose broadcast state it changed; all its events carry the new one.
    private func asOneStep(at time: Milliseconds, _ body: () -> Void) -> [Occurrence] {
        now = max(now, time)
        (events, touched, changedInPlace) = ([], [], [])
        var before: [String: Broadcast] = [:]
        for group in revisions.keys { before[group] = broadcast(of: group) }
        body()
        for group in revisions.keys
        where broadcast(of: group) != before[group, default: Broadcast()] || changedInPlace.contains(group) {
            revisions[group]! += 1
        }
        for id in touched {
            if let popup = popups[id] { popups[id]!.sinceRevision = revisions[popup.group]! }
        }
        for index in events.indices {
            if case .refused = events[index].kind { continue }
            events[index].revision = revisions[events[index].group]!
        }
        return events
    }

    private struct Broadcast: Equatable {
        var active: String?
        var waiting = 0
        var paused = 0
    }

    private func broadcast(of group: String) -> Broadcast {
        Broadcast(active: active(of: group)?.id, waiting: waiting(of: group).count, paused: paused(of: group).count)
    }

    func emit(_ kind: Occurrence.Kind, _ id: String, in group: String) {
        events.append(Occurrence(at: now, group: group, popup: id, revision: 0, kind: kind))
    }

    /// Ids of closed popups are kept for `rememberFor`.
    private func forgetOldIDs(at time: Milliseconds) {
        closed = closed.filter { $0.value.at + limits.rememberFor > time }
    }

    // MARK: - Timers

    func setTimer(_ purpose: Timer.Purpose, after delay: Milliseconds) {
        timers.append(Timer(due: now + delay, number: nextNumber(), purpose: purpose))
    }

    func cancelTimer(_ purpose: Timer.Purpose) {
        timers.removeAll { $0.purpose == purpose }
    }

    func due(_ purpose: Timer.Purpose) -> Milliseconds? {
        timers.first { $0.purpose == purpose }?.due
    }

    // MARK: - What never may be

    func complaints() -> [String] {
        var found: [String] = []
        for group in revisions.keys.sorted() {
            let actives = popups.values.filter { $0.group == group && $0.phase == .active }
            if actives.count > 1 { found.append("\(group) shows \(actives.map(\.id))") }
            if actives.isEmpty, gaps[group] == nil, let idle = bestEligible(of: group) {
                found.append("\(idle.id) is eligible and \(group) shows nothing")
            }
        }
        return found
    }
}
