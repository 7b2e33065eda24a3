import Logging
import Synchronization

/// Keeps what is logged, a line each: level, message, metadata by name.
final class LogLines: Sendable {
    private struct Recorder: LogHandler {
        let kept: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            kept.lines.withLock {
                $0.append("\(event.level) \(event.message) \(metadata.joined(separator: " "))")
            }
        }
    }

    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { [self] _ in Recorder(kept: self) } }
}
