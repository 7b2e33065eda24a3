/// The secret half of a key of CURVE. Its description does not contain it, so that no log does.
public struct CurveSecretKey: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Reads a key; `nil` if the text is not 40 characters of Z85.
    public init?(_ text: String) {
        guard let bytes = Z85.decode(text), bytes.count == CurvePublicKey.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The key as 40 characters of Z85, for its file only.
    public var text: String { Z85.encode(bytes) }
}

extension CurveSecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text that does not depend on the key.
    public var description: String { "a secret key" }
    /// A text that does not depend on the key.
    public var debugDescription: String { description }
    /// A mirror without children, so that `dump` does not show the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
