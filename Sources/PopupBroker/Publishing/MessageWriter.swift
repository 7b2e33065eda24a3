import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// The encoding and sending of messages: each body is encoded once for all subscribers of a channel, in reused buffers.
struct MessageWriter: ~Copyable {
    typealias Channels = SubscriptionCounts.Channels

    private let transport: any Transport
    let epoch: UInt64
    private var topic: [UInt8] = []
    private var body: [UInt8] = []
    private var stateWriter = StateWriter()
    private var stateJSONWriter = StateJSONWriter()
    private var eventJSON = JSONWriter()
    /// The buffer for states without an event.
    private let noEvents = EventBuffer()

    /// Creates a writer of messages of one epoch.
    init(transport: any Transport, epoch: UInt64) {
        self.transport = transport
        self.epoch = epoch
    }

    // MARK: - States

    /// Sends the state of a group on the given channels of `state`, `state+json`, `state+frame` and `feed`, if a client
    /// subscribes to its topic. Returns whether the group shows nothing.
    mutating func sendState(
        of group: GroupIndex, in state: borrowing BrokerState, at now: Milliseconds, to channels: Channels,
        _ topics: borrowing TopicFilter, because cause: StateCause?, in output: borrowing EventBuffer
    ) throws -> Bool {
        guard let view = state.scheduler.view(of: group, at: now) else { return true }
        try send(view, to: topics.channels(channels, ofGroup: view.name), because: cause, in: output)
        return view.state.active == nil
    }

    /// Repeats the state of a group on the given channels of states, if a client subscribes to its topic. Returns the
    /// number of bytes sent.
    mutating func repeatState(
        of group: GroupIndex, in state: borrowing BrokerState, at now: Milliseconds, to channels: Channels,
        _ topics: borrowing TopicFilter
    ) throws -> Int {
        guard let view = state.scheduler.view(of: group, at: now) else { return 0 }
        let channels = topics.channels(channels, ofGroup: view.name)
        try send(view, to: channels, because: nil, in: noEvents)
        var bytes = channels.contains(.state) ? stateWriter.bytes.count : 0
        if channels.contains(.stateFrame) { bytes += stateWriter.frame.count }
        if channels.contains(.stateJSON) { bytes += stateJSONWriter.bytes.count }
        return bytes
    }

    @inline(__always)
    private mutating func send(
        _ view: GroupView, to channels: Channels, because cause: StateCause?, in output: borrowing EventBuffer
    ) throws {
        if !channels.isDisjoint(with: [.state, .stateFrame, .feed]) {
            stateWriter.write(view, epoch: epoch, cause: cause, in: output)
        }
        if channels.contains(.feed) {
            stateWriter.appendToFeed()
            if stateWriter.isFeedFull { try sendFeed() }
        }
        if channels.contains(.state) {
            stateWriter.writeTopic(of: view.name)
            try transport.publish(
                topic: RawSpan(_unsafeBytes: stateWriter.topic), body: RawSpan(_unsafeBytes: stateWriter.bytes))
        }
        if channels.contains(.stateFrame) {
            stateWriter.writeFrameTopic(of: view.name)
            try transport.publish(frame: RawSpan(_unsafeBytes: stateWriter.frame))
        }
        if channels.contains(.stateJSON) {
            stateJSONWriter.write(view, epoch: epoch, cause: cause, in: output)
            try send(stateJSONWriter.bytes, prefix: Self.stateJSONPrefix, name: Array(view.name))
        }
    }

    /// Sends the changes gathered for `feed/`: at the end of a batch, and before the message becomes too large.
    mutating func sendFeed() throws {
        guard !stateWriter.feed.isEmpty else { return }
        beginTopic(Self.feedPrefix)
        try transport.publish(topic: topic.span.bytes, body: RawSpan(_unsafeBytes: stateWriter.feed))
        stateWriter.emptyFeed()
    }

    // MARK: - Events, replies, acknowledgements, heartbeat

    /// Sends an event, which names the epoch, on the given channels of `events` and `events+json`.
    mutating func send(_ event: WireEvent, to channels: Channels) throws {
        let name = Array(event.group.utf8)
        guard !name.isEmpty else { return }
        if channels.contains(.events) { try send(event.serializedBytes(), prefix: Self.eventsPrefix, name: name) }
        if channels.contains(.eventsJSON) {
            eventJSON.removeAll()
            event.write(to: &eventJSON)
            try send(eventJSON.bytes, prefix: Self.eventsJSONPrefix, name: name)
        }
    }

    /// Sends the answer to a query, if its client and nonce are valid in a topic.
    mutating func send(_ reply: consuming WireReply, to channels: Channels) throws {
        guard ClientToken(reply.client) != nil, ClientToken(reply.nonce) != nil else { return }
        reply.epoch = epoch
        let name = Array("\(reply.client)/\(reply.nonce)".utf8)
        if channels.contains(.replies) { try send(reply.serializedBytes(), prefix: Self.repliesPrefix, name: name) }
        if channels.contains(.repliesJSON) {
            try send(reply.jsonBytes, prefix: Self.repliesJSONPrefix, name: name)
        }
    }

