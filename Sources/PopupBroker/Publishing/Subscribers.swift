import Logging
import PopupAccess
import PopupProtocol

/// The subscribers: their connections, subscriptions, and requests of `sync/…`.
///
/// It receives the subscriptions and withdrawals from the transport. A subscription counts if it is permitted. The
/// connections that are beyond a limit are cut off.
struct Subscribers {
    typealias Channels = SubscriptionCounts.Channels

    /// The outcome of a reception.
    enum Reception {
        /// There is nothing more to receive.
        case nothing
        /// Frames that are not subscriptions. They are dropped.
        case dropped
        /// A withdrawal, the end of a connection, or a subscription that is not answered.
        case recorded
        /// A subscription to be answered, with the channels that it matches.
        case subscribed(prefix: [UInt8], Channels)
    }

    private let transport: any Transport
    private let logger: Logger
    /// The subscriptions of all subscribers.
    private(set) var counts: SubscriptionCounts
    /// The answers to `sync/…` that were asked for.
    var syncs: Syncs
    /// The counted subscriptions that came while nothing was published.
    private var unanswered: [ConnectionID: Set<[UInt8]>] = [:]
    /// The subscriptions that are answered next, in reverse order; some may have ended.
    private var answeredNext: [(connection: ConnectionID, prefix: [UInt8])] = []

    /// Creates the subscribers of a broker, of which there are none yet.
    init(_ limits: BrokerLimits, transport: any Transport, logger: Logger) {
        self.transport = transport
        self.logger = logger
        counts = SubscriptionCounts(SubscriptionCounts.Bounds(limits))
        syncs = Syncs(maxActive: limits.activeSyncs, maxWaiting: limits.queuedSyncs)
    }

    /// The channels with at least one subscription.
    var channels: Channels { counts.channels }

    /// Receives the next subscription, withdrawal or end of a connection, and records it.
    ///
    /// - Parameters:
    ///   - access: Decides whether a subscription takes effect.
    ///   - requests: The requests that go with it.
    mutating func receive(
        _ access: inout AccessControl, _ sessions: borrowing ProducerSessions, _ requests: inout SubscriptionRequests
    ) throws -> Reception {
        if !unanswered.isEmpty { beginAnswering() }
        if !answeredNext.isEmpty, let (connection, prefix) = answeredNext.popLast() {
            guard let matching = counts.channels(of: prefix, of: connection), counts.isAnswered(connection) else {
                return .recorded
            }
            return answer(prefix, of: connection, matching, &requests)
        }
        return try receive(&access, sessions, &requests) { subscribers, prefix, connection, matching, requests in
            subscribers.answer(prefix, of: connection, matching, &requests)
        }
    }

    /// Receives the next one in the same way while nothing may be published: a subscription is answered later.
    private mutating func record(
        _ access: inout AccessControl, _ sessions: borrowing ProducerSessions, _ requests: inout SubscriptionRequests
    ) throws -> Reception {
        try receive(&access, sessions, &requests) { subscribers, prefix, connection, _, _ in
            subscribers.unanswered[connection, default: []].insert(prefix)
            return .recorded
        }
    }

    /// The maximum number of subscriptions that are recorded at once.
    private static var recordedAtOnce: Int { 4096 }

    /// The maximum number of times that the transport drops some thousand frames at once that are not subscriptions.
    private static var droppingsAtOnce: Int { 64 }

    /// Records a bounded number of them. Returns whether there may be more.
    mutating func recordSome(
        _ access: inout AccessControl, _ sessions: borrowing ProducerSessions, _ requests: inout SubscriptionRequests
    ) throws -> Bool {
        var droppings = 0
        for _ in 0..<Self.recordedAtOnce {
            switch try record(&access, sessions, &requests) {
            case .nothing: return false
            case .dropped:
                droppings += 1
                if droppings == Self.droppingsAtOnce { return true }
            case .recorded, .subscribed: break
            }
        }
        return true
    }

    @inline(__always)
    private mutating func receive(
        _ access: inout AccessControl, _ sessions: borrowing ProducerSessions, _ requests: inout SubscriptionRequests,
        answer: (inout Subscribers, [UInt8], ConnectionID, Channels, inout SubscriptionRequests) -> Reception
    ) throws -> Reception {
        var taken: (connection: ConnectionID, user: UserName?, change: SubscriptionChange, prefix: [UInt8])?
        var denial: String?
        let isTaken = try transport.receiveSubscription { connection, user, change, prefix in
            let prefix = prefix.withUnsafeBytes { Array($0) }
            taken = (connection, user, change, prefix)
            if change == .subscribed { denial = access.denial(ofSubscription: prefix, by: user, sessions) }
            return denial == nil
        }
        guard isTaken else { return .nothing }
        guard let taken else { return .dropped }
        switch taken.change {
        case .subscribed:
            if let denial { requests.denials.append(denial) }
            let matching = count(taken.prefix, of: taken.connection, by: taken.user, isDenied: denial != nil)
            guard denial == nil, let matching else { return .recorded }
            return answer(&self, taken.prefix, taken.connection, matching, &requests)
        case .withdrawn: withdraw(taken.prefix, of: taken.connection)
        case .ended: forget(taken.connection)
        }
        return .recorded
    }

    /// Answers a subscription that is counted.
    private mutating func answer(
        _ prefix: [UInt8], of connection: ConnectionID, _ matching: Channels, _ requests: inout SubscriptionRequests
    ) -> Reception {
        if SubscriptionCounts.isSync(prefix) { answerSync(prefix, of: connection, &requests) }
        if !matching.isDisjoint(with: [.acks, .acksJSON]) { requests.addAcks(prefix, to: matching) }
        return .subscribed(prefix: prefix, matching)
    }

