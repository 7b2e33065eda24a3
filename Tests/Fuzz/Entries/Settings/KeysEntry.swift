import ZeroMQ

/// Key files, and requests of libzmq about who may connect: `F` and the text of a file, or `Z` and the frames of a
/// request, each behind its length.
enum KeysEntry {
    static func run(_ input: [UInt8]) throws -> Bool {
        switch input.first {
        case UInt8(ascii: "F"): return try readFile(String(decoding: input.dropFirst(), as: UTF8.self))
        case UInt8(ascii: "Z"):
            var reader = InputReader(Array(input.dropFirst()))
            var frames: [[UInt8]] = []
            while !reader.isAtEnd { frames.append(reader.string()) }
            return try readRequest(frames)
        default: return false
        }
    }

    private static func readFile(_ text: String) throws -> Bool {
        let certificate: KeyCertificate
        do throws(KeyCertificate.Mistake) {
            certificate = try KeyCertificate(text)
        } catch {
            return false
        }
        guard try KeyCertificate(certificate.text) == certificate else {
            throw Finding("a key file is not read as it was written")
        }
        if let secretKey = certificate.secretKey {
            guard try CurveKeyPair(secretKey).publicKey == certificate.publicKey else {
                throw Finding("the halves of a key are not of one key")
            }
            guard !"\(certificate)".contains(secretKey.text) else { throw Finding("a description tells a secret key") }
        }
        return true
    }

    private static func readRequest(_ frames: [[UInt8]]) throws -> Bool {
        guard let request = AuthenticationRequest(frames) else { return false }
        guard frames.count >= 4 else { throw Finding("\(frames.count) frames are a request") }
        guard case .curve(let key) = request.mechanism else { return true }
        guard frames.count == 5, key.bytes == frames[4], CurvePublicKey(key.description) == key else {
            throw Finding("the key of a request is not the one that was proved")
        }
        return true
    }
}
