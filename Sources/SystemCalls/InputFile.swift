/// A file, pipe or terminal that is open for reading.
package final class InputFile {
    /// The name in messages.
    package let name: String
    private let descriptor: CInt

    /// Opens the file at a path; `-` is standard input.
    package init(path: String) throws(InputError) {
        let isStandardInput = path == "-"
        name = isStandardInput ? "standard input" : path
        descriptor = isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputError(name: name, code: errno) }
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
    }

    /// Returns what can be read now, at most `count` bytes, or waits for some. Returns none at the end.
    package func bytes(upTo count: Int = 65536) throws(InputError) -> [UInt8] {
        while true {
            switch Self.readOnce(descriptor, upTo: count) {
            case .success(let bytes): return bytes
            case .failure(let error) where error.code == EAGAIN:
                var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                poll(&file, 1, -1)
            case .failure(let error): throw InputError(name: name, code: error.code)
            }
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
    package static func readOnce(_ descriptor: CInt, upTo count: Int) -> Result<[UInt8], InputError> {
        while true {
            var code: CInt = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
                let result = read(descriptor, buffer.baseAddress, count)
                code = result < 0 ? errno : 0
                used = max(0, result)
            }
            if code == 0 { return .success(bytes) }
            if code != EINTR { return .failure(InputError(name: "file \(descriptor)", code: code)) }
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
        default: "\(String(cString: strerror(code))); check the path and the permissions"
        }
    }

    package var description: String { "cannot read \(name): \(reason)" }
}
