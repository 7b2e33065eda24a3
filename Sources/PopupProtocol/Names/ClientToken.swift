/// The name of a client or the nonce of a query: one segment of a topic, 1 to 64 of `A–Z a–z 0–9 . _ -`.
public struct ClientToken: Hashable, Sendable, CustomStringConvertible {
    /// The token as it is written.
    public let text: String

    /// Creates a token; `nil` if `text` does not match the grammar.
    public init?(_ text: String) {
        guard Self.isValid(text.utf8.span) else { return nil }
        self.text = text
    }

    /// Whether these bytes are a token.
    public static func isValid(_ bytes: Span<UInt8>) -> Bool {
        GroupName.segments(of: bytes, maximum: 1) != nil
    }

    /// The token as it is written.
    public var description: String { text }
}
