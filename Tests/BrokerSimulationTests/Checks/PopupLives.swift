import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// What events tell of each popup: a valid way through its life, one popup a slot, an end that is one.
struct PopupLives {
    enum Stage: String {
        /// Waiting or delayed.
        case queued
        case offered
        case active
        case paused
        case closed
    }

    struct Life {
        var group: String
        var stage: Stage
        /// The time of its first event; unknown after a restart.
        var born: Milliseconds?
        var wasShown = false
        /// When its display time ends, as the state told it.
        var deadline: Milliseconds?
        var closedAt: Milliseconds?
    }

    private(set) var lives: [String: Life] = [:]
    private var slots: [String: String] = [:]
    private var lastTime: Milliseconds = 0
    private var revisions: [String: UInt64] = [:]
    private let deduplicationWindow: Milliseconds

    init(deduplicationWindow: Milliseconds) {
        self.deduplicationWindow = deduplicationWindow
    }

    /// An event of a popup.
    mutating func note(_ event: WireEvent, _ committed: Committed) throws(Failure) {
        let time = Milliseconds(event.time)
        let told = "\(time) \(event.group) \(event.popup) \(event.word)"
        guard time >= lastTime else {
            throw Failure(check: "events are in order of time", detail: "\(told) after one at \(lastTime)")
        }
        lastTime = time
        if case .refused = event.event { return }
        guard committed.requests[event.popup] != nil else {
            throw Failure(check: "nothing is told that isn't committed", detail: told)
        }
        guard event.revision >= revisions[event.group] ?? 0 else {
            throw Failure(check: "revisions of events don't fall", detail: "\(told) has \(event.revision)")
        }
        revisions[event.group] = event.revision
        try live(event, at: time, told, committed)
    }

    private mutating func live(
        _ event: WireEvent, at time: Milliseconds, _ told: String, _ committed: Committed
    ) throws(Failure) {
        var before = lives[event.popup]
        // A forgotten id may be used again.
        if let closed = before?.closedAt, time >= closed + deduplicationWindow { before = nil }
        guard let after = Stage(event, after: before?.stage) else {
            throw Failure(
                check: "a popup's life is a valid one", detail: "\(told), it was \(before?.stage.rawValue ?? "new")")
        }
        var life = before ?? Life(group: event.group, stage: after, born: time)
        let request = committed.request(event.popup)
        if after == .offered || after == .active, !life.wasShown, let born = life.born, let request,
            time < born + Milliseconds(request.delayMs)
        {
            throw Failure(
                check: "nothing fires early", detail: "\(told), accepted at \(born), delay \(request.delayMs)")
        }
        if case .closed(let closed) = event.event {
            try end(event.popup, life, closed, at: time, told, request, committed)
            life.closedAt = time
        }
        if case .updated = event.event {} else { life.deadline = nil }
        if after == .active { life.wasShown = true }
        life.stage = after
        lives[event.popup] = life
        try takeSlot(event.group, event.popup, after, told)
    }

    private func end(
        _ popup: String, _ life: Life, _ closed: WireClosed, at time: Milliseconds, _ told: String,
        _ request: WirePopup?,
        _ committed: Committed
    ) throws(Failure) {
        switch closed.reason {
        case .timedOut:
            guard let deadline = life.deadline, time < deadline, !committed.changedPolicies,
                !committed.retimed.contains(popup)
            else { return }
            throw Failure(check: "nothing fires early", detail: "\(told), its time ends at \(deadline)")
        case .expired:
            if life.wasShown { throw Failure(check: "a popup expires in time", detail: "\(told), it was shown before") }
            guard let born = life.born, let request, time != born + Milliseconds(request.ttlMs) else { return }
            throw Failure(
                check: "a popup expires in time", detail: "\(told), accepted at \(born), ttl \(request.ttlMs)")
        default: break
        }
    }

    private mutating func takeSlot(_ group: String, _ popup: String, _ stage: Stage, _ told: String) throws(Failure) {
        switch stage {
        case .offered, .active:
            if let other = slots[group], other != popup {
                throw Failure(check: "at most one popup is active", detail: "\(told), \(other) is")
            }
            slots[group] = popup
        case .queued, .paused, .closed:
            if slots[group] == popup { slots[group] = nil }
        }
    }

