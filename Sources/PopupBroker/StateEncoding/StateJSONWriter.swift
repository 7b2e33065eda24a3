import PopupProtocol
import PopupScheduling

/// A writer of `GroupState` bodies in JSON, like `StateWriter` in binary: the popup as it was received, converted field
/// by field, followed by the fields that only the broker sets.
struct StateJSONWriter {
    /// The last body.
    var bytes: [UInt8] { json.bytes }
    private var json = JSONWriter()

    private typealias Keys = WireKeys.GroupState

    /// Writes a group's state.
    ///
    /// - Parameters:
    ///   - cause: The cause of it; `nil` for a repetition.
    ///   - buffer: The buffer with the texts of the cause.
    mutating func write(
        _ group: GroupView, epoch: UInt64, cause: StateCause? = nil, in buffer: borrowing EventBuffer
    ) {
        json.removeAll()
        let state = group.state
        json.beginObject()
        append(Keys.epoch, epoch)
        json.name(Keys.group)
        json.append(text: Span(_unsafeElements: group.name.bindMemory(to: UInt8.self)))
        append(Keys.revision, state.revision)
        if let active = state.active {
            json.name(Keys.active)
            json.beginObject()
            json.appendMembers(ofPopup: Span(_unsafeElements: group.content.bindMemory(to: UInt8.self)))
            if let remaining = active.remaining {
                json.member(WireKeys.Popup.remainingMs, UInt32(clamping: remaining))
            }
            append(WireKeys.Popup.attempt, active.attempt)
            append(WireKeys.Popup.sinceRevision, active.sinceRevision)
            json.endObject()
        }
        append(Keys.waiting, UInt32(clamping: state.waiting))
        if let cause { append(cause, in: buffer) }
        if state.active?.isOffered == true { json.member(Keys.offered, true) }
        append(Keys.paused, UInt32(clamping: state.paused))
        json.endObject()
    }

    private mutating func append(_ cause: StateCause, in buffer: borrowing EventBuffer) {
        json.name(Keys.cause)
        json.beginObject()
        json.member(WireKeys.Cause.kind, cause.kind)
        append(WireKeys.Cause.popup, cause.popup, in: buffer)
        if let reason = cause.reason { json.member(WireKeys.Cause.reason, WireClosed.Reason(reason)) }
        append(WireKeys.Cause.action, cause.action, in: buffer)
        json.endObject()
    }

    /// Appends a number, unless it is 0.
    private mutating func append(_ key: WireKey, _ value: some FixedWidthInteger & JSONValue) {
        if value != 0 { json.member(key, value) }
    }

    private mutating func append(_ key: WireKey, _ range: TextRange, in buffer: borrowing EventBuffer) {
        buffer.withText(range) { text in
            guard !text.isEmpty else { return }
            json.name(key)
            json.append(text: Span(_unsafeElements: text.bindMemory(to: UInt8.self)))
        }
    }
}
