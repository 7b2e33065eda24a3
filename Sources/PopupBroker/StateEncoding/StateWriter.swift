import PopupProtocol
import PopupScheduling

/// A writer of `GroupState` bodies: the popup as it was received, with the fields appended that only the broker sets.
/// Of two fields with the same number, protobuf uses the last, so the popup need not be decoded.
///
/// The lengths of a body's parts, and in the feed its own, are computed before its first byte is written. So each is
/// written once, to the memory from which it is sent: behind its topic, alone with its topic, or at the end of the
/// feed.
struct StateWriter: ~Copyable {
    /// The maximum size of a message of the feed, in bytes.
    static let maxFeedBytes = 1 << 20
    /// An upper limit of the size of a state, in bytes.
    private static let largestState = 1 << 18

    private static var prefix: StaticString { "state/" }
    private static var framePrefix: StaticString { "state+frame/" }

    private var topicBytes = ByteWriter()
    /// The last state, behind its topic if it is for a message of one frame.
    private var message = ByteWriter()
    private var bodyStart = 0
    private var feedBytes = ByteWriter()

    /// The last topic; valid until the next one is written.
    var topic: UnsafeRawBufferPointer { topicBytes.bytes }
    /// The last body; valid until the next one is written.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: message.bytes[bodyStart...]) }
    /// The last body behind its topic, if it was written with that; valid until the next one is written.
    var frame: UnsafeRawBufferPointer { message.bytes }
    /// The states of the feed, each after its tag and length.
    var feed: UnsafeRawBufferPointer { feedBytes.bytes }
    /// Whether another state might not fit.
    var isFeedFull: Bool { feedBytes.count > Self.maxFeedBytes - Self.largestState }

    /// Writes the topic of a group's state.
    mutating func writeTopic(of name: UnsafeRawBufferPointer) {
        topicBytes.removeAll()
        topicBytes.makeRoom(for: Self.prefix.utf8CodeUnitCount + name.count + 1)
        topicBytes.append(Self.prefix)
        topicBytes.append(name: name)
        topicBytes.append(UInt8(ascii: "/"))
    }

    /// Writes a group's state.
    ///
    /// - Parameters:
    ///   - cause: The event that led to it, and its buffer; `nil` for a repetition.
    ///   - withTopic: Whether `frame` is needed.
    mutating func write(
        _ group: GroupView, epoch: UInt64, cause: Event? = nil, in buffer: borrowing EventBuffer,
        withTopic: Bool = false
    ) {
        let state = StateBody(group, epoch: epoch, cause: cause)
        message.removeAll()
        if withTopic {
            message.makeRoom(for: Self.framePrefix.utf8CodeUnitCount + group.name.count + 2 + state.maxCount(in: group))
            message.append(Self.framePrefix)
            message.append(name: group.name)
            message.append(UInt8(ascii: "/"))
            message.append(StateFrame.separator)
        } else {
            message.makeRoom(for: state.maxCount(in: group))
        }
        bodyStart = message.count
        message.append(state, of: group, in: buffer)
    }

    /// Appends a group's state to the feed.
    mutating func appendToFeed(
        _ group: GroupView, epoch: UInt64, cause: Event?, in buffer: borrowing EventBuffer
    ) {
        let state = StateBody(group, epoch: epoch, cause: cause)
        let count = state.count(in: group)
        feedBytes.makeRoom(for: 1 + ProtobufSize.varint(UInt64(count)) + count)
        feedBytes.appendLength(WireKeys.Feed.states, count)
        feedBytes.append(state, of: group, in: buffer)
    }

    /// Appends the last state to the feed.
    mutating func appendLastToFeed() {
        let body = bytes
        feedBytes.makeRoom(for: 1 + ProtobufSize.varint(UInt64(body.count)) + body.count)
        feedBytes.appendLength(WireKeys.Feed.states, body.count)
        feedBytes.append(body)
    }

    /// Empties the feed.
    mutating func emptyFeed() {
        feedBytes.removeAll()
    }
}

private typealias StateKeys = WireKeys.GroupState
private typealias PopupKeys = WireKeys.Popup
private typealias CauseKeys = WireKeys.Cause

extension StateCause {
    /// The size of a `Cause` in bytes.
    @inline(__always)
    fileprivate var count: Int {
        ProtobufSize.field(CauseKeys.kind, UInt64(truncatingIfNeeded: kind.rawValue))
            &+ ProtobufSize.field(CauseKeys.popup, count: Int(popup.count))
            &+ ProtobufSize.field(CauseKeys.reason, UInt64(truncatingIfNeeded: reason.rawValue))
            &+ ProtobufSize.field(CauseKeys.action, count: Int(action.count))
    }
}

