import Logging
import PopupAccess
import PopupProtocol
import PopupScheduling

/// The publisher: sends changes to subscribers, and repeats them for those that join late or have missed them.
///
/// It owns the subscribers, and the messages still to be sent. A body is encoded only while a client
/// subscribes to its channel and group. Messages that are not caused by commands and timers are limited in each turn.
///
///     changes, events, replies, acknowledgements ──▶ ┐
///     subscriptions ──▶ late-join replay, sync ────▶ ├──▶ transport
///     time ──▶ refresh, heartbeat ─────────────────▶ ┘
struct Publisher: ~Copyable {
    typealias Channels = SubscriptionCounts.Channels

    private var writer: MessageWriter
    private var subscribers: Subscribers
    private var lateJoinReplay = LateJoinReplay()
    private var refresh: Refresh
    private var changes: RecentChanges
    /// The numbers of changes and of events in the loop's buffer that are published.
    private var publishedChanges = 0
    private var publishedEvents = 0

    /// Creates a publisher without subscribers.
    init(
        _ configuration: BrokerConfiguration, transport: any Transport, logger: Logger, epoch: UInt64,
        at now: Milliseconds
    ) {
        writer = MessageWriter(transport: transport, epoch: epoch)
        subscribers = Subscribers(configuration.limits, transport: transport, logger: logger)
        refresh = Refresh(interval: configuration.refreshInterval, at: now)
        changes = RecentChanges(at: now)
    }

    /// The epoch of the broker, which each message names.
    var epoch: UInt64 { writer.epoch }

    /// The channels with at least one subscription.
    var channels: Channels { subscribers.channels }

    /// The number of current subscriptions.
    var subscriptions: Int { subscribers.counts.subscriptions }

    /// The size of the prefixes of all subscriptions in bytes.
    var subscriptionBytes: Int { subscribers.counts.bytes }

    /// The number of answers to `sync/…` that are being sent.
    var activeSyncs: Int { subscribers.syncs.activeCount }

    /// The number of answers to `sync/…` that wait for others.
    var queuedSyncs: Int { subscribers.syncs.queuedCount }

    /// Whether acknowledgements have a subscriber.
    var wantsAcks: Bool { !channels.isDisjoint(with: [.acks, .acksJSON]) }

    /// Whether replies have a subscriber. Otherwise no query needs an answer.
    var wantsReplies: Bool { !channels.isDisjoint(with: [.replies, .repliesJSON]) }

    private var wantsStates: Bool { !channels.isDisjoint(with: .states) }

    // MARK: - What commands and timers bring

    /// Publishes the changed states and the events that the last step has appended to the buffer.
    ///
    /// - Parameter user: The user whose command the step is part of; empty: none.
    @inline(__always)
    mutating func publishChanges(
        of output: borrowing EventBuffer, in state: borrowing BrokerState, by user: String = "", at now: Milliseconds
    ) throws {
        let channels = channels
        while publishedChanges < output.changes.count {
            let change = output.changes[publishedChanges]
            publishedChanges += 1
            changes.record(change.group, at: now)
            if !channels.isDisjoint(with: .states.union(.feed)) {
                let isEmpty = try writer.sendState(
                    of: change.group, in: state, at: now, to: channels, subscribers.counts.topics,
                    because: change.cause.flatMap { StateCause(output.events[$0]) }, in: output)
                refresh.record(change.group, isEmpty: isEmpty)
            }
        }
        if channels.isDisjoint(with: [.events, .eventsJSON]) {
            publishedEvents = output.events.count
        } else {
            while publishedEvents < output.events.count {
                let event = output.events[publishedEvents]
                publishedEvents += 1
                let channels = self.channels(channels, of: event, in: output)
                if channels.isEmpty { continue }
                var message = EventEncoder.event(event, in: output)
                message.by = user
                message.epoch = writer.epoch
                try writer.send(message, to: channels)
            }
        }
    }

    /// Returns those of the channels of events on which a client may subscribe to the group of an event.
    private func channels(_ channels: Channels, of event: Event, in output: borrowing EventBuffer) -> Channels {
        var followed: Channels = []
        output.withText(event.group) {
            followed = subscribers.counts.topics.channels(channels.intersection([.events, .eventsJSON]), ofGroup: $0)
        }
        return followed
    }

    /// Resets the numbers of published changes and events, because the buffer was emptied.
    mutating func forgetOutput() {
        publishedChanges = 0
        publishedEvents = 0
    }

