import SystemCalls

/// A file with a key certificate, read and written with the care that a secret needs.
public struct KeyFile: Equatable, Sendable {
    /// The reason why a key file cannot be used or written, as one sentence that says what to do.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The failure.
        public enum Cause: Equatable, Sendable {
            /// The file is not there or cannot be read.
            case unreadable
            /// Others than its owner can read or write the file of a secret key.
            case openToOthers
            /// The content is no key, or not the one that is needed.
            case content
            /// The file exists already.
            case exists
            /// The file cannot be written.
            case unwritable
        }

        /// The failure.
        public let cause: Cause
        /// One sentence, without the secret.
        public let description: String

        init(_ cause: Cause, _ description: String) {
            self.cause = cause
            self.description = description
        }
    }

    /// The file's path.
    public let path: String

    /// Creates the file at a path, without reading it.
    public init(_ path: String) {
        self.path = path
    }

    /// The maximum number of bytes of a certificate with comments.
    private static let maxBytes = 16 << 10

    /// Reads both halves of a key.
    ///
    /// - Throws: `Failure`, also when others can read or write the file.
    public func keyPair() throws(Failure) -> CurveKeyPair {
        guard let secretKey = try certificate().secretKey else {
            throw Failure(
                .content,
                "\(path) has only a public key; name the file of the secret key, made with `popup-broker keys new`")
        }
        do throws(ZeroMQError) {
            return try CurveKeyPair(secretKey)
        } catch {
            throw Failure(.content, "\(error)")
        }
    }

    /// Reads the public half of a key, which is not secret.
    ///
    /// - Throws: `Failure`, also when the file holds a secret key and others can read or write it.
    public func publicKey() throws(Failure) -> CurvePublicKey {
        try certificate().publicKey
    }

    private func certificate() throws(Failure) -> KeyCertificate {
        // Without waiting for the writer of a pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(.unreadable, "cannot read \(path): \(Self.reason)") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(.unreadable, "cannot read \(path): it is not a file")
        }
        var bytes = [UInt8](repeating: 0, count: Self.maxBytes + 1)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw Failure(.unreadable, "cannot read \(path): \(Self.reason)") }
        guard count <= Self.maxBytes, let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw Failure(.content, "\(path) is not a key file; make one with `popup-broker keys new`")
        }
        let certificate: KeyCertificate
        do throws(KeyCertificate.Mistake) {
            certificate = try KeyCertificate(text)
        } catch {
            let mistake =
                switch error {
                case .line(let line): "line \(line) is not part of a ZeroMQ certificate"
                case .key(let line): "line \(line) has no key of 40 characters of Z85 in quotes"
                case .noPublicKey: "it has no `public-key` in a section `curve`"
                case .mismatch: "its public key does not belong to its secret key"
                }
            throw Failure(
                .content, "\(path) is not a key file: \(mistake); make one with `popup-broker keys new`")
        }
        if certificate.secretKey != nil, status.st_mode & 0o077 != 0 {
            let mode = "0" + String(status.st_mode & 0o777, radix: 8)
            throw Failure(
                .openToOthers,
                "\(path) holds a secret key, but its mode \(mode) lets others use it; run `chmod 600 \(path)`, and make a "
                    + "new key if another user may have read it")
        }
        return certificate
    }

    /// Writes a new file that only its owner can read. An existing file stays as it is.
    ///
    /// - Throws: `Failure`.
    public func create(_ keys: CurveKeyPair) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
        guard descriptor >= 0 else {
            if errno == EEXIST {
                throw Failure(
                    .exists, "\(path) exists, and a key is never overwritten; name another file or move this one away")
            }
            throw Failure(.unwritable, "cannot write \(path): \(Self.reason)")
        }
        let bytes = Array(KeyCertificate(keys).text.utf8)
        // The mode whatever the mask of the process is.
        let isWritten =
            fchmod(descriptor, 0o600) == 0 && write(descriptor, bytes, bytes.count) == bytes.count
            && fsync(descriptor) == 0
        let reason = Self.reason
        close(descriptor)
        guard isWritten else {
            unlink(path)
            throw Failure(.unwritable, "cannot write \(path): \(reason)")
        }
    }

    /// The error of the system call before, in its words.
    private static var reason: String { String(cString: strerror(errno)) }
}
