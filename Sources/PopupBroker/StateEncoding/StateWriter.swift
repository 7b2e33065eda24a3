import PopupProtocol
import PopupScheduling

/// Writes `GroupState` bodies: the received popup as it came, with what only the broker knows appended to it. Of two
/// fields with one number protobuf takes the later, so the popup needn't be decoded for that.
///
/// How long a body will be is known before its first byte, so each is written once, where it is sent from: on its own
/// with its topic, or at the end of the feed.
struct StateWriter: ~Copyable {
    /// In bytes: a message of the feed is not larger.
    static let mostFeedBytes = 1 << 20
    /// In bytes: more than any state has.
    private static let largestState = 1 << 18

    private static var prefix: StaticString { "state/" }

    private var topicBytes = ByteWriter()
    private var body = ByteWriter()
    private var feedBytes = ByteWriter()

    /// The topic written last; good until the next is.
    var topic: UnsafeRawBufferPointer { topicBytes.bytes }
    /// The body written last; good until the next is.
    var bytes: UnsafeRawBufferPointer { body.bytes }
    /// The states of the feed, each with its number and length before it.
    var feed: UnsafeRawBufferPointer { feedBytes.bytes }
    /// Another state might not fit.
    var isFeedFull: Bool { feedBytes.count > Self.mostFeedBytes - Self.largestState }

    /// Writes the topic on which a group's state is told.
    mutating func writeTopic(of name: UnsafeRawBufferPointer) {
        topicBytes.removeAll()
        topicBytes.makeRoom(for: Self.prefix.utf8CodeUnitCount + name.count + 1)
        topicBytes.append(Self.prefix)
        topicBytes.append(name: name)
        topicBytes.append(UInt8(ascii: "/"))
    }

    /// Writes a group's state.
    ///
    /// - Parameter cause: the event that led to it, and the buffer that it stands in; `nil` in a repetition.
    mutating func write(
        _ group: GroupView, epoch: UInt64, cause: Event? = nil, in buffer: borrowing EventBuffer
    ) {
        let state = StateBody(group, epoch: epoch, cause: cause)
        body.removeAll()
        body.makeRoom(for: state.count)
        body.append(state, in: buffer)
    }

    /// Appends a group's state to the feed.
    mutating func appendToFeed(
        _ group: GroupView, epoch: UInt64, cause: Event?, in buffer: borrowing EventBuffer
    ) {
        let state = StateBody(group, epoch: epoch, cause: cause)
        feedBytes.makeRoom(for: 1 + ProtobufSize.varint(UInt64(state.count)) + state.count)
        feedBytes.appendLength(WireKeys.Feed.states, state.count)
        feedBytes.append(state, in: buffer)
    }

    /// Appends the state written last to the feed.
    mutating func appendLastToFeed() {
        feedBytes.makeRoom(for: 1 + ProtobufSize.varint(UInt64(body.count)) + body.count)
        feedBytes.appendLength(WireKeys.Feed.states, body.count)
        feedBytes.append(body.bytes)
    }

    /// The feed begins anew.
    mutating func emptyFeed() {
        feedBytes.removeAll()
    }
}

private typealias StateKeys = WireKeys.GroupState
private typealias PopupKeys = WireKeys.Popup
private typealias CauseKeys = WireKeys.Cause

extension StateCause {
    /// The bytes of a `Cause`.
    @inline(__always)
    fileprivate var count: Int {
        ProtobufSize.field(CauseKeys.kind, UInt64(truncatingIfNeeded: kind.rawValue))
            + ProtobufSize.field(CauseKeys.popup, count: Int(popup.count))
            + ProtobufSize.field(CauseKeys.reason, UInt64(truncatingIfNeeded: reason.rawValue))
            + ProtobufSize.field(CauseKeys.action, count: Int(action.count))
    }
}

/// What a `GroupState` says, and how many bytes that takes.
private struct StateBody {
    let group: GroupView
    let epoch: UInt64
    let cause: StateCause?
    /// In ms; `nil`: until dismissed, or there is none.
    let remaining: UInt64?
    /// The bytes of the popup, and of the cause.
    let popupCount: Int
    let causeCount: Int
    /// The bytes of all.
    let count: Int

    @inline(__always)
    init(_ group: GroupView, epoch: UInt64, cause event: Event?) {
        self.group = group
        self.epoch = epoch
        let state = group.state
        var count =
            ProtobufSize.field(StateKeys.epoch, epoch) + ProtobufSize.field(StateKeys.group, count: group.name.count)
            + ProtobufSize.field(StateKeys.revision, state.revision)
            + ProtobufSize.field(StateKeys.waiting, UInt64(state.waiting))
            + ProtobufSize.field(StateKeys.paused, UInt64(state.paused))
        if let active = state.active {
            remaining = active.remaining.map { UInt64(UInt32(clamping: $0)) }
            var popup =
                group.content.count + ProtobufSize.field(PopupKeys.attempt, UInt64(active.attempt))
                + ProtobufSize.field(PopupKeys.sinceRevision, active.sinceRevision)
            // Present though it is 0: `remaining_ms` is optional.
            if let remaining { popup += 2 + ProtobufSize.varint(remaining) }
            popupCount = popup
            count += 1 + ProtobufSize.varint(UInt64(popup)) + popup
            if active.isOffered { count += 2 }
        } else {
            remaining = nil
            popupCount = 0
        }
        if let event, let cause = StateCause(event) {
            self.cause = cause
            causeCount = cause.count
            count += 1 + ProtobufSize.varint(UInt64(causeCount)) + causeCount
        } else {
            cause = nil
            causeCount = 0
        }
        self.count = count
    }
}

extension ByteWriter {
    /// Appends a state, for which there is room.
    @inline(__always)
    fileprivate mutating func append(_ state: StateBody, in buffer: borrowing EventBuffer) {
        let end = count + state.count
        appendField(StateKeys.epoch, state.epoch)
        appendField(StateKeys.group, state.group.name)
        appendField(StateKeys.revision, state.group.state.revision)
        if let active = state.group.state.active {
            appendLength(StateKeys.active, state.popupCount)
            append(state.group.content)
            if let remaining = state.remaining {
                appendVarint(PopupKeys.remainingMs.tag)
                appendVarint(remaining)
            }
            appendField(PopupKeys.attempt, UInt64(active.attempt))
            appendField(PopupKeys.sinceRevision, active.sinceRevision)
        }
        appendField(StateKeys.waiting, UInt64(state.group.state.waiting))
        if let cause = state.cause {
            appendLength(StateKeys.cause, state.causeCount)
            appendField(CauseKeys.kind, UInt64(truncatingIfNeeded: cause.kind.rawValue))
            buffer.withText(cause.popup) { appendField(CauseKeys.popup, $0) }
            appendField(CauseKeys.reason, UInt64(truncatingIfNeeded: cause.reason.rawValue))
            buffer.withText(cause.action) { appendField(CauseKeys.action, $0) }
        }
        if state.group.state.active?.isOffered == true { appendField(StateKeys.offered, 1) }
        appendField(StateKeys.paused, UInt64(state.group.state.paused))
        assert(count == end, "a state has another length than was computed")
    }
}
