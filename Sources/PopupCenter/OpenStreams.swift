/// The streams of a center that are open: of its events, of the states of groups, of the ends of popups.
struct OpenStreams<Content: Sendable>: Sendable {
    typealias State = PopupCenter<Content>.State

    private var lastEvent: UInt64 = 0
    private var events = Streams<PopupEvent>()
    private var states: [String: Streams<State>] = [:]
    private var closings: [String: Streams<PopupClosing>] = [:]

    /// Whether a stream of states is open.
    var hasStates: Bool { !states.isEmpty }

    // MARK: - Opening

    /// Opens a stream of all events from now on. See `Streams.open`.
    mutating func openEvents(
        keeping limit: Int, onEnd: @escaping @Sendable (Int) async -> Void
    ) -> AsyncStream<PopupEvent> {
        events.open(keeping: limit, onEnd: onEnd)
    }

    /// Opens a stream of the states of a group, which begins with its present one.
    mutating func openStates(
        from present: State, onEnd: @escaping @Sendable (Int) async -> Void
    ) -> AsyncStream<State> {
        states[present.group, default: Streams()].open(keeping: 1, first: present, onEnd: onEnd)
    }

    /// Opens a stream of the end of a popup.
    mutating func openClosings(
        of id: String, onEnd: @escaping @Sendable (Int) async -> Void
    ) -> AsyncStream<PopupClosing> {
        closings[id, default: Streams()].open(keeping: 1, onEnd: onEnd)
    }

    // MARK: - Sending

    /// Counts an event, and sends it.
    mutating func send(
        _ kind: PopupEvent.Kind, of id: String, in group: String, at time: Duration, revision: UInt64 = 0,
        path: [String] = []
    ) {
        lastEvent += 1
        guard !events.isEmpty else { return }
        events.send(
            PopupEvent(
                number: lastEvent, time: time, group: group, popup: id, revision: revision, kind: kind, path: path))
    }

    /// Sends a new state of a group.
    func send(_ state: State) { states[state.group]?.send(state) }

    /// Sends the end of a popup, and ends its streams.
    mutating func send(_ closing: PopupClosing, of id: String) {
        guard let ending = closings.removeValue(forKey: id) else { return }
        ending.send(closing)
        ending.finish()
    }

    // MARK: - Ending

    /// Removes a stream of events that has ended.
    mutating func removeEvents(_ number: Int) { events.remove(number) }

    /// Removes a stream of states that has ended.
    mutating func removeStates(_ number: Int, of group: String) {
        states[group]?.remove(number)
        if states[group]?.isEmpty == true { states[group] = nil }
    }

    /// Removes a stream that has ended before the popup whose end it waits for.
    mutating func removeClosings(_ number: Int, of id: String) {
        closings[id]?.remove(number)
        if closings[id]?.isEmpty == true { closings[id] = nil }
    }

    /// Ends the streams, because the center is released. None waits for the end of a popup: it would retain the center.
    func finish() {
        events.finish()
        for streams in states.values { streams.finish() }
    }
}
