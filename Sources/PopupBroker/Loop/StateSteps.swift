import PopupProtocol
import PopupScheduling
import PopupState

/// The steps of the state machine: their results until these are published and counted, their author, and what they may
/// cost in this turn.
///
/// A step applies one entry of a batch, handles one timer, or does a part of the work that a command left for later.
///
///     entry, time ──▶ BrokerState ──▶ results ──▶ Publisher ──▶ plugins, counters ──▶ emptied
///
/// What the loop calls for each command is inlined.
struct StateSteps: ~Copyable {
    /// The number of events after which the results are emptied, not counting those of the last step.
    private static let eventsAtOnce = 1024
    /// The cost of a timer in addition to its visits and results, so that a turn has some 300 of them.
    private static let costOfMisses = 12

    /// The results of the last steps, until they are published and the plugins are notified.
    private(set) var results = EventBuffer()
    /// The author of the entry that was applied last.
    private var author = EntryAuthor()
    private var budget = TurnBudget()

    // MARK: - The turn

    /// Begins a turn, which has a budget of its own.
    mutating func beginTurn() { budget.begin() }

    /// Ends a turn: the work outside turns has no limit.
    mutating func endTurn() { budget.lift() }

    /// Lifts the limit of the turn for work that must not be interrupted. Returns the budget that is left, for
    /// `resume`.
    mutating func liftBudget() -> TurnBudget {
        defer { budget.lift() }
        return budget
    }

    /// Continues a turn with the budget that it had left.
    mutating func resume(with left: TurnBudget) { budget = left }

    /// Limits the work of each turn, for tests.
    mutating func limit(workOfTurn: Int) { budget = TurnBudget(perTurn: workOfTurn) }

    /// Whether the turn has no budget left for a further step.
    var isSpent: Bool { @inline(__always) get { budget.isSpent } }

    /// Whether the results have to be emptied before a further step.
    var isFull: Bool { @inline(__always) get { results.events.count >= Self.eventsAtOnce } }

    // MARK: - A step

    /// Returns the work that is done before a step.
    @inline(__always)
    func mark(in state: borrowing BrokerState) -> WorkMark {
        WorkMark(visits: state.scheduler.visits, events: results.events.count, changes: results.changes.count)
    }

    /// Charges the budget for what a timer takes beyond its visits and results. Its popup and its group were not used
    /// lately, so reading them misses the caches: among a million, a timer takes at least as long as an ordinary command.
    @inline(__always)
    mutating func chargeTimer() { budget.spend(Self.costOfMisses) }

    /// Charges the budget for the work of a step since a mark, and for publishing its results.
    @inline(__always)
    mutating func spend(since mark: WorkMark, in state: borrowing BrokerState, _ publisher: borrowing Publisher) {
        budget.spend(
            1 + state.scheduler.visits - mark.visits + (results.events.count - mark.events) * publisher.costOfEvent
                + (results.changes.count - mark.changes) * publisher.costOfChange)
    }

    /// Handles what is due until a time, one step of it. Returns whether there was something.
    @inline(__always)
    mutating func advance(_ state: inout BrokerState, to time: Milliseconds) -> Bool {
        state.advance(to: time, into: &results)
    }

    /// Changes to the author of an entry with these bytes in the log, if that is another one than before.
    @inline(__always)
    mutating func enter(authorOf entry: BatchEntry, _ log: RawSpan, in state: inout BrokerState) {
        if entry.sender != author.sender { change(toSenderOf: entry, log, in: &state) }
    }

    /// Reads the name of the user of an entry, which is not that of the one before.
    private mutating func change(toSenderOf entry: BatchEntry, _ log: RawSpan, in state: inout BrokerState) {
        author.change(to: entry.sender, log.extracting(entry.range))
        state.setUser(author.name)
    }

    /// Applies an ordinary `show`; its ranges refer to `text`.
    @inline(__always)
    mutating func apply(
        _ request: PopupRequest, _ text: RawSpan, from origin: BrokerState.Origin?, at now: Milliseconds,
        to state: inout BrokerState
    ) -> BrokerState.Outcome {
        state.apply(request, text, from: origin, at: now, into: &results)
    }

    /// Applies an ordinary `dismiss`; its ranges refer to `text`.
    @inline(__always)
    mutating func apply(
        _ dismissal: Dismissal, _ text: RawSpan, by producer: ProducerName?, from origin: BrokerState.Origin?,
        at now: Milliseconds, to state: inout BrokerState
    ) -> BrokerState.Outcome {
        state.apply(dismissal, text, by: producer, from: origin, at: now, into: &results)
    }

    /// Applies any other entry.
    mutating func apply(
        _ entry: BrokerState.Entry, from origin: BrokerState.Origin?, at now: Milliseconds, to state: inout BrokerState
    ) -> BrokerState.Outcome {
        state.apply(entry, from: origin, at: now, into: &results)
    }

    // MARK: - The results

    /// Publishes the results of an entry, or of the work that one left for later: they are those of its author.
    @inline(__always)
    mutating func publishOfAuthor(
        by publisher: inout Publisher, in state: borrowing BrokerState, at clock: Milliseconds
    ) throws {
        try publisher.publishChanges(of: results, in: state, by: author.name, at: clock)
    }

    /// Publishes the results of timers, which nobody caused.
    @inline(__always)
    mutating func publishOfTimers(
        by publisher: inout Publisher, in state: borrowing BrokerState, at clock: Milliseconds
    ) throws {
        try publisher.publishChanges(of: results, in: state, at: clock)
    }

    /// Returns the group and the popup of the refusal with which the last entry ended; empty if its group is unknown.
    func subjectOfRefusal() -> (group: String, popup: String) {
        // If the group is known, the refusal is the last event.
        guard let event = results.events.last, case .refused = event.kind else { return ("", "") }
        return (results.string(event.group), results.string(event.popup))
    }

    /// Empties the results.
    mutating func forgetResults() { results.removeAll() }
}
