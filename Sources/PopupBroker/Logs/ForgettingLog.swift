import Logging
import PopupScheduling

/// The log of when ids of closed popups begin to be removed before their time, one line each time.
struct ForgettingLog {
    private let logger: Logger
    private var isReported = false

    init(logger: Logger) {
        self.logger = logger
    }

    /// Records the window within which each closed popup is remembered.
    mutating func log(window: Milliseconds, of limits: Limits) {
        guard window < limits.deduplicationWindow else {
            isReported = false
            return
        }
        guard !isReported else { return }
        isReported = true
        logger.warning(
            "ids of closed popups are forgotten early: deduplication.maxIDs is reached; a popup that is sent again later may be shown twice; raise the limit, or number commands",
            metadata: [
                "maxIDs": "\(limits.maxIDs)", "windowMs": "\(window)",
                "deduplicationWindowMs": "\(limits.deduplicationWindow)",
            ])
    }
}
