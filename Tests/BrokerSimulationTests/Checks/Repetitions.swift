@testable import PopupBroker
import PopupProtocol
import PopupScheduling

/// That states are sent again without anybody's asking: to whoever has just subscribed, within a window, and to all
/// again and again, for those that missed them.
struct Repetitions {
    /// The channels with a message for each state.
    static let channels: [Channel] = [.state, .stateJSON, .stateFrame]

    /// The states of a group on one of the channels.
    private struct Place: Hashable {
        var group: String
        var channel: Channel

        var topic: String { channel.prefix + group + "/" }

        /// Whether they are sent again to whoever subscribes to the prefix.
        func isAsked(by prefix: String) -> Bool {
            topic.hasPrefix(prefix) && (channel != .stateFrame || prefix.hasPrefix(channel.prefix))
        }
    }

    /// A subscriber that has not got the state of a group yet.
    private struct Debt {
        var subscriber: ConnectionID
        var place: Place
        /// By the broker's clock; `nil`: the turn in which it began is not over.
        var due: Milliseconds?
    }

    /// How a state was sent last.
    private struct Telling {
        var at: Milliseconds?
        var revision: UInt64
        var showsNothing: Bool
        /// How often since it changed; so often that it need not be any more, if it isn't known when that was.
        var repetitions: Int
    }

    /// So often the state of a group that shows nothing any more is sent again.
    private static let emptiedTimes = 3

    private let refreshInterval: Milliseconds
    /// In a slot of an interval, which begins at any time.
    private let longest: Milliseconds
    /// When the broker last had nothing to do.
    private var rested: Milliseconds?
    private var debts: [Debt] = []
    private var tellings: [Place: Telling] = [:]
    /// The groups that there were when the last turn was over.
    private var groups: Set<String> = []
    private var subscriptions: [(subscriber: ConnectionID, prefix: String)] = []
    /// Since when somebody subscribes to the states of a group on a channel.
    private var askedSince: [Place: Milliseconds] = [:]

    /// - Parameter refreshInterval: Within which each state is sent again.
    init(refreshInterval: Milliseconds) {
        self.refreshInterval = refreshInterval
        longest = refreshInterval + refreshInterval / 50 + 2
    }

    /// A process has begun: nobody is connected.
    mutating func begin(with groups: some Sequence<String>) {
        debts.removeAll()
        tellings.removeAll()
        subscriptions.removeAll()
        askedSince.removeAll()
        self.groups = Set(groups)
        rested = nil
    }

    // MARK: - What happens in a turn

    /// The broker takes a subscription.
    mutating func noteSubscription(of subscriber: ConnectionID, to prefix: String) {
        subscriptions.append((subscriber, prefix))
        for group in groups {
            for channel in Self.channels {
                let place = Place(group: group, channel: channel)
                guard place.isAsked(by: prefix) else { continue }
                debts.append(Debt(subscriber: subscriber, place: place))
            }
        }
    }

    /// The broker takes a withdrawal.
    mutating func noteWithdrawal(of subscriber: ConnectionID, from prefix: String) {
        subscriptions.removeAll { $0.subscriber == subscriber && $0.prefix == prefix }
        debts.removeAll { $0.subscriber == subscriber && $0.place.topic.hasPrefix(prefix) }
    }

    /// A connection has ended.
    mutating func noteEnd(of subscriber: ConnectionID) {
        subscriptions.removeAll { $0.subscriber == subscriber }
        debts.removeAll { $0.subscriber == subscriber }
    }

    /// A state leaves for these subscribers.
    mutating func note(_ state: WireGroupState, on channel: Channel, to subscribers: [ConnectionID]) {
        let place = Place(group: state.group, channel: channel)
        debts.removeAll { $0.place == place && subscribers.contains($0.subscriber) }
        let last = tellings[place]
        let isChange = state.hasCause || last.map { $0.revision != state.revision } ?? false
        tellings[place] = Telling(
            revision: state.revision, showsNothing: !state.hasActive,
            repetitions: isChange ? 0 : (last?.repetitions).map { $0 + 1 } ?? Self.emptiedTimes)
    }

    // MARK: - What must have happened

    /// The broker has nothing to do at this time.
    mutating func settle(_ broker: SimulatedBroker) throws(Failure) {
        let now = broker.loop.clock
        groups = Set(broker.groups.map(broker.name))
        debts.removeAll { !groups.contains($0.place.group) }
        for index in debts.indices where debts[index].due == nil { debts[index].due = now + LateJoinReplay.window }
        noteAsked(at: now)
        for place in tellings.keys where tellings[place]?.at == nil { tellings[place]?.at = now }
        beginAgain(ifAfterPauseAt: now)
        // What is later than a batch in flight waits for it.
        guard broker.loop.timeInFlight == nil else { return }
        if let debt = debts.first(where: { $0.due.map { $0 <= now } ?? false }) {
            throw Failure(
                check: "late joiners get the states",
                detail: "\(debt.place.topic) not sent to \(debt.subscriber), due at \(debt.due ?? 0), at \(now)")
        }
        for group in broker.groups {
            guard let state = broker.loop.state.scheduler.state(of: group, at: now) else { continue }
            try checkRefresh(of: broker.name(of: group), showsNothing: state.active == nil, at: now)
        }
    }

    /// Notes which states somebody subscribes to now. Nobody is told of the others.
    private mutating func noteAsked(at now: Milliseconds) {
        let places = groups.flatMap { group in Self.channels.map { Place(group: group, channel: $0) } }
        let before = askedSince
        askedSince.removeAll()
        for place in places where subscriptions.contains(where: { place.isAsked(by: $0.prefix) }) {
            askedSince[place] = before[place] ?? now
        }
        // What was told to nobody here may have been told often enough to others.
        tellings = tellings.filter { before[$0.key] != nil }
    }

    /// A broker that did not run for an interval does not make up for it: each state has its interval from now on.
    private mutating func beginAgain(ifAfterPauseAt now: Milliseconds) {
        defer { rested = now }
        guard let rested, now - rested >= refreshInterval else { return }
        for place in tellings.keys { tellings[place]?.at = now }
        for place in askedSince.keys { askedSince[place] = now }
    }

    private func checkRefresh(of group: String, showsNothing: Bool, at now: Milliseconds) throws(Failure) {
        for channel in Self.channels {
            let place = Place(group: group, channel: channel)
            guard let since = askedSince[place] else { continue }
            let telling = tellings[place]
            if showsNothing {
                guard let telling, telling.showsNothing, telling.repetitions < Self.emptiedTimes else { continue }
            }
            let last = max(since, telling?.at ?? since)
            guard now - last > longest else { continue }
            throw Failure(check: "states are sent again", detail: "\(place.topic) not since \(last), at \(now)")
        }
    }
}
