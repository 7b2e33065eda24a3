import Logging
import PopupProtocol
import PopupScheduling

/// Logs refusals, so many lines a second at most: a client that sends nothing but nonsense must not fill a disk.
struct RefusalLog {
    private let logger: Logger
    private let linesPerSecond: Int
    private var second: Milliseconds = -1
    private var lines = 0
    private var suppressed = 0

    init(logger: Logger, linesPerSecond: Int) {
        self.logger = logger
        self.linesPerSecond = linesPerSecond
    }

    mutating func note(
        _ reason: WireRefused.Reason, _ detail: @autoclosure () -> String, group: String, popup: String,
        at now: Milliseconds
    ) {
        if now / 1000 != second {
            if suppressed > 0 { logger.warning("refusals not logged", metadata: ["count": "\(suppressed)"]) }
            second = now / 1000
            lines = 0
            suppressed = 0
        }
        guard lines < linesPerSecond else {
            suppressed += 1
            return
        }
        lines += 1
        var metadata: Logger.Metadata = ["reason": "\(reason.name)", "detail": "\(detail())"]
        if !group.isEmpty { metadata["group"] = "\(group)" }
        if !popup.isEmpty { metadata["popup"] = "\(popup)" }
        logger.warning("command refused", metadata: metadata)
    }
}
