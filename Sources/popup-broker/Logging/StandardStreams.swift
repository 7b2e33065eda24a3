import Dispatch
import Logging
import PopupBroker
import PopupConfiguration
import SystemCalls

/// The standard output and error of a running broker, neither of which it waits for.
struct StandardStreams {
    /// What the log is written in; a reload changes it.
    let logSettings: LogSettings
    let output: LineWriter
    let error: LineWriter

    /// In seconds: how long the end of the process waits for those who read.
    private static let lastWait = 1.0

    /// Starts a thread for each.
    ///
    /// - Throws: `ThreadError` when the system has no more threads.
    init() throws(ThreadError) {
        Self.reserve()
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

    /// Takes over another level, format and size of the queue.
    func change(to log: Log) {
        logSettings.change(to: log)
        error.change(capacity: log.queueBytes)
    }

    /// Writes a sentence for which the process ends to the standard error.
    func fail(_ sentence: String) {
        error.write("popup-broker: \(sentence)", isCritical: true)
    }

    /// Waits a moment until both are written.
    func flush() {
        let deadline = DispatchTime.now() + Self.lastWait
        error.flush(before: deadline)
        output.flush(before: deadline)
    }

    /// Has what was closed lead nowhere: no file that is opened later takes its place, to be written to. Called before the
    /// process opens any.
    private static func reserve() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
            let nowhere = open("/dev/null", O_RDWR)
            // Usually it has taken the place itself.
            if nowhere > STDERR_FILENO { close(nowhere) }
        }
    }

    /// The stream, or one that leads nowhere: a stream that was closed may be something of the runtime's by now.
    private static func writable(_ stream: Int32) -> Int32 {
        var status = stat()
        guard fstat(stream, &status) == 0, status.st_mode & S_IFMT != 0 else {
            return open("/dev/null", O_WRONLY | O_CLOEXEC)
        }
        return stream
    }
}
