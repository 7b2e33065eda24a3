import PopupProtocol

// What came in, as tests look at it.
extension Wire {
    /// The events of a group, in words, once there are so many; fewer when the others do not come in time.
    func events(of group: String, _ count: Int) throws -> [String] {
        _ = try waits { $0.events(of: group).count >= count }
        return events(of: group).map(\.words)
    }

    /// The events of a group that came in so far.
    func events(of group: String) -> [WireEvent] {
        events.filter { $0.group == group }
    }

    /// All events that came in so far.
    var events: [WireEvent] {
        arrivals.compactMap { if case .event(let event) = $0.content { event } else { nil } }
    }

    /// What a group was said to show so far, without repetitions.
    func states(of group: String) -> [WireGroupState] {
        states.filter { $0.group == group }
    }

    /// All states that came in so far, without repetitions.
    var states: [WireGroupState] { states { _ in true } }

    /// The states of some topics, as a client takes them: one that is not newer than what it has is a repetition, which
    /// the broker may send at any time.
    func states(where isWanted: (_ topic: String) -> Bool) -> [WireGroupState] {
        var latest: [String: (epoch: UInt64, revision: UInt64)] = [:]
        return arrivals.compactMap { arrival in
            guard isWanted(arrival.topic), case .state(let state) = arrival.content,
                (state.epoch, state.revision) > latest[arrival.topic] ?? (0, 0)
            else { return nil }
            latest[arrival.topic] = (state.epoch, state.revision)
            return state
        }
    }

    /// All that a group was said to show, as it came.
    func repeatedStates(of group: String) -> [WireGroupState] {
        arrivals.compactMap { arrival in
            if case .state(let state) = arrival.content, state.group == group { state } else { nil }
        }
    }

    var feeds: [WireFeed] {
        arrivals.compactMap { if case .feed(let feed) = $0.content { feed } else { nil } }
    }

    /// The heartbeats, each with when it came.
    var heartbeat: [(heartbeat: WireHeartbeat, at: ContinuousClock.Instant)] {
        arrivals.compactMap { if case .heartbeat(let heartbeat) = $0.content { (heartbeat, $0.at) } else { nil } }
    }

    /// Waits for an event, such as `A shown`, and returns it with when it came.
    @discardableResult
    func event(_ words: String, of group: String) throws -> (event: WireEvent, at: ContinuousClock.Instant) {
        func find(_ wire: Wire) -> (WireEvent, ContinuousClock.Instant)? {
            for arrival in wire.arrivals {
                if case .event(let event) = arrival.content, event.group == group, event.words == words {
                    return (event, arrival.at)
                }
            }
            return nil
        }
        try wait(for: "`\(words)` in \(group)") { find($0) != nil }
        return find(self)!
    }

    /// Waits until a group is said to show this, such as `A +1`, and returns the state.
    @discardableResult
    func state(_ words: String, of group: String) throws -> WireGroupState {
        func find(_ wire: Wire) -> WireGroupState? {
            wire.states(of: group).last.flatMap { $0.words == words ? $0 : nil }
        }
        try wait(for: "the state `\(words)` of \(group)") { find($0) != nil }
        return find(self)!
    }
}
