import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling

/// The lines that the loop writes to the log. Those that clients cause are limited in number.
struct LoopLogs {
    private let logger: Logger
    private var refusals: RefusalLog
    private var cuts: CutConnectionLog
    private var forgetting: ForgettingLog

    init(_ configuration: BrokerConfiguration, logger: Logger) {
        self.logger = logger
        refusals = RefusalLog(logger: logger, linesPerSecond: configuration.limits.refusalLogLines)
        cuts = CutConnectionLog(logger: logger, linesPerSecond: configuration.limits.refusalLogLines)
        forgetting = ForgettingLog(logger: logger)
    }

    // MARK: - What clients cause

    /// Logs a refusal.
    mutating func logRefusal(
        _ reason: WireRefused.Reason, _ detail: @autoclosure () -> String, group: String = "", popup: String = "",
        at now: Milliseconds
    ) {
        refusals.log(reason, detail(), group: group, popup: popup, at: now)
    }

    /// Logs the subscriptions that cannot be answered.
    mutating func logRefused(_ requests: SubscriptionRequests, at now: Milliseconds) {
        for denial in requests.denials { logRefusal(.permissionDenied, denial, at: now) }
        for topic in requests.invalidSyncs {
            let text = String(decoding: topic, as: UTF8.self)
            logRefusal(
                .invalid, "`\(text)` is not a topic of sync; use CLIENT/NONCE/ and a group name, or * for all groups",
                at: now)
        }
    }

    /// Logs a connection that was cut.
    mutating func log(_ cut: CutConnection, at now: Milliseconds) { cuts.log(cut, at: now) }

    /// Logs that ids of closed popups begin to be forgotten early.
    mutating func logForgetting(window: Milliseconds, of limits: Limits) { forgetting.log(window: window, of: limits) }

    // MARK: - What the broker finds

    /// Logs damage that was found when the journal was opened.
    func log(_ finding: JournalFinding) {
        logger.critical("the journal is not as it was written", metadata: ["finding": "\(finding)"])
    }

    /// Logs that the clock is behind the journal.
    func logLag(_ lag: Milliseconds) {
        logger.warning("the clock is behind the journal; time goes on from the journal's", metadata: ["ms": "\(lag)"])
    }

    /// Logs that the wall clock was set.
    func logWallClock(ahead: Milliseconds) {
        logger.warning("the wall clock was set", metadata: ["ahead of the time that passed, ms": "\(ahead)"])
    }

    /// Logs that the policies of the configuration are refused at the start with a shared journal.
    func logRefusedPolicies(_ refusal: CommandRefusal) {
        logger.critical(
            "the configured policies are refused; those of the shared journal stay in force",
            metadata: ["why": "\(refusal.detail)"])
    }
}
