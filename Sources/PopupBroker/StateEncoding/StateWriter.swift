import PopupProtocol
import PopupScheduling

/// A writer of `GroupState` bodies: the popup as it was received, with the fields appended that only the broker sets.
/// Of two fields with the same number, protobuf uses the last, so the popup need not be decoded.
///
/// A body is written from its end to its beginning, and its topic before it. Both are sent from there.
struct StateWriter: ~Copyable {
    private typealias StateKeys = WireKeys.GroupState
    private typealias PopupKeys = WireKeys.Popup
    private typealias CauseKeys = WireKeys.Cause

    /// The maximum size of a message of the feed, in bytes.
    static let maxFeedBytes = 1 << 20
    /// An upper limit of the size of a state, in bytes.
    private static let largestState = 1 << 18

    private static var prefix: StaticString { "state/" }
    private static var framePrefix: StaticString { "state+frame/" }

    /// An upper limit of the size of what is neither in the popup, nor a name: tags, lengths, numbers, and the rest of
    /// the topic.
    private static var maxRest: Int { 256 }

    private var buffer = ReverseBuffer()
    private var bodyStart = 0
    private var feedBytes = ByteWriter()
    /// The numbers of the wire for the reasons of the scheduler.
    private let reasonNumbers = CloseReason.allCases.map { UInt64(WireClosed.Reason($0).rawValue) }

    /// The last body; valid until the next one is written.
    var bytes: UnsafeRawBufferPointer { buffer[bodyStart..<buffer.end] }
    /// The last topic; valid until the next one is written.
    var topic: UnsafeRawBufferPointer { buffer[buffer.start..<bodyStart] }
    /// The last body behind its last topic; valid until the next one is written.
    var frame: UnsafeRawBufferPointer { buffer[buffer.start..<buffer.end] }
    /// The states of the feed, each after its tag and length.
    var feed: UnsafeRawBufferPointer { feedBytes.bytes }
    /// Whether another state might not fit.
    var isFeedFull: Bool { feedBytes.count > Self.maxFeedBytes - Self.largestState }

    /// Writes a group's state.
    ///
    /// - Parameters:
    ///   - cause: The cause of it; `nil` for a repetition.
    ///   - events: The buffer with the texts of the cause.
    mutating func write(
        _ group: GroupView, epoch: UInt64, cause: StateCause? = nil, in events: borrowing EventBuffer
    ) {
        let texts = cause.map { Int($0.popup.count) &+ Int($0.action.count) } ?? 0
        var writer = buffer.writer(
            reserving: group.content.count &+ 2 &* group.name.count &+ texts &+ Self.maxRest)
        writer.writeField(StateKeys.paused, UInt64(truncatingIfNeeded: group.state.paused))
        if group.state.active?.isOffered == true { writer.writeField(StateKeys.offered, 1) }
        if let cause { write(cause, in: events, by: &writer) }
        writer.writeField(StateKeys.waiting, UInt64(truncatingIfNeeded: group.state.waiting))
        if let active = group.state.active { write(active, group.content, by: &writer) }
        writer.writeField(StateKeys.revision, group.state.revision)
        writer.writeField(StateKeys.group, group.name)
        writer.writeField(StateKeys.epoch, epoch)
        buffer.finish(writer)
        bodyStart = buffer.start
    }

    @inline(__always)
    private func write(
        _ active: ActivePopup, _ content: UnsafeRawBufferPointer, by writer: inout ReverseWriter
    ) {
        let end = writer.place
        writer.writeField(PopupKeys.sinceRevision, active.sinceRevision)
        writer.writeField(PopupKeys.attempt, UInt64(active.attempt))
        // Also written if it is 0, since `remaining_ms` is optional.
        if let remaining = active.remaining {
            writer.writeVarint(UInt64(UInt32(clamping: remaining)))
            writer.writeVarint(PopupKeys.remainingMs.tag)
        }
        writer.write(content)
        writer.writeLength(StateKeys.active, since: end)
    }

    @inline(__always)
    private func write(_ cause: StateCause, in events: borrowing EventBuffer, by writer: inout ReverseWriter) {
        let end = writer.place
        if !cause.action.isEmpty { events.withText(cause.action) { writer.writeField(CauseKeys.action, $0) } }
        if let reason = cause.reason { writer.writeField(CauseKeys.reason, reasonNumbers[Int(reason.rawValue)]) }
        events.withText(cause.popup) { writer.writeField(CauseKeys.popup, $0) }
        writer.writeField(CauseKeys.kind, UInt64(cause.kindNumber))
        writer.writeLength(StateKeys.cause, since: end)
    }

    /// Writes the topic of a group before its state.
    mutating func writeTopic(of name: UnsafeRawBufferPointer) {
        var writer = buffer.writer(before: bodyStart)
        writer.write(UInt8(ascii: "/"))
        writer.write(name: name)
        writer.write(Self.prefix)
        buffer.finish(writer)
    }

    /// Writes the topic of a group, for a message of one frame, before its state.
    mutating func writeFrameTopic(of name: UnsafeRawBufferPointer) {
        var writer = buffer.writer(before: bodyStart)
        writer.write(StateFrame.separator)
        writer.write(UInt8(ascii: "/"))
        writer.write(name: name)
        writer.write(Self.framePrefix)
        buffer.finish(writer)
    }

    /// Appends the last state to the feed.
    mutating func appendToFeed() {
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
