import Logging
import PopupProtocol
import PopupScheduling

/// The log of refusals, with a limit of lines per second: a client that sends only invalid data must not fill a disk.
struct RefusalLog {
    private let logger: Logger
    private var budget: LineBudget

    init(logger: Logger, linesPerSecond: Int) {
        self.logger = logger
        budget = LineBudget(linesPerSecond: linesPerSecond)
    }

    mutating func log(
        _ reason: WireRefused.Reason, _ detail: @autoclosure () -> String, group: String, popup: String,
        at now: Milliseconds
    ) {
        guard budget.take(at: now, telling: "refusals not logged", to: logger) else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason.name)", "detail": "\(detail())"]
        if !group.isEmpty { metadata["group"] = "\(group)" }
        if !popup.isEmpty { metadata["popup"] = "\(popup)" }
        logger.warning("command refused", metadata: metadata)
    }
}

/// The log of disconnected clients, with a limit of lines per second, because they connect again.
struct CutConnectionLog {
    private let logger: Logger
    private var budget: LineBudget

    init(logger: Logger, linesPerSecond: Int) {
        self.logger = logger
        budget = LineBudget(linesPerSecond: linesPerSecond)
    }

    mutating func log(_ cut: CutConnection, at now: Milliseconds) {
        guard budget.take(at: now, telling: "cut connections not logged", to: logger) else { return }
        var metadata: Logger.Metadata = ["socket": "\(cut.socket)", "reason": "\(cut.reason)"]
        if let peer = cut.peer { metadata["peer"] = "\(peer)" }
        if cut.count > 1 { metadata["count"] = "\(cut.count)" }
        logger.warning("connection cut off", metadata: metadata)
    }
}

/// The limit of log lines per second. Further lines are counted, and reported in a later second.
private struct LineBudget {
    private let linesPerSecond: Int
    private var second: Milliseconds = -1
    private var lines = 0
    private var suppressed = 0

    init(linesPerSecond: Int) { self.linesPerSecond = linesPerSecond }

    /// Counts a line. Returns whether it may be written.
    mutating func take(at now: Milliseconds, telling message: Logger.Message, to logger: Logger) -> Bool {
        if now / 1000 != second {
            if suppressed > 0 { logger.warning(message, metadata: ["count": "\(suppressed)"]) }
            second = now / 1000
            lines = 0
            suppressed = 0
        }
        guard lines < linesPerSecond else {
            suppressed += 1
            return false
        }
        lines += 1
        return true
    }
}