/// The values of a `GroupState` that are not in the view of its group, and the encoded sizes of its parts.
private struct StateBody {
    let epoch: UInt64
    let cause: StateCause?
    /// The remaining display time in ms; `nil` if the popup stays until dismissed, or if there is none.
    let remaining: UInt64?
    /// The encoded sizes of the popup and of the cause, in bytes.
    let popupCount: Int
    let causeCount: Int

    /// An upper limit of the size of what is neither in the popup, nor in the cause, nor the name of the group: tags,
    /// lengths and numbers.
    private static var maxRest: Int { 128 }

    @inline(__always)
    init(_ group: GroupView, epoch: UInt64, cause event: Event?) {
        self.epoch = epoch
        if let active = group.state.active {
            remaining = active.remaining.map { UInt64(UInt32(clamping: $0)) }
            var popup =
                group.content.count &+ ProtobufSize.field(PopupKeys.attempt, UInt64(active.attempt))
                &+ ProtobufSize.field(PopupKeys.sinceRevision, active.sinceRevision)
            // Also written if it is 0, since `remaining_ms` is optional.
            if let remaining { popup = popup &+ 2 &+ ProtobufSize.varint(remaining) }
            popupCount = popup
        } else {
            remaining = nil
            popupCount = 0
        }
        if let event, let cause = StateCause(event) {
            self.cause = cause
            causeCount = cause.count
        } else {
            cause = nil
            causeCount = 0
        }
    }

    /// Returns an upper limit of the encoded size of the state, in bytes: enough to reserve memory, and cheaper than
    /// the size.
    @inline(__always)
    func maxCount(in group: GroupView) -> Int { popupCount &+ causeCount &+ group.name.count &+ Self.maxRest }

    /// Returns the encoded size of the state, in bytes.
    func count(in group: GroupView) -> Int {
        let state = group.state
        var count =
            ProtobufSize.field(StateKeys.epoch, epoch) + ProtobufSize.field(StateKeys.group, count: group.name.count)
            + ProtobufSize.field(StateKeys.revision, state.revision)
            + ProtobufSize.field(StateKeys.waiting, UInt64(state.waiting))
            + ProtobufSize.field(StateKeys.paused, UInt64(state.paused))
        if let active = state.active {
            count += 1 + ProtobufSize.varint(UInt64(popupCount)) + popupCount
            if active.isOffered { count += 2 }
        }
        if cause != nil { count += 1 + ProtobufSize.varint(UInt64(causeCount)) + causeCount }
        return count
    }
}

extension ByteWriter {
    /// Appends the state of a group, for which space is reserved.
    @inline(__always)
    fileprivate mutating func append(_ state: StateBody, of group: GroupView, in buffer: borrowing EventBuffer) {
        assert(state.count(in: group) <= state.maxCount(in: group), "a state is longer than its upper limit")
        let start = count
        appendField(StateKeys.epoch, state.epoch)
        appendField(StateKeys.group, group.name)
        appendField(StateKeys.revision, group.state.revision)
        if let active = group.state.active {
            appendLength(StateKeys.active, state.popupCount)
            append(group.content)
            if let remaining = state.remaining {
                appendVarint(PopupKeys.remainingMs.tag)
                appendVarint(remaining)
            }
            appendField(PopupKeys.attempt, UInt64(active.attempt))
            appendField(PopupKeys.sinceRevision, active.sinceRevision)
        }
        appendField(StateKeys.waiting, UInt64(group.state.waiting))
        if let cause = state.cause {
            appendLength(StateKeys.cause, state.causeCount)
            appendField(CauseKeys.kind, UInt64(truncatingIfNeeded: cause.kind.rawValue))
            buffer.withText(cause.popup) { appendField(CauseKeys.popup, $0) }
            appendField(CauseKeys.reason, UInt64(truncatingIfNeeded: cause.reason.rawValue))
            buffer.withText(cause.action) { appendField(CauseKeys.action, $0) }
        }
        if group.state.active?.isOffered == true { appendField(StateKeys.offered, 1) }
        appendField(StateKeys.paused, UInt64(group.state.paused))
        assert(count == start + state.count(in: group), "a state has another length than was computed")
    }
}
