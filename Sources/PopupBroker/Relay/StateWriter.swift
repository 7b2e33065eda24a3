import PopupProtocol
import PopupScheduling

/// Writes `GroupState` bodies: the received popup as it came, with what only the broker knows appended to it. Of two
/// fields with one number protobuf takes the later, so the popup needn't be decoded for that.
struct StateWriter: ~Copyable {
    /// More than the numbers and lengths of a body take.
    private static let overhead = 160

    private var body = ByteWriter()

    /// The body written last; good until the next is.
    var bytes: UnsafeRawBufferPointer { body.bytes }

    /// Writes the state of a group.
    ///
    /// - Parameters:
    ///   - name: the group's name.
    ///   - cause: the event that led to it, and the buffer that it stands in; `nil` in a repetition.
    @inline(__always)
    mutating func write(
        _ state: GroupState, of group: GroupIndex, named name: UnsafeRawBufferPointer, epoch: UInt64,
        cause: Event?, in buffer: borrowing EventBuffer, scheduler: borrowing Scheduler
    ) {
        let content = scheduler.activeContentCount(of: group)
        let causeBytes = cause.map { $0.textCount } ?? 0
        body.reserve(Self.overhead + name.count + content + causeBytes)
        body.appendField(1, epoch)
        body.appendField(2, name)
        body.appendField(3, state.revision)
        if let active = state.active {
            let remaining = active.remaining.map { UInt64(UInt32(clamping: $0)) }
            var appended = ProtobufSize.field(33, UInt64(active.attempt)) + ProtobufSize.field(34, active.sinceRevision)
            // Present though it is 0: `remaining_ms` is optional.
            if let remaining { appended += 2 + ProtobufSize.varint(remaining) }
            body.appendLength(4, content + appended)
            scheduler.withActiveContent(of: group) { body.append($0) }
            if let remaining {
                body.appendVarint(32 << 3)
                body.appendVarint(remaining)
            }
            body.appendField(33, UInt64(active.attempt))
            body.appendField(34, active.sinceRevision)
        }
        body.appendField(5, UInt64(state.waiting))
        if let cause { write(cause, in: buffer) }
        body.appendField(7, state.active?.isOffered == true ? 1 : 0)
        body.appendField(8, UInt64(state.paused))
    }

    @inline(__always)
    private mutating func write(_ event: Event, in buffer: borrowing EventBuffer) {
        let kind: UInt64
        var reason: UInt64 = 0
        var action = TextRange.none
        switch event.kind {
        case .queued: kind = 1
        case .offered: kind = 2
        case .shown: kind = 3
        case .paused: kind = 4
        case .resumed: kind = 5
        case .updated: kind = 6
        case .closed(let closeReason, let range, _):
            kind = 7
            reason = UInt64(WireClosed.Reason(closeReason).rawValue)
            action = range
        case .refused: return
        }
        let popup = event.popup
        body.appendLength(
            6,
            ProtobufSize.field(1, kind) + ProtobufSize.field(2, count: Int(popup.count)) + ProtobufSize.field(3, reason)
                + ProtobufSize.field(4, count: Int(action.count)))
        body.appendField(1, kind)
        buffer.withText(popup) { body.appendField(2, $0) }
        body.appendField(3, reason)
        buffer.withText(action) { body.appendField(4, $0) }
    }
}

extension Event {
    /// The bytes of its popup's id and of what the person did.
    fileprivate var textCount: Int {
        if case .closed(_, let action, _) = kind { return Int(popup.count) + Int(action.count) }
        return Int(popup.count)
    }
}