    /// Puts what has to be answered into an order that does not depend on a hash table.
    private mutating func beginAnswering() {
        var added: [(connection: ConnectionID, prefix: [UInt8])] = []
        for (connection, prefixes) in unanswered.sorted(by: { $0.key.number > $1.key.number }) {
            added += prefixes.sorted { $1.lexicographicallyPrecedes($0) }.map { (connection, $0) }
        }
        answeredNext = added + answeredNext
        unanswered = [:]
    }

    /// Takes over the subscriptions of others, in place of which it is from now on: under its own limits, and as these
    /// rules decide. Connections on whose subscriptions the rules of the others decided otherwise are cut off: they
    /// come again.
    mutating func adopt(
        _ others: Subscribers, _ access: inout AccessControl, _ sessions: borrowing ProducerSessions,
        _ requests: inout SubscriptionRequests
    ) {
        for (connection, user, prefixes) in others.counts.all {
            for (prefix, wasDenied) in prefixes {
                let denial = access.denial(ofSubscription: prefix, by: user, sessions)
                guard (denial != nil) == wasDenied else {
                    forget(connection)
                    transport.disconnect(
                        connection, because: "the rights of its user are known only now; it may connect again")
                    break
                }
                if let denial { requests.denials.append(denial) }
                if count(prefix, of: connection, by: user, isDenied: wasDenied) != nil, !wasDenied {
                    unanswered[connection, default: []].insert(prefix)
                }
            }
        }
    }

    /// Counts a subscription; the connections that are beyond a limit by it are cut off.
    ///
    /// - Returns: The channels that it matches; `nil` for one that is not answered.
    private mutating func count(
        _ prefix: [UInt8], of connection: ConnectionID, by user: UserName?, isDenied: Bool
    ) -> Channels? {
        trace("subscribed", prefix)
        while true {
            switch counts.add(prefix, of: connection, by: user, isDenied: isDenied) {
            case .counted(let matching): return counts.isAnswered(connection) ? matching : nil
            case .excessive(let largest, let limit):
                forget(largest)
                transport.disconnect(largest, because: "its subscriptions are beyond the limit `\(limit)`")
                // Connections with fewer bytes than another one keep theirs.
                if largest == connection { return nil }
            }
        }
    }

    private mutating func withdraw(_ prefix: [UInt8], of connection: ConnectionID) {
        trace("unsubscribed", prefix)
        if !unanswered.isEmpty { unanswered[connection]?.remove(prefix) }
        guard counts.remove(prefix, of: connection) else { return }
        if SubscriptionCounts.isSync(prefix) { syncs.withdraw(prefix, of: connection) }
    }

    private mutating func forget(_ connection: ConnectionID) {
        if !unanswered.isEmpty { unanswered[connection] = nil }
        for prefix in counts.removeAll(of: connection) { syncs.withdraw(prefix, of: connection) }
    }

    /// Begins the answer to a subscription if it is to a topic of `sync`.
    private mutating func answerSync(
        _ prefix: [UInt8], of connection: ConnectionID, _ requests: inout SubscriptionRequests
    ) {
        guard case .sync(_, _, let group, let encoding)? = Topic(String(decoding: prefix, as: UTF8.self)) else {
            // Shorter prefixes are not requests: a client may subscribe to all answers in advance.
            if prefix.count(where: { $0 == UInt8(ascii: "/") }) >= 4 { requests.invalidSyncs.append(prefix) }
            return
        }
        let answer = Syncs.Answer(
            topic: prefix, connection: connection, isJSON: encoding == .json,
            prefix: group.map { Array("\($0)/".utf8) } ?? [])
        guard syncs.add(answer) else {
            return logger.debug(
                "too many answers to sync wait; the client asks again", metadata: ["limit": "queuedSyncs"])
        }
    }

    /// Cuts off the connections of some users with a subscription about which these rules decide differently than
    /// before.
    mutating func cutChanged(
        _ reason: String, _ access: AccessControl, _ sessions: borrowing ProducerSessions,
        of isConcerned: (UserName?) -> Bool
    ) {
        let changed = counts.connections(of: isConcerned) { prefix, isDenied, user in
            access.wouldChange(prefix, isDenied: isDenied, by: user, sessions)
        }
        for connection in changed {
            forget(connection)
            transport.disconnect(connection, because: reason)
        }
    }

    private func trace(_ change: Logger.Message, _ prefix: @autoclosure () -> [UInt8]) {
        logger.trace(change, metadata: ["prefix": "\(String(decoding: prefix(), as: UTF8.self))"])
    }
}

/// The requests of subscribers that the publisher does not serve itself.
struct SubscriptionRequests {
    /// The acknowledgements of producers, with the channels.
    var acks: [(producer: ProducerName, channels: SubscriptionCounts.Channels)] = []
    /// The reasons of the subscriptions that were denied.
    var denials: [String] = []
    /// The topics of `sync` that cannot be answered.
    var invalidSyncs: [[UInt8]] = []

    /// Adds a request for an acknowledgement, if the prefix is the topic of one.
    mutating func addAcks(_ prefix: [UInt8], to channels: SubscriptionCounts.Channels) {
        guard case .acks(let producer, _)? = Topic(String(decoding: prefix, as: UTF8.self)) else { return }
        acks.append((producer, channels))
    }
}
