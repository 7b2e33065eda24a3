import Logging
import PopupProtocol
import PopupScheduling

// Subscriptions come in on the egress socket. Whoever subscribes to states is sent the present ones.
extension BrokerCore {
    /// So many subscriptions at most are taken in one turn.
    private static var subscriptionsAtOnce: Int { 1024 }

    /// Takes subscriptions and withdrawals. Returns whether there may be more.
    mutating func takeSubscriptions() throws -> Bool {
        let transport = transport
        for _ in 0..<Self.subscriptionsAtOnce {
            var taken: (prefix: [UInt8], isSubscription: Bool)?
            guard try transport.receiveSubscription({ taken = ($0.withUnsafeBytes { Array($0) }, $1) }) else {
                return false
            }
            if let taken { try note(taken.prefix, isSubscription: taken.isSubscription) }
        }
        return true
    }

    private mutating func note(_ prefix: [UInt8], isSubscription: Bool) throws {
        let matching = interest.count(prefix, isSubscription: isSubscription)
        logger.trace(
            isSubscription ? "subscribed" : "unsubscribed",
            metadata: ["prefix": "\(String(decoding: prefix, as: UTF8.self))"])
        if !isSubscription, isSync(prefix) { syncs.withdraw(prefix) }
        guard isSubscription, interest.subscriptions <= configuration.limits.subscriptions else { return }
        if matching.contains(.state) { try repeatStates(Channel.state, prefix, isJSON: false) }
        if matching.contains(.stateJSON) { try repeatStates(Channel.stateJSON, prefix, isJSON: true) }
        if isSync(prefix) { answerSync(prefix) }
        if !matching.isDisjoint(with: [.acks, .acksJSON]) { try repeatReceipt(prefix, on: matching) }
    }

    private func isSync(_ prefix: [UInt8]) -> Bool {
        prefix.starts(with: Self.syncPrefix) || prefix.starts(with: Self.syncJSONPrefix)
    }

    /// A producer that subscribes to its receipts, perhaps again, learns what is settled.
    private mutating func repeatReceipt(_ prefix: [UInt8], on channels: Interest.Channels) throws {
        guard case .acks(let producer, _)? = Topic(String(decoding: prefix, as: UTF8.self)) else { return }
        try giveReceipt(to: producer, on: channels)
    }

    private mutating func repeatStates(_ channel: Channel, _ prefix: [UInt8], isJSON: Bool) throws {
        // A prefix of the channel itself matches every group.
        let groupPrefix = Array(prefix.dropFirst(channel.prefix.utf8.count))
        let groups = scheduler.groups(withPrefix: groupPrefix.span.bytes, limit: Repetitions.mostGroups + 1)
        guard groups.count <= Repetitions.mostGroups else { return }
        for group in groups {
            let wish = Repetitions.Wish(group: group, isJSON: isJSON)
            if repetitions.take(wish, at: now) { try serve(wish) }
        }
    }

    private static let syncPrefix = Array(Channel.sync.prefix.utf8)
    private static let syncJSONPrefix = Array(Channel.syncJSON.prefix.utf8)

    mutating func serve(_ wish: Repetitions.Wish) throws {
        try publishState(of: wish.group, to: wish.isJSON ? .stateJSON : .state)
    }
}
