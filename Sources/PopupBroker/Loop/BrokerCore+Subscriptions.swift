import Logging
import PopupProtocol
import PopupScheduling

// Subscriptions come in on the egress socket. Whoever subscribes to states is sent the present ones.
extension BrokerCore {
    /// So many subscriptions at most are taken in one turn.
    private static var subscriptionsAtOnce: Int { 1024 }

    /// So often at most the transport drops some thousand frames that are no subscriptions. They come in without end,
    /// as libzmq keeps them without a limit: fewer at once would leave more behind than are dropped.
    private static var droppingsAtOnce: Int { 64 }

    /// Takes subscriptions, withdrawals and ends of connections, as long as what is sent for them is within bounds.
    /// Returns whether there may be more.
    mutating func takeSubscriptions() throws -> Bool {
        let transport = transport
        var budget = PublishingBudget()
        var droppings = 0
        for _ in 0..<Self.subscriptionsAtOnce where !budget.isSpent {
            var taken: (connection: ConnectionID, change: SubscriptionChange, prefix: [UInt8])?
            let isTaken = try transport.receiveSubscription { connection, change, prefix in
                taken = (connection, change, prefix.withUnsafeBytes { Array($0) })
            }
            guard isTaken else { return false }
            guard let taken else {
                droppings += 1
                if droppings == Self.droppingsAtOnce { return true }
                continue
            }
            switch taken.change {
            case .subscribed: try subscribe(taken.prefix, of: taken.connection, &budget)
            case .withdrawn: withdraw(taken.prefix, of: taken.connection)
            case .ended: forget(taken.connection)
            }
        }
        return true
    }

    private mutating func subscribe(
        _ prefix: [UInt8], of connection: ConnectionID, _ budget: inout PublishingBudget
    ) throws {
        trace("subscribed", prefix)
        var counted: SubscriptionCounts.Channels?
        while counted == nil {
            switch subscriptionCounts.add(prefix, of: connection) {
            case .counted(let channels): counted = channels
            case .excessive(let largest, let limit):
                cut(largest, beyond: limit)
                // Whoever holds less than another keeps its place.
                if largest == connection { return }
            }
        }
        guard let matching = counted else { return }
        guard subscriptionCounts.isAnswered(connection) else { return }
        if matching.contains(.state) { try repeatStates(Channel.state, prefix, isJSON: false, &budget) }
        if matching.contains(.stateJSON) { try repeatStates(Channel.stateJSON, prefix, isJSON: true, &budget) }
        if SubscriptionCounts.isSync(prefix) { answerSync(prefix, of: connection) }
        if !matching.isDisjoint(with: [.acks, .acksJSON]) { try repeatAck(prefix, on: matching) }
    }

    private mutating func withdraw(_ prefix: [UInt8], of connection: ConnectionID) {
        trace("unsubscribed", prefix)
        guard subscriptionCounts.remove(prefix, of: connection) else { return }
        if SubscriptionCounts.isSync(prefix) { syncs.withdraw(prefix, of: connection) }
    }

    private mutating func forget(_ connection: ConnectionID) {
        for prefix in subscriptionCounts.removeAll(of: connection) { syncs.withdraw(prefix, of: connection) }
    }

    private func trace(_ change: Logger.Message, _ prefix: @autoclosure () -> [UInt8]) {
        logger.trace(change, metadata: ["prefix": "\(String(decoding: prefix(), as: UTF8.self))"])
    }

    /// Cuts off a subscriber that holds more subscriptions than a limit allows.
    private mutating func cut(_ connection: ConnectionID, beyond limit: String) {
        forget(connection)
        transport.disconnect(connection, because: "its subscriptions are beyond the limit `\(limit)`")
    }

    /// Counts and logs the connections that were cut off.
    mutating func noteCutConnections() {
        for cut in transport.takeCutConnections() {
            stats.connectionsCut += 1
            cuts.note(cut, at: now)
        }
    }

    /// A producer that subscribes to its acknowledgements, perhaps again, learns what is settled.
    private mutating func repeatAck(_ prefix: [UInt8], on channels: SubscriptionCounts.Channels) throws {
        guard case .acks(let producer, _)? = Topic(String(decoding: prefix, as: UTF8.self)) else { return }
        try sendAck(to: producer, on: channels)
    }

    private mutating func repeatStates(
        _ channel: Channel, _ prefix: [UInt8], isJSON: Bool, _ budget: inout PublishingBudget
    ) throws {
        // A prefix of the channel itself matches every group.
        let groupPrefix = Array(prefix.dropFirst(channel.prefix.utf8.count))
        let groups = state.groups(withPrefix: groupPrefix.span.bytes, limit: LateJoinReplay.mostGroups + 1)
        guard groups.count <= LateJoinReplay.mostGroups else { return }
        for group in groups {
            let request = LateJoinReplay.Request(group: group, isJSON: isJSON)
            if lateJoinReplay.take(request, at: now) { try serve(request, &budget) }
        }
    }

    mutating func serve(_ request: LateJoinReplay.Request, _ budget: inout PublishingBudget) throws {
        let channel: SubscriptionCounts.Channels = request.isJSON ? .stateJSON : .state
        try publishState(of: request.group, to: channel)
        budget.spend(bytes: publishedBytes(on: channel))
    }
}
