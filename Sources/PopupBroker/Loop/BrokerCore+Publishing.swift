import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// What goes out. A body is encoded only while somebody subscribes to its channel, and once for all of them.
extension BrokerCore {
    /// Publishes what the last step brought: each changed state, each event.
    @inline(__always)
    mutating func publishChanges() throws {
        let channels = subscriptionCounts.channels
        while publishedChanges < output.changes.count {
            let change = output.changes[publishedChanges]
            publishedChanges += 1
            changes.note(change.group, at: now)
            if !channels.isDisjoint(with: [.state, .stateJSON, .feed]) {
                let isEmpty = try publishState(
                    of: change.group, to: channels, because: change.cause.map { output.events[$0] })
                refresh.note(change.group, isEmpty: isEmpty)
            }
        }
        if channels.isDisjoint(with: [.events, .eventsJSON]) {
            publishedEvents = output.events.count
        } else {
            while publishedEvents < output.events.count {
                let event = output.events[publishedEvents]
                publishedEvents += 1
                try publish(EventEncoder.event(event, in: output))
            }
        }
    }

    /// Publishes a group's state on those of the channels `state`, `state+json` and `feed` that are given. Returns
    /// whether the group shows nothing.
    @discardableResult
    mutating func publishState(
        of group: GroupIndex, to channels: SubscriptionCounts.Channels, because cause: Event? = nil
    ) throws -> Bool {
        guard let view = state.scheduler.view(of: group, at: now) else { return true }
        let isEmpty = view.state.active == nil
        let wantsJSON = channels.contains(.stateJSON)
        let hasJSON = wantsJSON && stateJSONWriter.write(view, epoch: epoch, cause: cause, in: output)
        if channels.contains(.state) || wantsJSON && !hasJSON {
            stateWriter.write(view, epoch: epoch, cause: cause, in: output)
            if channels.contains(.feed) { stateWriter.appendLastToFeed() }
        } else if channels.contains(.feed) {
            stateWriter.appendToFeed(view, epoch: epoch, cause: cause, in: output)
        }
        if channels.contains(.feed), stateWriter.isFeedFull { try publishFeed() }
        if channels.contains(.state) {
            stateWriter.writeTopic(of: view.name)
            try transport.publish(
                topic: RawSpan(_unsafeBytes: stateWriter.topic), body: RawSpan(_unsafeBytes: stateWriter.bytes))
        }
        if wantsJSON {
            let body = try hasJSON ? stateJSONWriter.bytes : fullJSON(stateWriter.bytes)
            try publish(body, prefix: Self.stateJSONPrefix, name: Array(view.name))
        }
        return isEmpty
    }

    /// The bytes of a state that was published last, on these channels.
    func publishedBytes(on channels: SubscriptionCounts.Channels) -> Int {
        let binary = channels.contains(.state) ? stateWriter.bytes.count : 0
        return channels.contains(.stateJSON) ? binary + stateJSONWriter.bytes.count : binary
    }

    private func fullJSON(_ state: UnsafeRawBufferPointer) throws -> [UInt8] {
        try WireGroupState(serializedBytes: Array(state)).jsonUTF8Bytes()
    }

    /// Publishes the changes that `feed/` has gathered: at the end of a batch, and before the message is too large.
    mutating func publishFeed() throws {
        guard !stateWriter.feed.isEmpty else { return }
        beginTopic(Self.feedPrefix)
        try transport.publish(topic: topic.span.bytes, body: RawSpan(_unsafeBytes: stateWriter.feed))
        stateWriter.emptyFeed()
    }

    /// Publishes an event.
    mutating func publish(_ event: WireEvent) throws {
        let name = Array(event.group.utf8)
        guard !name.isEmpty else { return }
        if subscriptionCounts.channels.contains(.events) {
            try publish(event.serializedBytes(), prefix: Self.eventsPrefix, name: name)
        }
        if subscriptionCounts.channels.contains(.eventsJSON) {
            try publishJSON(event, prefix: Self.eventsJSONPrefix, name: name)
        }
    }

    /// Publishes the answer to a query, if it names client and nonce as topics do: others could be no topic of its own.
    mutating func publish(_ reply: WireReply) throws {
        guard ClientToken(reply.client) != nil, ClientToken(reply.nonce) != nil else { return }
        let name = Array("\(reply.client)/\(reply.nonce)".utf8)
        if subscriptionCounts.channels.contains(.replies) {
            try publish(reply.serializedBytes(), prefix: Self.repliesPrefix, name: name)
        }
        if subscriptionCounts.channels.contains(.repliesJSON) {
            try publishJSON(reply, prefix: Self.repliesJSONPrefix, name: name)
        }
    }

    /// Publishes the revisions of the groups that changed lately, in several messages if they are many; without any,
    /// the message is the heartbeat alone.
    ///
    /// - Returns: Whether there are more, for another turn.
    mutating func publishHeartbeat(_ budget: inout PublishingBudget) throws -> Bool {
        while !budget.isSpent {
            var groups: [GroupIndex] = []
            let hasMore = changes.takeDue(at: now, &groups)
            body.removeAll(keepingCapacity: true)
            body.appendField(1, epoch)
            for group in groups { appendHead(of: group) }
            beginTopic(Self.heartbeatPrefix)
            try transport.publish(topic: topic.span.bytes, body: body.span.bytes)
            budget.spend(bytes: Self.groupRevisionCost * groups.count)
            if !hasMore { return false }
        }
        return true
    }

    /// What a group's revision counts for, in bytes of a state: it is short, and looked up.
    private static var groupRevisionCost: Int { 128 }

    private mutating func appendHead(of group: GroupIndex) {
        guard let current = state.scheduler.state(of: group, at: now) else { return }
        topic.removeAll(keepingCapacity: true)
        state.scheduler.appendName(of: group, to: &topic)
        body.appendLength(
            2, ProtobufSize.field(1, count: topic.count) + ProtobufSize.field(2, current.revision))
        body.appendField(1, topic[...])
        body.appendField(2, current.revision)
    }

    mutating func publishJSON(_ message: some Message, prefix: [UInt8], name: [UInt8]) throws {
        try publish(message.jsonUTF8Bytes(), prefix: prefix, name: name)
    }

    mutating func publish(_ body: [UInt8], prefix: [UInt8], name: [UInt8]) throws {
        beginTopic(prefix)
        topic.append(contentsOf: name)
        topic.append(UInt8(ascii: "/"))
        try transport.publish(topic: topic.span.bytes, body: body.span.bytes)
    }

    /// Begins a topic.
    private mutating func beginTopic(_ prefix: [UInt8]) {
        topic.removeAll(keepingCapacity: true)
        topic.append(contentsOf: prefix)
    }

    private static let stateJSONPrefix = Array(Channel.stateJSON.prefix.utf8)
    private static let feedPrefix = Array(Channel.feed.prefix.utf8)
    private static let eventsPrefix = Array(Channel.events.prefix.utf8)
    private static let eventsJSONPrefix = Array(Channel.eventsJSON.prefix.utf8)
    private static let heartbeatPrefix = Array(Channel.heartbeat.prefix.utf8)
    private static let repliesPrefix = Array(Channel.replies.prefix.utf8)
    private static let repliesJSONPrefix = Array(Channel.repliesJSON.prefix.utf8)
}
