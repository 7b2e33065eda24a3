import PopupProtocol
import PopupScheduling

/// The loop of the broker. Each turn receives, admits, commits, applies and publishes.
///
/// It owns the state machine and the components, and passes values between them. No component knows another, except that
/// `Admission` and `Publisher` ask `AccessControl`, which the loop passes to them.
///
///     receive ──▶ Admission ──▶ CommitPipeline ──▶ BrokerState ──▶ Publisher ──▶ send
///                     ▲               ▲                 │ outcomes     ▲
///                     │ repetitions   │ ends of leases  ▼              │ acknowledgements
///              Acknowledgements     Leases ◀────────────┴─────▶ Acknowledgements
///
/// It is confined to one thread, reads no clock and never waits: `LoopRunner` does that. The rest of it is in extensions,
/// in the other files of this directory:
///
/// - the parts of a turn: `+Commit` and `+Applying` (committed batches), `+Time` and `+Leases` (what is due),
///   `+Messages`, `+Admission`, `+Queries` and `+Refusals` (received messages), `+Publishing` (subscriptions, repetitions,
///   acknowledgements);
/// - the beginning, `+Start`, and what other threads ask for: `+Calls`, `+Policies`.
struct BrokerLoop: ~Copyable {
    let transport: any Transport
    let epoch: UInt64

    // From a received frame to a committed batch.
    var admission: Admission
    var access: AccessControl
    var acknowledgements: Acknowledgements
    var pipeline: CommitPipeline
    var leases = Leases()
    /// The entries that the broker itself adds to the journal.
    var ownEntries = OwnEntries()

    // From a committed batch to what is published.
    /// The state that the journal determines.
    var state: BrokerState
    /// The author of the entry that was applied last.
    var author = EntryAuthor()
    /// The results of the last steps, until they are published and the plugins are notified.
    var output = EventBuffer()
    var publisher: Publisher

    // The turn.
    var time: LoopTime
    var budget = TurnBudget()

    /// Whether the policies of the configuration were refused at the start.
    var hasRefusedPolicies = false

    // Requests other than the commands of clients.
    var replies: Replies
    var calls: PendingCalls

    // Counters and log lines.
    var stats: Statistics
    var logs: LoopLogs

    /// The time up to which everything is decided.
    var now: Milliseconds { @inline(__always) get { time.now } }

    /// Performs the work that is due: committed batches, timers, subscriptions, one batch of messages, repetitions,
    /// acknowledgements, answers to `sync`; a bounded part of each.
    ///
    /// - Returns: Whether there may be more to do at once.
    /// - Throws: The error of the transport if it failed permanently.
    mutating func turn(at callersTime: Milliseconds) throws -> Bool {
        time.setClock(callersTime)
        budget.begin()
        defer { budget.lift() }
        // Apply and publish committed batches.
        let hasCompleted = try completeWhatIsDone()
        // A turn has one time: after a batch has completed, the time advances in the next turn.
        if !hasCompleted {
            advanceClock()
            try fireTimers()
            reserveTime()
        }
        let hasSubscriptions = try takeSubscriptions()
        recordCutConnections()
        // Admit received messages, and commit or submit them.
        let hasMessages = try takeMessages(hasCompleted: hasCompleted)
        if !access.isOpen { endReadingOfLostNames() }
        // Repeat states for subscribers that missed them.
        let hasRepetitions = try republishDue()
        // Acknowledgements are sent once per batch: those of the next batch are not known yet.
        let hasAcks = try !pipeline.isInFlight || hasCompleted ? sendAcks() : false
        let hasSyncs = try publisher.serveSyncs(in: &state, at: time.clock)
        // Callers learn the outcome with the batch.
        if pipeline.isShared { calls.deliver() }
        let hasMore =
            hasSubscriptions || hasMessages || hasRepetitions || hasAcks || hasSyncs || isUnfinished
        // A snapshot is written during a pause.
        if !hasMore { pipeline.snapshotIfDue(at: now) }
        return hasMore
    }

    /// The time of the next turn if no message is received, by the caller's clock. While a batch is in
    /// flight, only timers until its time count: everything later waits until it completes, which wakes the loop.
    var nextDeadline: Milliseconds? {
        if isUnfinished { return time.byCallersClock(now) }
        if let timeInFlight = pipeline.timeInFlight {
            let limit = pipeline.isShared ? pipeline.timeLimit : timeInFlight
            guard let due = state.scheduler.nextDeadline, due <= min(limit, timeInFlight) else { return nil }
            return time.byCallersClock(due)
        }
        var next = pipeline.wakeUp(forTimerDue: state.scheduler.nextDeadline).orEarlier(leases.nextDue)
        next = next.orEarlier(publisher.nextDue(in: state))
        if publisher.wantsAcks { next = next.orEarlier(acknowledgements.nextDue) }
        return next.map { time.byCallersClock($0) }
    }

    /// Whether a batch is being applied, or timers are due that exceeded the turn's budget.
    private var isUnfinished: Bool {
        if pipeline.isApplying { return true }
        guard let due = state.scheduler.nextDeadline else { return false }
        return due <= timersUntil
    }

    /// Applies and publishes everything that was received, stops receiving, and closes the journal.
    mutating func close() throws {
        try drain()
        if pipeline.isShared { try finishCalls() }
        transport.close()
        try pipeline.close()
    }
}
