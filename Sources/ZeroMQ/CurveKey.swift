import CZeroMQ

/// The public half of a key of CURVE: 32 bytes, written as 40 characters of Z85 (ZeroMQ's RFC 32).
public struct CurvePublicKey: Hashable, Sendable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Creates a key of 32 bytes; `nil` for another number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == CurveKeyPair.byteCount else { return nil }
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

/// The secret half of a key of CURVE. Its description does not contain it, so that no log does.
public struct CurveSecretKey: Hashable, Sendable {
    let bytes: [UInt8]

    /// Reads a key; `nil` if the text is not 40 characters of Z85.
    public init?(_ text: String) {
        guard let bytes = Z85.decode(text), bytes.count == CurveKeyPair.byteCount else { return nil }
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

/// A key of CURVE: both halves.
public struct CurveKeyPair: Hashable, Sendable {
    static let byteCount = 32

    /// The half by which others know the key.
    public let publicKey: CurvePublicKey
    /// The half by which its owner proves to be its owner.
    public let secretKey: CurveSecretKey

    /// Creates the pair of a secret key.
    ///
    /// - Throws: `ZeroMQError` if libzmq was built without CURVE.
    public init(_ secretKey: CurveSecretKey) throws(ZeroMQError) {
        var text = [CChar](repeating: 0, count: Z85.keyBuffer)
        guard zmq_curve_public(&text, secretKey.text) == 0 else { throw .last(.makeKey) }
        guard let publicKey = CurvePublicKey(Z85.text(text)) else {
            preconditionFailure("libzmq wrote a key that is not Z85")
        }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// Creates a new pair, from the system's randomness.
    ///
    /// - Throws: `ZeroMQError` if libzmq was built without CURVE.
    public static func random() throws(ZeroMQError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: Z85.keyBuffer)
        var secretText = [CChar](repeating: 0, count: Z85.keyBuffer)
        guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw .last(.makeKey) }
        guard let secretKey = CurveSecretKey(Z85.text(secretText)) else {
            preconditionFailure("libzmq wrote a key that is not Z85")
        }
        return try CurveKeyPair(secretKey)
    }
}

/// The encoding Z85 (ZeroMQ's RFC 32): five characters for four bytes.
private enum Z85 {
    /// The number of characters of a key, including the zero that ends them in C.
    static let keyBuffer = 41

    private static let characters = Array(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 4) {
            var value = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            var group: [UInt8] = []
            for _ in 0..<5 {
                group.append(characters[Int(value % 85)])
                value /= 85
            }
            text += group.reversed()
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text; `nil` if it is not Z85, of which libzmq's own reader accepts some.
    static func decode(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard text.count.isMultiple(of: 5) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: 5) {
            var value: UInt64 = 0
            for character in text[start..<start + 5] {
                guard let digit = values[Int(character)] else { return nil }
                value = value * 85 + UInt64(digit)
            }
            guard let word = UInt32(exactly: value) else { return nil }
            bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
        return bytes
    }

    static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
