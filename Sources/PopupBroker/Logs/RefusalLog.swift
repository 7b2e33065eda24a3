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
        guard budget.take(at: now, reporting: "refusals not logged", to: logger) else { return }
        var metadata: Logger.Metadata = ["reason": "\(reason.name)", "detail": "\(detail())"]
        if !group.isEmpty { metadata["group"] = "\(group)" }
        if !popup.isEmpty { metadata["popup"] = "\(popup)" }
        logger.warning("command refused", metadata: metadata)
    }
}

/// The log of disconnected clients, with a limit of lines per second, because they connect again. Repetitions,
/// from the same address for the same reason, are logged once in ten seconds.
struct CutConnectionLog {
    /// The time within which repetitions are only counted.
    private static let period: Milliseconds = 10_000
    /// The greatest number of connections whose repetitions are recognized.
    private static let capacity = 1024

    private let logger: Logger
    private var budget: LineBudget
    private var beginning: Milliseconds = 0
    private var logged: Set<String> = []
    private var repetitions = 0

    init(logger: Logger, linesPerSecond: Int) {
        self.logger = logger
        budget = LineBudget(linesPerSecond: linesPerSecond)
    }

    mutating func log(_ cut: CutConnection, at now: Milliseconds) {
        if now >= beginning + Self.period {
            if repetitions > 0 {
                logger.warning("repeated cut connections not logged", metadata: ["count": "\(repetitions)"])
            }
            (beginning, repetitions) = (now, 0)
            logged.removeAll()
        }
        let key = "\(cut.socket) \(cut.host ?? "") \(cut.reason)"
        guard !logged.contains(key) else {
            repetitions += cut.count
            return
        }
        guard budget.take(at: now, reporting: "cut connections not logged", to: logger) else { return }
        if logged.count < Self.capacity { logged.insert(key) }
        var metadata: Logger.Metadata = ["socket": "\(cut.socket)", "reason": "\(cut.reason)"]
        if let peer = cut.peer { metadata["peer"] = "\(peer)" }
        if cut.count > 1 { metadata["count"] = "\(cut.count)" }
        logger.warning("connection cut off", metadata: metadata)
    }
}

extension CutConnection {
    /// The address of the peer without a port.
    fileprivate var host: Substring? {
        guard let peer else { return nil }
        // An address of IPv6 with a port is in brackets.
        guard let colon = peer.lastIndex(of: ":"), peer[..<colon].last == "]" || !peer[..<colon].contains(":") else {
            return peer[...]
        }
        return peer[..<colon]
    }
}

/// The limit of log lines per second. Further lines are counted, and reported in a later second.
private struct LineBudget {
    private let linesPerSecond: Int
    private var second = PresentSecond()
    private var lines = 0
    private var suppressed = 0

    init(linesPerSecond: Int) { self.linesPerSecond = linesPerSecond }

    /// Counts a line. Returns whether it may be written.
    mutating func take(at now: Milliseconds, reporting message: Logger.Message, to logger: Logger) -> Bool {
        if second.advance(to: now) {
            if suppressed > 0 { logger.warning(message, metadata: ["count": "\(suppressed)"]) }
            (lines, suppressed) = (0, 0)
        }
        guard lines < linesPerSecond else {
            suppressed += 1
            return false
        }
        lines += 1
        return true
    }
}
