import PopupProtocol
import PopupScheduling

/// Writes `GroupState` bodies in JSON, as `StateWriter` does in binary: the popup as it was received, turned field by
/// field, and what only the broker knows behind it.
struct StateJSONWriter {
    /// The body written last.
    private(set) var bytes: [UInt8] = []

    /// Writes a group's state.
    ///
    /// - Parameter cause: the event that led to it, and the buffer that it stands in; `nil` in a repetition.
    /// - Returns: Whether it could; a popup with fields that are rarely used is for the full encoder.
    mutating func write(
        _ group: GroupView, epoch: UInt64, cause: Event? = nil, in buffer: borrowing EventBuffer
    ) -> Bool {
        bytes.removeAll(keepingCapacity: true)
        let state = group.state
        bytes.append(UInt8(ascii: "{"))
        appendLong("epoch", epoch)
        bytes.appendMember("group")
        bytes.appendJSONString(group.name)
        appendLong("revision", state.revision)
        if let active = state.active {
            bytes.appendMember("active")
            bytes.append(UInt8(ascii: "{"))
            let popup = Span<UInt8>(_unsafeElements: group.content.bindMemory(to: UInt8.self))
            guard PopupJSON.appendMembers(of: popup, to: &bytes) else { return false }
            if let remaining = active.remaining {
                bytes.appendMember("remainingMs")
                bytes.appendDecimal(UInt64(UInt32(clamping: remaining)))
            }
            appendNumber("attempt", UInt64(active.attempt))
            appendLong("sinceRevision", active.sinceRevision)
            bytes.append(UInt8(ascii: "}"))
        }
        appendNumber("waiting", UInt64(state.waiting))
        if let cause, let kind = Self.kind(of: cause) { append(cause, kind, in: buffer) }
        if state.active?.isOffered == true {
            bytes.appendMember("offered")
            bytes.append("true")
        }
        appendNumber("paused", UInt64(state.paused))
        bytes.append(UInt8(ascii: "}"))
        return true
    }

    private mutating func append(_ cause: Event, _ kind: StaticString, in buffer: borrowing EventBuffer) {
        bytes.appendMember("cause")
        bytes.append(UInt8(ascii: "{"))
        appendWord("kind", kind)
        appendText("popup", cause.popup, in: buffer)
        if case .closed(let reason, let action, _) = cause.kind {
            appendWord("reason", Self.name(of: reason))
            appendText("action", action, in: buffer)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func appendNumber(_ name: StaticString, _ value: UInt64) {
        guard value != 0 else { return }
        bytes.appendMember(name)
        bytes.appendDecimal(value)
    }

    /// Of 64 bits: in quotes, by the rules of protobuf's JSON.
    private mutating func appendLong(_ name: StaticString, _ value: UInt64) {
        guard value != 0 else { return }
        bytes.appendMember(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.appendDecimal(value)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendWord(_ name: StaticString, _ word: StaticString) {
        bytes.appendMember(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(word)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendText(_ name: StaticString, _ range: TextRange, in buffer: borrowing EventBuffer) {
        buffer.withText(range) { text in
            guard !text.isEmpty else { return }
            bytes.appendMember(name)
            bytes.appendJSONString(text)
        }
    }

    /// `nil` for a refusal, which leads to no state.
    private static func kind(of event: Event) -> StaticString? {
        switch event.kind {
        case .queued: "QUEUED"
        case .offered: "OFFERED"
        case .shown: "SHOWN"
        case .paused: "PAUSED"
        case .resumed: "RESUMED"
        case .updated: "UPDATED"
        case .closed: "CLOSED"
        case .refused: nil
        }
    }

    static func name(of reason: CloseReason) -> StaticString {
        switch reason {
        case .dismissed: "DISMISSED"
        case .advanced: "ADVANCED"
        case .timedOut: "TIMED_OUT"
        case .expired: "EXPIRED"
        case .preempted: "PREEMPTED"
        case .rejected: "REJECTED"
        case .superseded: "SUPERSEDED"
        case .replaced: "REPLACED"
        case .cleared: "CLEARED"
        case .evicted: "EVICTED"
        case .vetoed: "VETOED"
        case .unanswered: "UNANSWERED"
        case .unmet: "UNMET"
        case .undisplayed: "UNDISPLAYED"
        case .rendererLost: "RENDERER_LOST"
        case .pageClosed: "PAGE_CLOSED"
        case .sessionEnded: "SESSION_ENDED"
        }
    }
}
