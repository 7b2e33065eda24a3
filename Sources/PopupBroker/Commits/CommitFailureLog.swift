import Logging
import PopupScheduling

/// The log of failed commits, at most one line per second: a full disk refuses a thousand batches per second.
struct CommitFailureLog {
    private static let interval: Milliseconds = 1000

    private let logger: Logger
    private var loggedAt: Milliseconds?

    init(logger: Logger) { self.logger = logger }

    mutating func log(_ error: any Error, at now: Milliseconds) {
        if let loggedAt, now < loggedAt + Self.interval { return }
        loggedAt = now
        logger.critical(
            "the journal could not commit; what comes is refused OVERLOAD until it can",
            metadata: ["error": "\(error)"])
    }
}
