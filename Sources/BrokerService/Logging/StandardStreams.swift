import Dispatch
import Logging
import PopupBroker
import PopupConfiguration
import SystemCalls

/// Standard output and standard error of a program with a broker, which waits for neither: they may be slow, or not be read,
/// and a reader that is gone is no reason to end. Lines that do not fit into the queue are counted, and told later.
public struct StandardStreams: Sendable {
    /// The level and format of the log. A reload changes them.
    let logSettings: LogSettings
    let output: LineWriter
    let error: LineWriter
    private let program: String

    /// The longest time, in seconds, for which the end of the process waits for the readers.
    private static let lastWait = 1.0

    /// Starts a thread for each, and lets a write to a pipe without a reader fail instead of ending the process.
    ///
    /// - Parameter program: The name with which messages begin.
    /// - Throws: If the system has no more threads.
    public init(program: String) throws {
        signal(SIGPIPE, SIG_IGN)
        self.program = program
        let log = Log()
        let settings = LogSettings(log)
        logSettings = settings
        output = try LineWriter(Self.writable(STDOUT_FILENO), capacity: log.queueBytes) {
            "\($0) lines were not written"
        }
        error = try LineWriter(Self.writable(STDERR_FILENO), capacity: log.queueBytes) { count in
            LogLine(level: .warning, message: "\(count) lines were not written").text(settings.format)
        }
    }

    /// Changes the level, the format and the size of the queue.
    func change(to log: Log) {
        logSettings.change(to: log)
        error.change(capacity: log.queueBytes)
    }

    /// Writes a message for operators to standard error.
    public func say(_ sentence: String) { error.write("\(program): \(sentence)") }

    /// Writes the reason for which the process ends to standard error.
    public func fail(_ sentence: String) {
        error.write("\(program): \(sentence)", isCritical: true)
    }

    /// Writes a line to standard output.
    public func print(_ line: String) { output.write("\(program) \(line)") }

    /// Waits until both are written, at most `lastWait`.
    public func flush() {
        let deadline = DispatchTime.now() + Self.lastWait
        error.flush(before: deadline)
        output.flush(before: deadline)
    }

    /// Returns the stream; the null device if it was closed, for which the one that cannot be written stands.
    private static func writable(_ stream: Int32) -> Int32 {
        let flags = fcntl(stream, F_GETFL)
        guard flags < 0 || flags & O_ACCMODE == O_RDONLY else { return stream }
        return open("/dev/null", O_WRONLY | O_CLOEXEC)
    }
}
