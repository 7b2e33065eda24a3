import CZeroMQ

/// The public half of a key of CURVE: 32 bytes, written as 40 characters of Z85 (ZeroMQ's RFC 32).
public struct CurvePublicKey: Hashable, Sendable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// The key of these bytes, or `nil` when they are not 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == CurveKeyPair.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The key that is written so, or `nil` when it is not 40 characters of Z85.
    public init?(_ text: String) {
        guard let bytes = Z85.decode(text) else { return nil }
        self.init(bytes: bytes)
    }
}

extension CurvePublicKey: CustomStringConvertible {
    /// 40 characters of Z85.
    public var description: String { Z85.encode(bytes) }
}

/// The secret half of a key of CURVE. It describes itself without its content, so that no log can tell it.
public struct CurveSecretKey: Hashable, Sendable {
    let bytes: [UInt8]

    /// The key that is written so, or `nil` when it is not 40 characters of Z85.
    public init?(_ text: String) {
        guard let bytes = Z85.decode(text), bytes.count == CurveKeyPair.byteCount else { return nil }
        self.bytes = bytes
    }

    /// 40 characters of Z85: for the key's own file only.
    public var text: String { Z85.encode(bytes) }
}

extension CurveSecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the key.
    public var description: String { "a secret key" }
    /// Nothing of the key.
    public var debugDescription: String { description }
    /// Nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A key of CURVE: both halves.
public struct CurveKeyPair: Hashable, Sendable {
    static let byteCount = 32

    /// What others know it by.
    public let publicKey: CurvePublicKey
    /// What proves that it is one's own.
    public let secretKey: CurveSecretKey

    /// The pair that a secret key belongs to.
    ///
    /// - Throws: `ZeroMQError` when libzmq was built without CURVE.
    public init(_ secretKey: CurveSecretKey) throws(ZeroMQError) {
        var text = [CChar](repeating: 0, count: Z85.keyBuffer)
        guard zmq_curve_public(&text, secretKey.text) == 0 else { throw .last(.makeKey) }
        guard let publicKey = CurvePublicKey(Z85.text(text)) else {
            preconditionFailure("libzmq wrote a key that is no Z85")
        }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// A new pair, from the system's randomness.
    ///
    /// - Throws: `ZeroMQError` when libzmq was built without CURVE.
    public static func random() throws(ZeroMQError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: Z85.keyBuffer)
        var secretText = [CChar](repeating: 0, count: Z85.keyBuffer)
        guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw .last(.makeKey) }
        guard let secretKey = CurveSecretKey(Z85.text(secretText)) else {
            preconditionFailure("libzmq wrote a key that is no Z85")
        }
        return try CurveKeyPair(secretKey)
    }
}

/// Z85 of ZeroMQ's RFC 32: four bytes as five characters.
private enum Z85 {
    /// Characters of a key, and the zero that ends them in C.
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

    /// The bytes, or `nil` for what is no Z85: libzmq's own reader takes some of that for keys.
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
