import PopupProtocol

/// The subscribers of a connection, by the groups that they follow: a message about a group costs no more with thousands of
/// streams of other groups. A heartbeat, once a second, visits all of them; a turn of the loop, those with a deadline, which
/// are those that wait for an answer to `sync`, or for the check of their right.
struct SubscriberTable {
    private var subscribers: [UInt64: any Subscriber] = [:]
    /// The subscribers that follow groups by their names alone.
    private var byGroup: [String: [UInt64]] = [:]
    /// The subscribers with a pattern of several groups.
    private var wide: Set<UInt64> = []
    /// The deadlines of the subscribers that have one.
    private var deadlines: [UInt64: ContinuousClock.Instant] = [:]

    /// The earliest deadline; `nil` if there is none.
    var deadline: ContinuousClock.Instant? { deadlines.values.min() }

    /// Adds a subscriber under a number that is not in use.
    mutating func insert(_ subscriber: any Subscriber, as id: UInt64) {
        subscribers[id] = subscriber
        switch Self.scope(of: subscriber) {
        case .wide: wide.insert(id)
        case .groups(let groups): for group in groups { byGroup[group, default: []].append(id) }
        case .none: break
        }
        deadlines[id] = subscriber.deadline
    }

    /// Removes a subscriber, and returns it; `nil` if there is none.
    mutating func remove(_ id: UInt64) -> (any Subscriber)? {
        guard let subscriber = subscribers.removeValue(forKey: id) else { return nil }
        deadlines[id] = nil
        switch Self.scope(of: subscriber) {
        case .wide: wide.remove(id)
        case .groups(let groups):
            for group in groups {
                byGroup[group]?.removeAll { $0 == id }
                if byGroup[group]?.isEmpty == true { byGroup[group] = nil }
            }
        case .none: break
        }
        return subscriber
    }

    /// Hands a message to the subscribers that may follow its group; one without a group, to all. Who follows groups by their
    /// names receives only the part of a heartbeat that is about these.
    mutating func receive(_ message: EgressMessage, at now: ContinuousClock.Instant) {
        if let group = message.group {
            forEach(in: byGroup[group] ?? []) { $0.receive(message, at: now) }
            forEach(in: wide) { $0.receive(message, at: now) }
        } else if case .heartbeat(let heartbeat) = message {
            receive(heartbeat, at: now)
        } else {
            forEach(in: Array(subscribers.keys)) { $0.receive(message, at: now) }
        }
    }

    private mutating func receive(_ heartbeat: WireHeartbeat, at now: ContinuousClock.Instant) {
        var parts: [UInt64: [WireGroupRevision]] = [:]
        for changed in heartbeat.groups {
            for id in byGroup[changed.group] ?? [] { parts[id, default: []].append(changed) }
        }
        var part = heartbeat
        part.groups = []
        let nothing = EgressMessage.heartbeat(part)
        for id in Array(subscribers.keys) {
            guard !wide.contains(id) else {
                forEach(in: CollectionOfOne(id)) { $0.receive(.heartbeat(heartbeat), at: now) }
                continue
            }
            var message = nothing
            if let groups = parts[id] {
                part.groups = groups
                message = .heartbeat(part)
            }
            forEach(in: CollectionOfOne(id)) { $0.receive(message, at: now) }
        }
    }

    /// Tells all subscribers of a reconnection.
    mutating func reconnected(at now: ContinuousClock.Instant) {
        forEach(in: Array(subscribers.keys)) { $0.reconnected(at: now) }
    }

    /// Tells all subscribers whether the broker was heard lately.
    func confirm(_ isConfirmed: Bool) {
        for subscriber in subscribers.values { subscriber.confirm(isConfirmed) }
    }

    /// Returns the further topics to subscribe to, and those to cancel, of the subscribers whose deadline is over.
    mutating func changes(at now: ContinuousClock.Instant) -> [SubscriptionChange] {
        guard !deadlines.isEmpty else { return [] }
        var changes: [SubscriptionChange] = []
        forEach(in: deadlines.filter { $0.value <= now }.keys) { changes += $0.changes(at: now) }
        return changes
    }

    /// Removes all subscribers, and tells each that no more messages arrive.
    mutating func finish(_ error: ClientError?) {
        for subscriber in subscribers.values { subscriber.finish(error) }
        self = SubscriberTable()
    }

    private mutating func forEach(in ids: some Sequence<UInt64>, _ body: (any Subscriber) -> Void) {
        for id in ids {
            guard let subscriber = subscribers[id] else { continue }
            body(subscriber)
            deadlines[id] = subscriber.deadline
        }
    }

    /// The groups from which a subscriber receives messages.
    private enum Scope {
        case wide
        case groups(Set<String>)
    }

    private static func scope(of subscriber: any Subscriber) -> Scope? {
        guard let patterns = subscriber.patterns else { return nil }
        guard patterns.allSatisfy({ $0.form == .exact }) else { return .wide }
        return .groups(Set(patterns.map(\.text)))
    }
}

extension EgressMessage {
    /// The group that the message is about; `nil` for a message about none, or about many.
    fileprivate var group: String? {
        switch self {
        case .state(let state): state.group
        case .event(let event): event.group
        case .reply, .ack, .sync, .heartbeat: nil
        }
    }
}
