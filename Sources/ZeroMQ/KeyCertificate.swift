/// The text of a key file: a certificate of ZeroMQ, in its property language ZPL (ZeroMQ's RFC 4).
///
///     # A comment.
///     metadata
///         name = "freight"
///     curve
///         public-key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
///         secret-key = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
///
/// CZMQ and pyzmq write and read the same. The certificate of a public key has no `secret-key`. A public key alone on the
/// only line is read as well.
public struct KeyCertificate: Equatable, Sendable {
    /// The text by which others know the key.
    public let publicKey: CurvePublicKey
    /// The secret half; `nil` in the certificate of a public key.
    public let secretKey: CurveSecretKey?

    /// The mistake in a certificate.
    public enum Mistake: Error, Equatable, Sendable {
        /// The line is no name, no `name = value` and no comment.
        case line(Int)
        /// The line has a key that is not 40 characters of Z85.
        case key(Int)
        /// There is no public key.
        case noPublicKey
        /// The public key belongs to another secret key.
        case mismatch
    }

    /// Creates the certificate of both halves of a key.
    public init(_ keys: CurveKeyPair) {
        publicKey = keys.publicKey
        secretKey = keys.secretKey
    }

    /// Reads a certificate.
    ///
    /// - Throws: `Mistake`; it contains nothing of the text, which may be a secret.
    public init(_ text: String) throws(Mistake) {
        var section = ""
        var found: [Substring: String] = [:]
        // By their line feeds: a text with CR LF has none as characters of their own.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Self.trimmed)
        let content = lines.filter { !$0.isEmpty && $0.utf8.first != UInt8(ascii: "#") }
        if content.count == 1, let key = CurvePublicKey(String(content[0])) {
            publicKey = key
            secretKey = nil
            return
        }
        for (index, line) in lines.enumerated() where !line.isEmpty && line.utf8.first != UInt8(ascii: "#") {
            guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                guard Self.isName(line) else { throw .line(index + 1) }
                section = String(line)
                continue
            }
            let name = Self.trimmed(line.utf8[..<equals])
            guard Self.isName(name) else { throw .line(index + 1) }
            guard section == "curve", name == "public-key" || name == "secret-key" else { continue }
            guard let value = Self.quoted(line.utf8[line.utf8.index(after: equals)...]), CurvePublicKey(value) != nil,
                found.updateValue(value, forKey: name) == nil
            else { throw .key(index + 1) }
        }
        guard let publicKey = found["public-key"].flatMap({ CurvePublicKey($0) }) else { throw .noPublicKey }
        self.publicKey = publicKey
        secretKey = found["secret-key"].flatMap { CurveSecretKey($0) }
        if let secretKey, let pair = try? CurveKeyPair(secretKey), pair.publicKey != publicKey { throw .mismatch }
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let tail = text.drop(while: isSpace)
        guard let last = tail.lastIndex(where: { !isSpace($0) }) else { return "" }
        return Substring(tail[...last])
    }

    /// Whether it is a name of ZPL: letters, digits and some signs.
    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "$-_@.&+/".utf8.contains(byte)
                }
            }
    }

    /// Returns the value in quotes, of either kind, if only a comment follows it.
    private static func quoted(_ text: Substring.UTF8View) -> String? {
        let text = trimmed(text).utf8
        guard let quote = text.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        let content = text.dropFirst()
        guard let end = content.firstIndex(of: quote) else { return nil }
        let rest = trimmed(content[content.index(after: end)...])
        guard rest.isEmpty || rest.utf8.first == UInt8(ascii: "#") else { return nil }
        return String(Substring(content[..<end]))
    }

    /// The lines of the file, each with its end.
    public var text: String {
        let title =
            secretKey == nil
            ? "# A public key of ZeroMQ's CURVE: others may know it."
            : "# A secret key of ZeroMQ's CURVE: no other user may read this file."
        let secret = secretKey.map { "    secret-key = \"\($0.text)\"\n" } ?? ""
        return "\(title)\ncurve\n    public-key = \"\(publicKey)\"\n\(secret)"
    }
}
