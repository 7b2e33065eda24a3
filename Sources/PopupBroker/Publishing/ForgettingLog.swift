import Logging
import PopupScheduling

/// Tells once each time that ids of closed popups begin to be forgotten before their time is over.
struct ForgettingLog {
    private let logger: Logger
    private var isTold = false

    init(logger: Logger) {
        self.logger = logger
    }

    /// Takes note of the window within which each closed popup is remembered now.
    mutating func note(window: Milliseconds, of limits: Limits) {
        guard window < limits.deduplicationWindow else {
            isTold = false
            return
        }
        guard !isTold else { return }
        isTold = true
        logger.warning(
            "ids of closed popups are forgotten early: deduplication.maxIDs is reached; a popup that is sent again later may be shown twice; raise the limit, or number commands",
            metadata: [
                "maxIDs": "\(limits.maxIDs)", "windowMs": "\(window)",
                "deduplicationWindowMs": "\(limits.deduplicationWindow)",
            ])
    }
}