    /// Publishes the changes gathered for `feed/`.
    mutating func publishFeed() throws { try writer.sendFeed() }

    /// Publishes an event that is not in a buffer.
    mutating func publish(_ event: WireEvent) throws {
        var event = event
        event.epoch = writer.epoch
        try writer.send(event, to: channels)
    }

    /// Publishes the answer to a query.
    mutating func publish(_ reply: WireReply) throws { try writer.send(reply, to: channels) }

    /// Publishes an acknowledgement.
    ///
    /// - Parameter channels: The channels of the subscription that asked for it; `nil` for all.
    /// - Returns: Its cost for the budget, in bytes.
    @discardableResult
    mutating func publish(
        _ ack: Acknowledgement, in state: borrowing BrokerState, to channels: Channels? = nil
    ) throws -> Int {
        let bytes = try writer.send(ack, in: state, to: channels ?? self.channels)
        return bytes * (self.channels.contains(.acksJSON) ? Syncs.costOfJSON : 1)
    }

    /// The cost of an event for the budget of a turn.
    var costOfEvent: Int {
        channels.contains(.eventsJSON) ? Syncs.costOfJSON : channels.contains(.events) ? 2 : 1
    }

    /// The cost of a changed state for the budget of a turn.
    var costOfChange: Int { channels.contains(.stateJSON) ? 4 : 1 }

    // MARK: - What subscriptions bring

    /// The maximum number of subscriptions that are received in one turn.
    private static var subscriptionsAtOnce: Int { 1024 }

    /// The maximum number of times per turn that the transport drops some thousand frames that are not subscriptions.
    /// libzmq keeps them without a limit: with a smaller number, more might arrive than are dropped.
    private static var droppingsAtOnce: Int { 64 }

    /// Handles subscriptions, withdrawals and ends of connections, within the budget.
    ///
    /// - Parameters:
    ///   - access: Decides which of them take effect.
    ///   - requests: The requests that the publisher does not serve itself.
    /// - Returns: Whether there may be more of them.
    mutating func takeSubscriptions(
        in state: inout BrokerState, at now: Milliseconds, _ access: inout AccessControl,
        _ requests: inout SubscriptionRequests
    ) throws -> Bool {
        var budget = PublishingBudget()
        var droppings = 0
        for _ in 0..<Self.subscriptionsAtOnce where !budget.isSpent {
            switch try subscribers.receive(&access, state.producers, &requests) {
            case .nothing: return false
            case .dropped:
                droppings += 1
                if droppings == Self.droppingsAtOnce { return true }
            case .recorded: break
            case .subscribed(let prefix, let matching):
                for channel in [Channel.state, .stateJSON, .stateFrame] where matching.contains(Channels(channel)) {
                    try repeatStates(channel, prefix, in: &state, at: now, &budget)
                }
            }
        }
        return true
    }

    /// Handles them in the same way while nothing may be published: they are answered later.
    ///
    /// - Returns: Whether there may be more of them.
    mutating func recordSubscriptions(
        _ access: inout AccessControl, _ sessions: borrowing ProducerSessions, _ requests: inout SubscriptionRequests
    ) throws -> Bool { try subscribers.recordSome(&access, sessions, &requests) }

    /// Takes over the subscriptions of a standby: see `Subscribers.adopt`.
    mutating func adopt(
        _ standby: Subscribers, _ access: inout AccessControl, _ sessions: borrowing ProducerSessions,
        _ requests: inout SubscriptionRequests
    ) { subscribers.adopt(standby, &access, sessions, &requests) }

    /// Cuts off the connections with subscriptions about which these rules decide differently than those before: the
    /// clients connect again, and the new rules decide.
    mutating func applyRules(of access: AccessControl, _ sessions: borrowing ProducerSessions) {
        let reason = "the rights of its user have changed; it may connect again"
        subscribers.cutChanged(reason, access, sessions) { _ in true }
    }

    /// Closes the connections of users that read under names that no longer belong to them.
    mutating func endReading(
        of users: Set<UserName?>, _ access: AccessControl, _ sessions: borrowing ProducerSessions
    ) {
        let reason = "a name under which it reads no longer belongs to its user; it may connect again"
        subscribers.cutChanged(reason, access, sessions) { users.contains($0) }
    }

