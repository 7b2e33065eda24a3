import Synchronization
import SystemCalls

/// The standard output of a program. A text is written at once and whole, so that no reader of a pipe waits for a buffer.
///
/// Output that is lost ends the program: a truncated result must not look complete. If the reader of a pipe is gone and
/// the program ignores SIGPIPE, nobody misses the output, and the program goes on.
package enum StandardOutput {
    /// The exit code of a program whose output is lost: `EX_IOERR` of `sysexits.h`.
    package static let lossCode: Int32 = 74

    /// The failure to write a text.
    package struct Loss: Error, CustomStringConvertible {
        /// The number of the error.
        fileprivate let number: Int32

        package var description: String {
            let what =
                number == EBADF ? "is closed" : "cannot be written (\(String(cString: strerror(number))))"
            return "standard output \(what); the output is not complete"
        }
    }

    /// Writes a line. If it is lost, ends the program with `lossCode` and a sentence.
    package static func line(_ text: String) {
        write(text + "\n")
    }

    /// Writes a text. If it is lost, ends the program with `lossCode` and a sentence.
    package static func write(_ text: String) {
        do throws(Loss) { try attempt(text) } catch { end(error) }
    }

    /// Writes a text.
    ///
    /// - Throws: `Loss` if a part of it is not written.
    package static func attempt(_ text: String) throws(Loss) {
        try attempt(text, to: STDOUT_FILENO)
    }

    /// Writes a text to a file, a pipe or a terminal.
    ///
    /// - Throws: `Loss` if a part of it is not written.
    package static func attempt(_ text: String, to descriptor: Int32) throws(Loss) {
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[position...])
                return systemWrite(descriptor, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                position += count
                continue
            }
            switch errno {
            case EINTR: continue
            // Another program has made the terminal or pipe that it shares with this one non-blocking.
            case EAGAIN:
                var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&output, 1, -1)
            case EPIPE: return
            case let number: throw Loss(number: number)
            }
        }
    }

    /// Writes what the C library has buffered, at the end of a program that uses `print`. If it is lost, ends the program
    /// with `lossCode` and a sentence.
    package static func finish() {
        guard fflush(nil) != 0, errno != EPIPE else { return }
        end(Loss(number: errno))
    }

    /// Held from then on by the one thread that ends the program.
    private static let ending = Mutex(())

    private static func end(_ loss: Loss) -> Never {
        ending.withLock { _ in
            let path = CommandLine.arguments.first ?? ""
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let sentence = Array("\(name): \(loss)\n".utf8)
            _ = systemWrite(STDERR_FILENO, sentence, sentence.count)
            exit(lossCode)
        }
    }
}

/// Calls the `write` of the system, which that of the type would hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