    /// Sends an acknowledgement on the given channels of `acks` and `acks+json`. Returns the size of its body in bytes.
    mutating func send(_ ack: Acknowledgement, in state: borrowing BrokerState, to channels: Channels) throws -> Int {
        body.removeAll(keepingCapacity: true)
        body.appendField(WireKeys.Ack.epoch, epoch)
        if let session = ack.session { state.producers[session].appendAck(to: &body) }
        for refusal in ack.passing {
            body.appendRefusal(refusal.sequence, refusal.reason, retryAfter: refusal.retryAfter, refusal.detail)
        }
        let name = Array(ack.producer.description.utf8)
        if channels.contains(.acks) { try send(body, prefix: Self.acksPrefix, name: name) }
        if channels.contains(.acksJSON) {
            try send(message(of: ack, in: state).jsonBytes, prefix: Self.acksJSONPrefix, name: name)
        }
        return body.count
    }

    private func message(of ack: Acknowledgement, in state: borrowing BrokerState) -> WireAck {
        var message = WireAck()
        message.epoch = epoch
        if let session = ack.session { state.producers[session].fill(&message) }
        for refusal in ack.passing {
            message.refusals.append(
                WireRefusal(refusal.sequence, refusal.reason, retryAfter: refusal.retryAfter, refusal.detail))
        }
        return message
    }

    /// Sends a heartbeat with the revisions of these groups.
    mutating func sendHeartbeat(of groups: [GroupIndex], in state: borrowing BrokerState, at now: Milliseconds) throws {
        body.removeAll(keepingCapacity: true)
        body.appendField(WireKeys.Heartbeat.epoch, epoch)
        typealias Keys = WireKeys.GroupRevision
        for group in groups {
            guard let current = state.scheduler.state(of: group, at: now) else { continue }
            topic.removeAll(keepingCapacity: true)
            state.scheduler.appendName(of: group, to: &topic)
            body.appendLength(
                WireKeys.Heartbeat.groups,
                ProtobufSize.field(Keys.group, count: topic.count)
                    + ProtobufSize.field(Keys.revision, current.revision))
            body.appendField(Keys.group, topic[...])
            body.appendField(Keys.revision, current.revision)
        }
        beginTopic(Self.heartbeatPrefix)
        try transport.publish(topic: topic.span.bytes, body: body.span.bytes)
    }

    // MARK: - Answers to `sync`

    /// Sends the next part of an answer, and the end after the last part. Returns whether the answer is complete.
    mutating func sendPart(
        of answer: inout Syncs.Answer, _ scope: Syncs.Scope, in state: borrowing BrokerState, at now: Milliseconds,
        _ budget: inout Syncs.Budget
    ) throws -> Bool {
        var part = SyncPart(isJSON: answer.isJSON)
        while part.states < Syncs.statesInPart, budget.groups > 0, let group = scope.group(at: answer.next) {
            budget.groups -= 1
            if let view = state.scheduler.view(of: group, at: now), isBelow(answer.prefix, view.name) {
                if answer.isJSON {
                    stateJSONWriter.write(view, epoch: epoch, in: noEvents)
                    guard part.append(stateJSONWriter.bytes.span.bytes) else { break }
                } else {
                    stateWriter.write(view, epoch: epoch, in: noEvents)
                    guard part.append(RawSpan(_unsafeBytes: stateWriter.bytes)) else { break }
                }
            }
            answer.next += 1
        }
        answer.states += UInt64(part.states)
        budget.bytes -= part.bytes.count * (answer.isJSON ? Syncs.costOfJSON : 1)
        if part.states > 0 {
            try transport.publish(topic: answer.topic.span.bytes, body: part.body.span.bytes)
        }
        guard scope.group(at: answer.next) == nil else { return false }
        var end = WireSync()
        end.end.epoch = epoch
        end.end.states = answer.states
        let body: [UInt8] = try answer.isJSON ? end.jsonBytes : end.serializedBytes()
        try transport.publish(topic: answer.topic.span.bytes, body: body.span.bytes)
        return true
    }

    /// Whether the name of a group, as in topics, has this prefix.
    private mutating func isBelow(_ prefix: [UInt8], _ name: UnsafeRawBufferPointer) -> Bool {
        topic.removeAll(keepingCapacity: true)
        topic.append(contentsOf: name)
        topic.append(UInt8(ascii: "/"))
        return topic.starts(with: prefix)
    }

    // MARK: - Topics

    private mutating func send(_ body: [UInt8], prefix: [UInt8], name: [UInt8]) throws {
        beginTopic(prefix)
        topic.append(contentsOf: name)
        topic.append(UInt8(ascii: "/"))
        try transport.publish(topic: topic.span.bytes, body: body.span.bytes)
    }

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
    private static let acksPrefix = Array(Channel.acks.prefix.utf8)
    private static let acksJSONPrefix = Array(Channel.acksJSON.prefix.utf8)
}
