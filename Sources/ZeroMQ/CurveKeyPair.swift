import CZeroMQ
// The halves of a key are part of this module's interface. They have their own module so that code without sockets can
// read keys.
@_exported public import CurveKeys

/// A key of CURVE: both halves.
public struct CurveKeyPair: Hashable, Sendable {
    /// The number of characters of a key, including the zero that ends them in C.
    private static let bufferSize = 41

    /// The half by which others know the key.
    public let publicKey: CurvePublicKey
    /// The half by which its owner proves to be its owner.
    public let secretKey: CurveSecretKey

    /// Creates the pair of a secret key.
    ///
    /// - Throws: `ZeroMQError` if libzmq was built without CURVE.
    public init(_ secretKey: CurveSecretKey) throws(ZeroMQError) {
        var text = [CChar](repeating: 0, count: Self.bufferSize)
        guard zmq_curve_public(&text, secretKey.text) == 0 else { throw .last(.makeKey) }
        guard let publicKey = CurvePublicKey(Self.text(text)) else {
            preconditionFailure("libzmq wrote a key that is not Z85")
        }
        self.publicKey = publicKey
        self.secretKey = secretKey
    }

    /// Creates a new pair, from the system's randomness.
    ///
    /// - Throws: `ZeroMQError` if libzmq was built without CURVE.
    public static func random() throws(ZeroMQError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: Self.bufferSize)
        var secretText = [CChar](repeating: 0, count: Self.bufferSize)
        guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw .last(.makeKey) }
        guard let secretKey = CurveSecretKey(Self.text(secretText)) else {
            preconditionFailure("libzmq wrote a key that is not Z85")
        }
        return try CurveKeyPair(secretKey)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
