/// The public half of a key of CURVE: 32 bytes, written as 40 characters of Z85 (ZeroMQ's RFC 32).
public struct CurvePublicKey: Hashable, Sendable {
    /// The number of bytes of either half of a key.
    static let byteCount = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Creates a key of 32 bytes; `nil` for another number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads a key; `nil` if the text is not 40 characters of Z85.
    public init?(_ text: String) {
        guard let bytes = Z85.decode(text) else { return nil }
        self.init(bytes: bytes)
    }
}

extension CurvePublicKey: CustomStringConvertible {
    /// The key as 40 characters of Z85.
    public var description: String { Z85.encode(bytes) }
}
