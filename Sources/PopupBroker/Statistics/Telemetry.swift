import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling

/// The counters and the log lines of the loop: what happens is reported here once, and is counted, logged or both.
struct Telemetry {
    private var stats: Statistics
    private var logs: LoopLogs
    /// Whether the policies of the configuration were refused at the start.
    private(set) var hasRefusedPolicies = false

    /// Creates the telemetry of a loop that has not begun.
    init(_ configuration: BrokerConfiguration, logger: Logger) {
        stats = Statistics(configuration)
        logs = LoopLogs(configuration, logger: logger)
    }

    // MARK: - The start

    /// Reports damage that was found when the journal was opened.
    func report(_ finding: JournalFinding) { logs.log(finding) }

    /// Reports that the clock is behind the journal.
    func reportLag(_ lag: Milliseconds) { logs.logLag(lag) }

    /// Reports that the policies of the configuration are refused at the start with a shared journal.
    mutating func reportRefusedPolicies(_ refusal: CommandRefusal) {
        hasRefusedPolicies = true
        logs.logRefusedPolicies(refusal)
    }

    /// Begins to count, after the replay.
    ///
    /// - Parameters:
    ///   - findings: The number of findings when the journal was opened.
    ///   - waitingTimes: The waiting times that the scheduler has counted so far.
    mutating func beginCounting(findings: Int, waitingTimes: Histogram) {
        stats.begin(findings: findings, waitingTimes: waitingTimes)
    }

    /// Forgets the delays of timers so far: what ended while no broker ran is not late.
    mutating func forgetLateness() { stats.forgetLateness() }

    // MARK: - The turns

    /// Records the duration of a turn in µs.
    mutating func recordTurn(microseconds: UInt64) { stats.recordTurn(microseconds) }

    /// Records the delay in ms with which timers are handled.
    @inline(__always)
    mutating func recordLateness(_ delay: Milliseconds) { stats.recordLateness(delay) }

    /// Counts a command that is applied.
    @inline(__always)
    mutating func count(_ kind: CommandKind) { stats.commands.count(kind) }

    /// Counts the events of steps and the reports that came too late.
    @inline(__always)
    mutating func count(_ results: borrowing EventBuffer) {
        EventCounts.count(results.events, in: &stats.events)
        stats.countLateReports(results.lateReports)
    }

    /// Counts the event of a refusal that is not among those of steps.
    mutating func countRefusalEvent() { stats.events.countRefusal() }

    /// Reports that ids of closed popups are forgotten early, when that begins.
    mutating func reportForgetting(window: Milliseconds, of limits: Limits) {
        logs.logForgetting(window: window, of: limits)
    }

    /// Reports that the wall clock was set.
    func reportWallClock(ahead: Milliseconds) { logs.logWallClock(ahead: ahead) }

    // MARK: - What clients cause

    /// Reports a refused command.
    mutating func reportRefusal(
        _ reason: WireRefused.Reason, _ detail: @autoclosure () -> String, group: String, popup: String,
        at now: Milliseconds
    ) {
        stats.refused.count(reason)
        logs.logRefusal(reason, detail(), group: group, popup: popup, at: now)
    }

    /// Reports the subscriptions that cannot be answered.
    mutating func reportRefused(_ requests: SubscriptionRequests, at now: Milliseconds) {
        logs.logRefused(requests, at: now)
    }

    /// Reports a connection that was cut.
    mutating func report(_ cut: CutConnection, at now: Milliseconds) {
        stats.count(cut)
        logs.log(cut, at: now)
    }

    // MARK: - The answer to `stats`

    /// The limits whose use is part of the answer.
    var limits: BrokerLimits { stats.limits }

    /// Fills the part of an answer that is counted here.
    ///
    /// - Parameter waitingTimes: The waiting times that the scheduler has counted.
    func fill(_ result: inout WireStatsResult, waitingTimes: Histogram) {
        stats.fill(&result, waitingTimes: waitingTimes)
    }
}
