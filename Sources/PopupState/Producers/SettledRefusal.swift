package import PopupProtocol
public import PopupScheduling

/// Why a command was refused for good: its sequence is settled, and what comes under it again is refused so again.
public struct SettledRefusal: Hashable {
    /// Bytes of a detail at most: it is for people, and kept for each of many.
    static let maxDetailBytes = 200

    package var reason: WireRefused.Reason
    package var detail: String

    package init(_ reason: WireRefused.Reason, _ detail: String) {
        self.reason = reason
        self.detail = Self.shortened(detail)
    }

    package init(_ refusal: CommandRefusal) {
        self.init(refusal.reason, refusal.detail)
    }

    @usableFromInline package init(_ refusal: PopupScheduling.Refusal) {
        self.init(WireRefused.Reason(refusal.reason), refusal.description)
    }

    /// The text, or as much of it from its beginning as is kept: whole characters.
    package static func shortened(_ text: String) -> String {
        guard text.utf8.count > maxDetailBytes else { return text }
        var end = text.startIndex
        for index in text.indices {
            guard text.utf8.distance(from: text.startIndex, to: index) <= maxDetailBytes else { break }
            end = index
        }
        return String(text[..<end])
    }
}

/// A sequence that was refused for good.
public struct RefusedSequence: Hashable {
    package var sequence: UInt64
    package var refusal: SettledRefusal
}
