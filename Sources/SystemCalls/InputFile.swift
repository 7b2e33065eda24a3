/// A file, pipe or terminal that is open for reading.
package final class InputFile {
    /// The name in messages.
    package let name: String
    private let descriptor: CInt
    private let isOwned: Bool

    /// Opens the file at a path.
    package init(path: String) throws(InputError) {
        name = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        isOwned = descriptor >= 0
        guard isOwned else { throw InputError(name: name, code: errno) }
    }

    /// Opens what an argument names: the file at a path, or standard input for `-`.
    package convenience init(argument: String) throws(InputError) {
        if argument == "-" { self.init(standardInputNamed: "standard input") } else { try self.init(path: argument) }
    }

    private init(standardInputNamed name: String) {
        self.name = name
        descriptor = STDIN_FILENO
        isOwned = false
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Returns what can be read now, at most `count` bytes, or waits for some. Returns none at the end.
    package func bytes(upTo count: Int = 65536) throws(InputError) -> [UInt8] {
        while true {
            let (bytes, code) = Self.readOnce(descriptor, upTo: count)
            if code == 0 { return bytes }
            guard code == EAGAIN else { throw InputError(name: name, code: code) }
            var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&file, 1, -1)
        }
    }

    /// Returns the content up to its end, at most `limit` bytes.
    package func content(upTo limit: Int = .max) throws(InputError) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < limit {
            let more = try bytes(upTo: min(limit - content.count, 65536))
            if more.isEmpty { break }
            content += more
        }
        return content
    }

    /// Reads what can be read now; a signal does not interrupt it.
    ///
    /// - Returns: The bytes, none at the end; and the `errno` of a failure, otherwise 0.
    package static func readOnce(_ descriptor: CInt, upTo count: Int) -> (bytes: [UInt8], code: CInt) {
        while true {
            var code: CInt = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
                let result = read(descriptor, buffer.baseAddress, count)
                code = result < 0 ? errno : 0
                used = max(0, result)
            }
            if code != EINTR { return (bytes, code) }
        }
    }
}

/// A failure to read a file.
package struct InputError: Error, CustomStringConvertible {
    /// The name of the file in messages.
    package let name: String
    /// The `errno` of the call that failed.
    package let code: CInt

    package init(name: String, code: CInt) {
        self.name = name
        self.code = code
    }

    /// The cause, and what to do.
    package var reason: String {
        switch code {
        case ENOENT, ENOTDIR: "it does not exist; check the path"
        case EISDIR: "it is a directory; name a file"
        case EACCES, EPERM: "permission is denied; check the permissions"
        case EBADF: "it is closed; give it a file, a pipe or a terminal"
        default: String(cString: strerror(code))
        }
    }

    package var description: String { "cannot read \(name): \(reason)" }
}