    private mutating func repeatStates(
        _ channel: Channel, _ prefix: [UInt8], in state: inout BrokerState, at now: Milliseconds,
        _ budget: inout PublishingBudget
    ) throws {
        // A prefix of the channel's name matches every group.
        let groupPrefix = Array(prefix.dropFirst(channel.prefix.utf8.count))
        let groups = state.groups(withPrefix: groupPrefix.span.bytes, limit: LateJoinReplay.maxGroups + 1)
        guard groups.count <= LateJoinReplay.maxGroups else { return }
        for group in groups {
            let request = LateJoinReplay.Request(group: group, channel: channel)
            if lateJoinReplay.take(request, at: now) { try serve(request, in: state, at: now, &budget) }
        }
    }

    private mutating func serve(
        _ request: LateJoinReplay.Request, in state: borrowing BrokerState, at now: Milliseconds,
        _ budget: inout PublishingBudget
    ) throws {
        let bytes = try writer.repeatState(
            of: request.group, in: state, at: now, to: Channels(request.channel), subscribers.counts.topics)
        budget.spend(bytes: bytes)
    }

    // MARK: - Answers to `sync`

    /// Continues the active answers to `sync`: some thousand states, then the end. Changes meanwhile are sent on
    /// `state/…`, to which the client has subscribed before.
    ///
    /// - Returns: Whether there is more to do.
    mutating func serveSyncs(in state: inout BrokerState, at now: Milliseconds) throws -> Bool {
        var budget = Syncs.Budget()
        while !budget.isSpent, var answer = subscribers.syncs.takeNext() {
            let scope = answer.scope ?? Syncs.Scope(of: answer, in: &state)
            answer.scope = scope
            let isFinished = try writer.sendPart(of: &answer, scope, in: state, at: now, &budget)
            if isFinished { subscribers.syncs.fill() } else { subscribers.syncs.putBack(answer) }
        }
        return !subscribers.syncs.isEmpty
    }

    // MARK: - What time brings

    /// Sends repetitions and heartbeats that are due, within the budget. Returns whether there is more.
    mutating func republishDue(in state: borrowing BrokerState, at now: Milliseconds) throws -> Bool {
        var budget = PublishingBudget()
        while !budget.isSpent, let request = lateJoinReplay.takeDue(at: now) {
            try serve(request, in: state, at: now, &budget)
        }
        if wantsStates { try refreshStates(in: state, at: now, &budget) } else { refresh.skip(to: now) }
        let hasMore = budget.isSpent || wantsStates && refresh.isBehind(at: now)
        guard channels.contains(.heartbeat), changes.due <= now else { return hasMore }
        // Sent even if states remain, since this is the heartbeat.
        return try sendHeartbeat(in: state, at: now) || hasMore
    }

    private mutating func refreshStates(
        in state: borrowing BrokerState, at now: Milliseconds, _ budget: inout PublishingBudget
    ) throws {
        let channels = channels.intersection(.states)
        for _ in 0..<PublishingBudget.groups where !budget.isSpent {
            guard let number = refresh.takeDue(at: now, capacity: state.scheduler.groupCapacity) else { return }
            let group = GroupIndex(number: number)
            guard let current = state.scheduler.state(of: group, at: now),
                refresh.isWanted(group, isEmpty: current.active == nil)
            else { continue }
            budget.spend(
                bytes: try writer.repeatState(of: group, in: state, at: now, to: channels, subscribers.counts.topics))
        }
    }

    /// Sends a heartbeat with the revisions of the groups that changed lately, in several messages if there are many.
    /// Returns whether there are more, for another turn.
    private mutating func sendHeartbeat(in state: borrowing BrokerState, at now: Milliseconds) throws -> Bool {
        var budget = PublishingBudget()
        while !budget.isSpent {
            var groups: [GroupIndex] = []
            let hasMore = changes.takeDue(at: now, &groups)
            try writer.sendHeartbeat(of: groups, in: state, at: now)
            budget.spend(bytes: Self.groupRevisionCost * groups.count)
            if !hasMore { return false }
        }
        return true
    }

    /// The cost of a group's revision in bytes of a state: it is short, but must be looked up.
    private static var groupRevisionCost: Int { 128 }

    /// Returns the time at which something is to be repeated; `nil` if nothing is.
    func nextDue(in state: borrowing BrokerState) -> Milliseconds? {
        var next = lateJoinReplay.due
        if wantsStates { next = next.orEarlier(refresh.nextDue(capacity: state.scheduler.groupCapacity)) }
        if channels.contains(.heartbeat) { next = next.orEarlier(changes.due) }
        return next
    }
}
