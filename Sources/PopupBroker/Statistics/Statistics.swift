import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// The statistics of the loop since the start. The counters are plain numbers in fixed places, since several are
/// incremented per command.
struct Statistics {
    private let version: String
    /// The limits whose use is part of the statistics.
    let limits: BrokerLimits

    var commands = CommandCounts()
    var refused = RefusalCounts()
    var events = EventCounts()
    private var connectionsCut: UInt64 = 0
    private var slowSubscribers: UInt64 = 0
    private var lateReports: UInt64 = 0
    /// The delays with which timers were handled, in ms.
    private var timerLateness = Histogram()
    /// The waiting times that the scheduler had counted before.
    private var earlierWaitingTimes = Histogram()
    /// The number of findings when the journal was opened.
    private var journalFindings: UInt64 = 0
    /// The durations of turns, measured by the caller.
    private var turnTimes = TurnTimes()

    /// Creates statistics in which nothing is counted.
    init(_ configuration: BrokerConfiguration) {
        self.init(version: configuration.version, limits: configuration.limits)
    }

    private init(version: String, limits: BrokerLimits) {
        self.version = version
        self.limits = limits
    }

    /// Begins to count, after the replay.
    ///
    /// - Parameters:
    ///   - findings: The number of findings when the journal was opened.
    ///   - waitingTimes: The waiting times that the scheduler has counted so far.
    mutating func begin(findings: Int, waitingTimes: Histogram) {
        self = Statistics(version: version, limits: limits)
        journalFindings = UInt64(findings)
        earlierWaitingTimes = waitingTimes
    }

    /// Counts a connection that was cut.
    mutating func count(_ cut: CutConnection) {
        connectionsCut += UInt64(clamping: cut.count)
        if cut.isSlow { slowSubscribers += UInt64(clamping: cut.count) }
    }

    /// Counts reports that came too late.
    @inline(__always)
    mutating func countLateReports(_ count: Int) { lateReports += UInt64(count) }

    /// Records the delay in ms with which timers are handled.
    @inline(__always)
    mutating func recordLateness(_ delay: Milliseconds) { timerLateness.record(delay) }

    /// Forgets the delays so far: what ended while no broker ran is not late.
    mutating func forgetLateness() { timerLateness = Histogram() }

    /// Records the duration of a turn in µs.
    mutating func recordTurn(_ time: UInt64) { turnTimes.record(time) }

    /// Fills the part of an answer that is counted here.
    ///
    /// - Parameter waitingTimes: The waiting times that the scheduler has counted.
    func fill(_ stats: inout WireStatsResult, waitingTimes: Histogram) {
        stats.version = version
        stats.commands = commands.total
        stats.commandsByKind = commands.listed
        stats.refused = refused.total
        stats.refusedByReason = refused.listed
        stats.events = events.total
        stats.eventsByKind = events.listed
        stats.closed = events.listedReasons
        stats.connectionsCut = connectionsCut
        stats.slowSubscribers = slowSubscribers
        stats.lateReports = lateReports
        if turnTimes.count > 0 { stats.turns = WireTurnTimes(turnTimes) }
        stats.waitingTimes = WireHistogram(waitingTimes.since(earlierWaitingTimes), microseconds: 1000)
        stats.timerLateness = WireHistogram(timerLateness, microseconds: 1000)
        stats.journalFindings = journalFindings
    }
}

/// The number of committed commands of each kind.
struct CommandCounts {
    private var counts = InlineArray<16, UInt64>(repeating: 0)

    /// Counts a command.
    @inline(__always)
    mutating func count(_ kind: CommandKind) { counts[kind.number] += 1 }

    /// The number of commands of all kinds.
    var total: UInt64 { listed.reduce(0) { $0 + $1.count } }

    /// The counts of all kinds but queries, which are not committed.
    var listed: [WireCommandCount] {
        CommandKind.allCases.filter { $0 != .query }.map { kind in
            .with {
                $0.kind = kind.rawValue
                $0.count = counts[kind.number]
            }
        }
    }
}

extension CommandKind {
    /// The position of its count.
    @inline(__always)
    fileprivate var number: Int {
        switch self {
        case .show: 0
        case .update: 1
        case .dismiss: 2
        case .advance: 3
        case .clear: 4
        case .suspend: 5
        case .resume: 6
        case .setPolicy: 7
        case .unsetPolicy: 8
        case .setSession: 9
        case .report: 10
        case .answer: 11
        case .lease: 12
        case .page: 13
        case .query: 14
        }
    }
}

/// The number of events of each kind, and of closed popups by reason.
struct EventCounts {
    /// The kinds in the order of `Event`.
    private static let kinds = [
        "queued", "offered", "shown", "paused", "resumed", "updated", "closed", "refused",
    ]
    private var counts = InlineArray<8, UInt64>(repeating: 0)
    private var reasons = InlineArray<32, UInt64>(repeating: 0)

    /// Counts events. A static function, since both are parts of the loop.
    static func count(_ events: [Event], in counts: inout EventCounts) {
        let events = events.span
        for index in events.indices { counts.count(events[index].kind) }
    }

    @inline(__always)
    private mutating func count(_ kind: Event.Kind) {
        switch kind {
        case .queued: counts[0] += 1
        case .offered: counts[1] += 1
        case .shown: counts[2] += 1
        case .paused: counts[3] += 1
        case .resumed: counts[4] += 1
        case .updated: counts[5] += 1
        case .closed(let reason, _, _):
            counts[6] += 1
            reasons[Int(reason.rawValue)] += 1
        case .refused: countRefusal()
        }
    }

    /// Counts the event of a refusal.
    mutating func countRefusal() { counts[7] += 1 }

    /// The number of events of all kinds.
    var total: UInt64 { counts.indices.reduce(0) { $0 + counts[$1] } }

    /// The counts of all kinds.
    var listed: [WireEventCount] {
        Self.kinds.enumerated().map { index, kind in
            .with {
                $0.kind = kind
                $0.count = counts[index]
            }
        }
    }

    /// The counts of all reasons for which popups close.
    var listedReasons: [WireClosedCount] {
        CloseReason.allCases.map { reason in
            .with {
                $0.reason = WireClosed.Reason(reason)
                $0.count = reasons[Int(reason.rawValue)]
            }
        }
    }
}

/// The number of refused commands and frames of each reason.
struct RefusalCounts {
    private var counts = InlineArray<16, UInt64>(repeating: 0)

    /// Counts a refusal.
    mutating func count(_ reason: WireRefused.Reason) { counts[reason.rawValue] += 1 }

    /// The number of refusals of all reasons.
    var total: UInt64 { counts.indices.reduce(0) { $0 + counts[$1] } }

    /// The counts of all reasons.
    var listed: [WireRefusedCount] {
        WireRefused.Reason.allCases.filter { $0 != .unspecified }.map { reason in
            .with {
                $0.reason = reason
                $0.count = counts[reason.rawValue]
            }
        }
    }
}
