package import PopupProtocol
public import PopupScheduling

/// The reason of a permanent refusal. It settles the sequence: a repetition is refused again with the same reason.
public struct SettledRefusal: Hashable {
    /// The maximum number of bytes of a detail, which is for users and stored with many records.
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
        self.init(WireRefused.Reason(refusal.reason), refusal.detail)
    }

    /// Returns a text, shortened to the maximum number of bytes and to whole characters.
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

/// A sequence whose command was permanently refused.
public struct RefusedSequence: Hashable {
    package var sequence: UInt64
    package var refusal: SettledRefusal
}
