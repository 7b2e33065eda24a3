/// A queue of popups inside one application: the rules of a broker, without a broker.
///
///     let center = PopupCenter<Banner>()
///     try await center.show(.init(Banner(title: "Saved"), group: "main", duration: .seconds(3)))
///     for await state in await center.states(of: "main") { screen.show(state.active?.content) }
///
/// At most one popup is active in each group. What happens when popups meet is the `Policy` of the group; `show`,
/// `update`, `dismiss` and the other commands mean what `Documentation/Scheduling.md` says of them. All of it is in
/// memory and ends with the process.
///
/// The center has no thread. While a timer is set, one task sleeps until it is due, and every call first handles what
/// is due, so that no answer is older than the call. The task ends with the last reference to the center, as do the
/// streams. A center never refers to the application strongly, apart from its gates and its contents.
public actor PopupCenter<Content: Sendable> {
    private var scheduler: Scheduler
    private var output = EventBuffer()
    private let time: TimeSource
    /// The contents of the live popups. The scheduler keeps the id in their place.
    private var contents: [String: Content] = [:]
    private var gates: [(name: String, gate: Gate)] = []
    private var lastUnnamed = 0

    private var streams = OpenStreams<Content>()

    /// The task that sleeps, and when it wakes.
    private var sleeper: (task: Task<Void, Never>, wakes: Milliseconds)?

    /// Creates a center without popups. Every group has the policy `.priority` until another one is set.
    ///
    /// - Parameters:
    ///   - clock: The clock of all durations. Its instant of now is the center's beginning.
    ///   - timeSince1970: The present time by the wall clock, for quiet windows and the times of events; `nil`: the
    ///     center's beginning counts as 1970.
    ///   - limits: The bounds of the tables. Beyond each a command is refused as `overload`, with the limit's name.
    ///   - seed: Begins the random numbers from which gaps are drawn.
    public init(
        clock: some Clock<Duration> = ContinuousClock(), timeSince1970: Duration? = nil, limits: Limits = Limits(),
        seed: UInt64 = 0
    ) {
        scheduler = Scheduler(limits: limits, seed: seed, hashSeed: .random(in: .min ... .max))
        time = TimeSource(clock)
        guard let timeSince1970 else { return }
        scheduler.apply(
            .setWallClock(ahead: timeSince1970.milliseconds), text: [UInt8]().span.bytes, at: 0, into: &output)
        output.removeAll()
    }

    deinit {
        sleeper?.task.cancel()
        streams.finish()
    }

    // MARK: - Popups

    /// Requests a popup and returns its id.
    ///
    /// An id that is known, of a live popup or of one that closed within `Limits.deduplicationWindow`, is accepted and
    /// changes nothing.
    ///
    /// - Throws: `PopupRefusal`: `invalid` for a field, `permissionDenied` by a gate, `overload` for a limit. Nothing
    ///   has changed then.
    @discardableResult
    public func show(_ popup: Popup) throws(PopupRefusal) -> String {
        recordTime(at: catchUp())
        var popup = popup
        let id = popup.id ?? unusedID()
        popup.id = id
        guard scheduler.whereabouts(ofPopup: Array(id.utf8).span.bytes) == nil else { return id }
        var text = TextBuilder()
        let request = try popup.request(id: id, in: &text)
        for (name, gate) in gates {
            guard case .deny(let reason) = gate(popup) else { continue }
            let refusal = PopupRefusal(.permissionDenied, "the gate `\(name)` denies it: \(reason)")
            let moment = Duration.milliseconds(time.now + scheduler.wallClockLead)
            streams.send(.refused(refusal), of: id, in: popup.group, at: moment)
            throw refusal
        }
        contents[id] = popup.content
        do throws(PopupRefusal) {
            try perform(.show(request), text)
        } catch {
            contents[id] = nil
            throw error
        }
        return id
    }

    /// Requests a popup and waits until it has closed. If the task is cancelled, the popup is dismissed.
    ///
    /// The center lives at least until then.
    ///
    /// - Throws: `PopupRefusal` as `show`, `CancellationError`.
    public func ask(_ popup: Popup) async throws -> PopupClosing {
        let id = try show(popup)
        do {
            return try await closing(of: id)
        } catch is CancellationError {
            try? dismiss(id)
            throw CancellationError()
        }
    }

    /// Waits until a popup has closed, and returns how. Returns at once if it has.
    ///
    /// - Throws: `PopupRefusal`: `notFound` for an id that never was or is forgotten; `CancellationError`.
    public func closing(of id: String) async throws -> PopupClosing {
        switch explain(id).rule {
        case .unknown: throw PopupRefusal(.unknownPopup)
        case .closed(let reason, let action, _, _, let displayed):
            return PopupClosing(reason: reason, action: action, displayed: .milliseconds(displayed))
        default: break
        }
        let closings = streams.openClosings(of: id) { [weak self] number in
            await self?.endClosings(number, of: id)
        }
        for await closing in closings { return closing }
        throw CancellationError()
    }

    /// Changes a live popup in place; what is `nil` stays.
    ///
    /// - Parameters:
    ///   - id: The popup.
    ///   - content: The new content as a whole.
    ///   - priority: Moves it in the queue, and interruption is decided again.
    ///   - duration: The display time from now on, the time that it was shown included.
    ///   - restartsTimer: Whether the display time begins again.
    ///   - interruptible: Whether a newcomer may interrupt it.
    /// - Throws: `PopupRefusal`: `notFound`, `stale` for a popup that has closed, `invalid`.
    public func update(
        _ id: String, content: Content? = nil, priority: Int32? = nil, duration: Duration? = nil,
        restartsTimer: Bool = false, interruptible: Bool? = nil
    ) throws(PopupRefusal) {
        catchUp()
        var text = TextBuilder()
        var update = PopupUpdate(id: text.add(id))
        update.priority = priority
        update.duration = try duration.map { duration throws(PopupRefusal) in try duration.field("duration") }
        update.restartTimer = restartsTimer
        update.interruptible = interruptible
        // Nothing refuses the update of a live popup from here on.
        if let content, contents[id] != nil { contents[id] = content }
        try perform(.update(update), text)
    }

    /// Closes a popup as the user chose it.
    ///
    /// - Parameters:
    ///   - id: The popup.
    ///   - action: What the user chose; empty for none.
    ///   - revision: The revision of the state that the user saw. If the popup was shown again or updated since, the
    ///     dismissal is refused as `stale`. `nil`: of any.
    /// - Throws: `PopupRefusal`: `notFound`; `stale` also for a popup that has closed.
    public func dismiss(_ id: String, action: String = "", revision: UInt64? = nil) throws(PopupRefusal) {
        var text = TextBuilder()
        try perform(.dismiss(Dismissal(id: text.add(id), action: text.add(action), revision: revision)), text)
    }

    // MARK: - Gates

    /// Adds a gate, which is asked before each new popup is accepted, in the order in which gates were added. It
    /// replaces a gate of the same name.
    ///
    /// A gate decides once, about acceptance. To hold back popups that are accepted, use `suspend`.
    public func addGate(_ name: String, _ gate: @escaping Gate) {
        if let index = gates.firstIndex(where: { $0.name == name }) {
            gates[index].gate = gate
        } else {
            gates.append((name, gate))
        }
    }

    /// Removes a gate. Without effect if there is none of this name.
    public func removeGate(_ name: String) { gates.removeAll { $0.name == name } }

    // MARK: - Looking

    /// Returns what a group shows now.
    public func state(of group: String) -> State {
        let now = catchUp()
        return scheduler.group(named: Array(group.utf8).span.bytes).flatMap { state(of: $0, at: now) } ?? State(group)
    }

    /// Returns a stream of what a group shows: its present state at once, then each new one.
    ///
    /// Only the newest state waits for a reader, so a slow one misses states in between and never sees an old one last.
    public func states(of group: String) -> AsyncStream<State> {
        let present = state(of: group)
        return streams.openStates(from: present) { [weak self] number in
            await self?.endStates(number, of: group)
        }
    }

    /// Returns a stream of all events from now on.
    ///
    /// - Parameter limit: The number of events that wait for a slow reader. Beyond it the oldest are dropped; the
    ///   numbers of the events tell how many are missing.
    public func events(keeping limit: Int = PopupEvent.maxWaiting) -> AsyncStream<PopupEvent> {
        streams.openEvents(keeping: limit) { [weak self] number in await self?.endEvents(number) }
    }

    /// Returns what keeps a popup where it is, or how it closed. `decisive.text` and the texts of `others` say it in
    /// sentences.
    public func explain(_ id: String) -> Explanation {
        let now = catchUp()
        return scheduler.explain(popup: Array(id.utf8).span.bytes, at: now)
    }

    /// Returns the popups of a group: the active one, the queue in its order, then the delayed ones.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - limit: The number of popups that are returned at most.
    public func queue(of group: String, limit: Int = 100) -> [PopupSummary] {
        let now = catchUp()
        return scheduler.peek(group: Array(group.utf8).span.bytes, limit: limit, at: now)
    }

    /// Returns the content of a live popup; `nil` if there is none with this id.
    public func content(of id: String) -> Content? {
        catchUp()
        return contents[id]
    }

    /// Returns the values of a tree's pages from the root to the current page; empty without such a tree.
    public func path(in tree: String) -> [String] {
        scheduler.path(inTree: Array(tree.utf8).span.bytes, node: nil)
    }

    // MARK: - Time

    /// Handles what is due, applies a command, and publishes what has changed.
    func perform(_ command: Command, _ text: TextBuilder) throws(PopupRefusal) {
        let now = catchUp()
        let refusal = scheduler.apply(command, text: text.bytes.span.bytes, at: now, into: &output)
        publish(at: now)
        advance(to: now)
        if let refusal { throw PopupRefusal(refusal) }
    }

    /// Sets the wall clock, when the application notices that it was changed. No display time changes.
    ///
    /// - Parameter timeSince1970: The present time.
    public func setWallClock(_ timeSince1970: Duration) {
        try? perform(.setWallClock(ahead: timeSince1970.milliseconds - time.now), TextBuilder())
    }

    /// Handles what is due, and returns the present time. Quiet windows go on although no command comes.
    @discardableResult
    private func catchUp() -> Milliseconds {
        let now = time.now
        advance(to: now)
        if scheduler.wantsIdleRecord(at: now) { recordTime(at: now) }
        return now
    }

    /// Lets the scheduler know that time has passed without a command: ids that are remembered for long enough are
    /// forgotten.
    private func recordTime(at now: Milliseconds) {
        scheduler.recordIdleTime(at: now, into: &output)
        publish(at: now)
        advance(to: now)
    }

    private func advance(to now: Milliseconds) {
        while scheduler.step(until: now, into: &output) { publish(at: now) }
        sleepUntilDeadline()
    }

    /// Lets a task sleep until the next timer. One that wakes earlier, because its timer was cancelled, is left asleep.
    private func sleepUntilDeadline() {
        let deadline = scheduler.nextDeadline
        if let sleeper, let deadline, sleeper.wakes <= deadline { return }
        sleeper?.task.cancel()
        sleeper = deadline.map { deadline in
            let task = Task { [weak self, time] in
                guard await time.sleep(until: deadline) else { return }
                await self?.wake(at: deadline)
            }
            return (task, deadline)
        }
    }

    private func wake(at deadline: Milliseconds) {
        if sleeper?.wakes == deadline { sleeper = nil }
        catchUp()
    }

    // MARK: - Publishing

    private func publish(at now: Milliseconds) {
        for event in output.events { publish(event) }
        if streams.hasStates {
            for change in output.changes {
                if let state = state(of: change.group, at: now) { streams.send(state) }
            }
        }
        output.removeAll()
    }

    private func publish(_ event: Event) {
        let id = output.string(event.popup)
        let kind = PopupEvent.Kind(event.kind, in: output)
        streams.send(
            kind, of: id, in: output.string(event.group), at: .milliseconds(event.at), revision: event.revision,
            path: output.pathValues[event.path].map { output.string($0) })
        guard case .closed(let closing) = kind else { return }
        contents[id] = nil
        streams.send(closing, of: id)
    }

    private func state(of group: GroupIndex, at now: Milliseconds) -> State? {
        guard let view = scheduler.view(of: group, at: now) else { return nil }
        var state = State(String(decoding: view.name, as: UTF8.self))
        state.revision = view.state.revision
        state.waiting = view.state.waiting
        state.paused = view.state.paused
        let id = String(decoding: view.content, as: UTF8.self)
        if let active = view.state.active, let content = contents[id] {
            state.active = State.Active(id: id, content: content, active)
        }
        return state
    }

    private func unusedID() -> String {
        repeat {
            lastUnnamed += 1
        } while scheduler.whereabouts(
            ofPopup: Array("popup-\(lastUnnamed)".utf8).span.bytes) != nil
        return "popup-\(lastUnnamed)"
    }

    // MARK: - Streams that end

    private func endEvents(_ number: Int) { streams.removeEvents(number) }

    private func endStates(_ number: Int, of group: String) { streams.removeStates(number, of: group) }

    private func endClosings(_ number: Int, of id: String) { streams.removeClosings(number, of: id) }
}