    /// A state tells until when the popup is shown; an updated one may end before.
    mutating func note(_ state: WireGroupState, at now: Milliseconds, isRetimed: Bool) {
        guard state.hasActive, !state.offered, lives[state.active.id] != nil else { return }
        let remaining = state.active.hasRemainingMs ? Milliseconds(state.active.remainingMs) : 0
        lives[state.active.id]?.deadline = remaining > 0 && !isRetimed ? now + remaining : nil
    }

    /// A turn is over: the broker's popups are those of the events.
    func settle(_ popups: [PopupSummary]) throws(Failure) {
        let told = lives.filter { $0.value.stage != .closed }.mapValues(\.stage)
        let kept = Dictionary(uniqueKeysWithValues: popups.map { ($0.id, Stage($0.phase)) })
        guard told != kept else { return }
        for id in Set(told.keys).union(kept.keys).sorted() where told[id] != kept[id] {
            throw Failure(
                check: "events tell what there is",
                detail: "\(id) is \(kept[id]?.rawValue ?? "over"), told was \(told[id]?.rawValue ?? "that it is over")")
        }
    }

    /// The popups that were told to be over until a time, and since when.
    func closed(until time: Milliseconds) -> [String: Milliseconds] {
        lives.compactMapValues { life in life.closedAt.flatMap { $0 <= time ? $0 : nil } }
    }

    /// A process has begun with these live popups: what timers did later than the disk has it is done again.
    ///
    /// - Parameters:
    ///   - since: What closed while nobody could tell closed after it.
    ///   - closed: When others closed, where some of what was told is lost; `nil` when all of it is known still.
    mutating func begin(
        with popups: [PopupSummary], at time: Milliseconds, since: Milliseconds, closed: [String: Milliseconds]?,
        isClosed: (String) -> Bool
    ) {
        let before = lives
        lives = [:]
        slots = [:]
        revisions = [:]
        lastTime = time
        for (id, life) in before where isClosed(id) {
            lives[id] = life
            lives[id]?.stage = .closed
            lives[id]?.closedAt = min((closed.map { $0[id] } ?? life.closedAt) ?? since, time)
        }
        for popup in popups {
            var life = Life(group: popup.group, stage: Stage(popup.phase), wasShown: popup.attempt > 0)
            // One that began longer ago may have been closed and forgotten, and its id used again, before anybody was told.
            life.born =
                closed == nil ? before[popup.id]?.born.flatMap { time < $0 + deduplicationWindow ? $0 : nil } : nil
            lives[popup.id] = life
            if life.stage == .active || life.stage == .offered { slots[popup.group] = popup.id }
        }
    }
}

extension PopupLives.Stage {
    /// The stage after an event; `nil` when it can't come there.
    fileprivate init?(_ event: WireEvent, after stage: Self?) {
        switch (event.event, stage) {
        case (.queued, nil), (.queued, .offered), (.queued, .active): self = .queued
        case (.offered, nil), (.offered, .queued): self = .offered
        case (.shown, nil), (.shown, .queued), (.shown, .offered), (.shown, .paused): self = .active
        case (.paused, .active): self = .paused
        case (.resumed, .paused): self = .active
        case (.updated, .queued), (.updated, .offered), (.updated, .active), (.updated, .paused):
            guard let stage else { return nil }
            self = stage
        case (.closed, nil), (.closed, .queued), (.closed, .offered), (.closed, .active), (.closed, .paused):
            self = .closed
        default: return nil
        }
    }

    fileprivate init(_ phase: Phase) {
        self =
            switch phase {
            case .delayed, .waiting: .queued
            case .offered: .offered
            case .active: .active
            case .paused: .paused
            case .closed: .closed
            }
    }
}

extension WireEvent {
    /// The kind of event, with its reason.
    var mark: String {
        switch event {
        case .closed(let closed): "closed \(closed.reason)"
        case .shown: "shown"
        default: word
        }
    }

    var word: String {
        switch event {
        case .queued: "queued"
        case .offered: "offered"
        case .shown(let shown): "shown \(shown.attempt)"
        case .paused: "paused"
        case .resumed: "resumed"
        case .updated: "updated"
        case .closed(let closed): "closed \(closed.reason) \(closed.action)"
        case .refused(let refused): "refused \(refused.reason.name)"
        case nil: "nothing"
        }
    }
}
