#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Lines for people and pipes: each is written whole and at once, so that the lines of several processes on one terminal
/// or in one file don't mix, and a reader at the end of a pipe need not wait.
public enum Output {
    /// A line on stdout.
    public static func line(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// A line on stderr.
    public static func error(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Bytes, as they are. A reader that has gone ends the writing, not the process.
    public static func write(_ text: String, to file: CInt) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                #if canImport(Darwin)
                    let written = Darwin.write(file, rest.baseAddress, rest.count)
                #else
                    let written = Glibc.write(file, rest.baseAddress, rest.count)
                #endif
                if written < 0 {
                    if errno == EINTR { continue }
                    return
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            }
        }
    }
}
