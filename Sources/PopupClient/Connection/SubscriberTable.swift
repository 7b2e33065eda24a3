import DequeModule
import PopupProtocol

/// The subscribers of a connection, by the groups that they follow: a message about a group costs no more with thousands of
/// streams of other groups. A heartbeat visits all of them, once a second; a turn of the loop, those with a deadline, which
/// are those that wait for an answer to `sync`, or for the check of their right.
///
/// After a reconnection all streams want to ask at once. They take turns: each further topic is a subscription, of which the
/// broker allows a connection a limited number.
struct SubscriberTable {
    private var subscribers: [UInt64: any Subscriber] = [:]
    /// The subscribers that follow groups by their names alone.
    private var byGroup: [String: [UInt64]] = [:]
    /// The subscribers with a pattern of several groups.
    private var wide: Set<UInt64> = []
    /// The subscribers that follow no groups.
    private var others: Set<UInt64> = []
    /// The deadlines of the subscribers that have one, and do not wait for their turn to ask.
    private var deadlines: [UInt64: ContinuousClock.Instant] = [:]
    /// The subscribers that asked on the further topics that are open.
    private var askers: [String: UInt64] = [:]
    /// The subscribers that wait for their turn to ask; some are gone.
    private var queue: Deque<UInt64> = []
    private var queued: Set<UInt64> = []
    /// The last heartbeat that all have received.
    private var beat: (epoch: UInt64, time: ContinuousClock.Instant)?

    /// The number of open further topics beyond which no subscriber asks. With those of a last one, and with the thousands of
    /// groups that a gateway follows, they are within the broker's default of `limits.subscriptionsPerConnection`, 10,000.
    static let maxOpenTopics = 512

    /// The earliest deadline; `nil` if there is none.
    var deadline: ContinuousClock.Instant? { deadlines.values.min() }

    /// Adds a subscriber under a number that is not in use.
    mutating func insert(_ subscriber: any Subscriber, as id: UInt64) {
        subscribers[id] = subscriber
        switch Self.scope(of: subscriber) {
        case .wide: wide.insert(id)
        case .groups(let groups): for group in groups { byGroup[group, default: []].append(id) }
        case .none: others.insert(id)
        }
        deadlines[id] = subscriber.deadline
    }

    /// Removes a subscriber, and returns it; `nil` if there is none.
    mutating func remove(_ id: UInt64) -> (any Subscriber)? {
        guard let subscriber = subscribers.removeValue(forKey: id) else { return nil }
        deadlines[id] = nil
        queued.remove(id)
        for topic in subscriber.temporaryTopics { askers[topic] = nil }
        switch Self.scope(of: subscriber) {
        case .wide: wide.remove(id)
        case .groups(let groups):
            for group in groups {
                byGroup[group]?.removeAll { $0 == id }
                if byGroup[group]?.isEmpty == true { byGroup[group] = nil }
            }
        case .none: others.remove(id)
        }
        return subscriber
    }

    /// Hands a message to the subscribers that may wait for it. Who follows groups by their names receives only the part of a
    /// heartbeat that is about these.
    mutating func receive(_ message: EgressMessage, at now: ContinuousClock.Instant) {
        switch message {
        case .state(let state): receive(message, about: state.group, at: now)
        case .event(let event): receive(message, about: event.group, at: now)
        case .sync(let topic, _):
            guard let asker = askers[topic] else { return }
            forEach(in: CollectionOfOne(asker)) { $0.receive(message, at: now) }
        case .heartbeat(let heartbeat): receive(heartbeat, at: now)
        case .reply, .ack: forEach(in: others) { $0.receive(message, at: now) }
        }
    }

    private mutating func receive(
        _ message: EgressMessage, about group: String, at now: ContinuousClock.Instant
    ) {
        forEach(in: byGroup[group] ?? []) { $0.receive(message, at: now) }
        forEach(in: wide) { $0.receive(message, at: now) }
    }

    private mutating func receive(_ heartbeat: WireHeartbeat, at now: ContinuousClock.Instant) {
        var parts: [UInt64: [WireGroupRevision]] = [:]
        for changed in heartbeat.groups {
            for id in byGroup[changed.group] ?? [] { parts[id, default: []].append(changed) }
        }
        var part = heartbeat
        part.groups = []
        if beat.map({ $0.epoch != heartbeat.epoch || now - $0.time >= Self.betweenParts }) ?? true {
            beat = (heartbeat.epoch, now)
            let nothing = EgressMessage.heartbeat(part)
            forEach(in: subscribers.keys.filter { parts[$0] == nil && !wide.contains($0) }) {
                $0.receive(nothing, at: now)
            }
        }
        for (id, groups) in parts {
            part.groups = groups
            let message = EgressMessage.heartbeat(part)
            forEach(in: CollectionOfOne(id)) { $0.receive(message, at: now) }
        }
        forEach(in: wide) { $0.receive(.heartbeat(heartbeat), at: now) }
    }

    /// The broker sends a heartbeat each second, in several messages if many groups have changed. Those that a message is not
    /// about need only one of these.
    private static let betweenParts: Duration = .milliseconds(500)

    /// Tells all subscribers of a reconnection.
    mutating func reconnected(at now: ContinuousClock.Instant) {
        forEach(in: Array(subscribers.keys)) { $0.reconnected(at: now) }
    }

    /// Tells all subscribers whether the broker was heard lately.
    func confirm(_ isConfirmed: Bool) {
        for subscriber in subscribers.values { subscriber.confirm(isConfirmed) }
    }

    /// Returns the further topics to subscribe to, and those to cancel, of the subscribers whose deadline is over, and of
    /// those whose turn it is to ask.
    mutating func changes(at now: ContinuousClock.Instant) -> [SubscriptionChange] {
        guard !deadlines.isEmpty || !queue.isEmpty else { return [] }
        var changes: [SubscriptionChange] = []
        // Those that wait are older than those that are due now. Who cancels topics makes room for both.
        let due = deadlines.filter { $0.value <= now }.keys
        for id in due { append(to: &changes, from: id, mayAsk: queue.isEmpty, at: now) }
        while askers.count < Self.maxOpenTopics, let id = queue.popFirst() {
            guard queued.remove(id) != nil else { continue }
            append(to: &changes, from: id, mayAsk: true, at: now)
        }
        return changes
    }

    private mutating func append(
        to changes: inout [SubscriptionChange], from id: UInt64, mayAsk: Bool, at now: ContinuousClock.Instant
    ) {
        guard let subscriber = subscribers[id] else { return }
        let mayAsk = mayAsk && askers.count < Self.maxOpenTopics
        for change in subscriber.changes(at: now, mayAsk: mayAsk) {
            switch change {
            case .subscribe(let topic): askers[topic] = id
            case .unsubscribe(let topic): askers[topic] = nil
            }
            changes.append(change)
        }
        if !mayAsk, let deadline = subscriber.deadline, deadline <= now, queued.insert(id).inserted {
            queue.append(id)
        }
        updateDeadline(of: id, subscriber)
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
            updateDeadline(of: id, subscriber)
        }
    }

    private mutating func updateDeadline(of id: UInt64, _ subscriber: any Subscriber) {
        deadlines[id] = queued.contains(id) ? nil : subscriber.deadline
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
