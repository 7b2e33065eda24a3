/// Decides which popup each group shows.
///
/// It is told commands and the time, and tells what happened: it reads no clock, draws no random number of its own
/// (the seed is handed in), and never looks at the order of a hash table, so that the same commands at the same times
/// give the same events on any machine.
///
/// The rules are under `Rules/`, a file each. They work on the tables below, which are under `State/`: types with private
/// storage, verbs and invariants. How tables are stored is under `Storage/`. Popups and groups are in slabs, linked by
/// indices: a command in the steady state allocates nothing. The short steps on the way of every `show` are marked
/// `@inline(__always)`: most do less than a call costs, with the six registers that it saves (a `show` takes 11 % fewer
/// instructions so).
public struct Scheduler: ~Copyable {
    /// In ms: how long a renderer counts as live after its lease.
    public static let leaseDuration: Milliseconds = 5000

    /// The bounds of its tables.
    public private(set) var limits: Limits

    // Popups, live and remembered.
    var popups = PopupTable()
    var accounts = Accounts()

    // Groups and what holds for them.
    var groups: GroupTable
    var policies: PolicyTable

    // What only some popups have, and what it refers to.
    var flows = FlowTable()
    var pages = PageTrees()
    var renderers = RendererTable()

    // Texts, timers, and the numbers that put things in order.
    var store: ByteStore
    var timers = TimerQueue()

    // The present step, and those before it.
    var clock = Clock()
    var transaction = Transaction()

    /// An empty scheduler. `seed` begins the random numbers from which gaps are drawn.
    public init(limits: Limits = Limits(), seed: UInt64 = 0) {
        self.limits = limits
        store = ByteStore(hashSeed: seed)
        groups = GroupTable(seed: seed)
        policies = PolicyTable(gaps: Generator(seed: seed))
    }

    /// Sets other bounds. What is in a table stays, also beyond a lower one: only newcomers are refused.
    public mutating func setLimits(_ limits: Limits) {
        self.limits = limits
    }

    /// By how much the wall clock is ahead of the scheduler's. Quiet windows and the times of events go by the wall
    /// clock, durations do not.
    public var wallClockLead: Milliseconds { clock.lead }

    /// The time of the present step, or of the last one.
    @inline(__always)
    var now: Milliseconds { clock.now }

    /// When the next step is due: the time of the last one while it has left something to do, else that of the first
    /// timer; `nil` when none is set.
    public var nextDeadline: Milliseconds? { hasWork ? now : timers.nextDue }

    /// Handles what the step before has left to do, or else the one timer that is due first, if it is due at or before
    /// `now`, and returns whether there was something.
    ///
    /// Call it again until it returns `false`, and publish what is in `output` between the calls: each step changes a
    /// group's state at most once. O(log n) in the timers, and what the rule does.
    public mutating func step(until now: Milliseconds, into output: inout EventBuffer) -> Bool {
        if hasWork { return goOn(into: &output) }
        guard let timer = timers.takeFirst(until: now) else { return false }
        swap(&transaction.output, &output)
        defer { swap(&transaction.output, &output) }
        begin(at: timer.due)
        fire(timer)
        finish()
        return true
    }

    @inline(never)
    private mutating func goOn(into output: inout EventBuffer) -> Bool {
        swap(&transaction.output, &output)
        defer { swap(&transaction.output, &output) }
        begin(at: now)
        goOn()
        finish()
        return true
    }

    /// Applies a command, and returns its refusal, if it is refused.
    ///
    /// What is due at or before `now` is handled first; call `step` before to publish what comes of it one by one. A
    /// time before the last one counts as the last one. A command that is not accepted changes nothing: its refusal is
    /// returned and is also an event, without a group where none is known. A repeated `show` is accepted and changes
    /// nothing.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - sender: The producer to whose account comes what it adds to tables. That of a `show` is in its request.
    ///   - text: The bytes to which the ranges of the command refer. They are not kept.
    ///   - now: The time in ms.
    ///   - output: Receives the events and changes.
    @discardableResult
    public mutating func apply(
        _ command: Command, from sender: ProducerID? = nil, text: RawSpan, at now: Milliseconds,
        into output: inout EventBuffer
    ) -> Refusal? {
        beginCommand(at: now, into: &output)
        transaction.sender = sender
        defer { endCommand(into: &output) }
        return text.withUnsafeBytes { perform(command, $0) }
    }

    /// Applies a `show` as `apply` does, without wrapping it as a command first: most commands are one.
    @discardableResult
    public mutating func show(
        _ request: PopupRequest, text: RawSpan, at now: Milliseconds, into output: inout EventBuffer
    ) -> Refusal? {
        beginCommand(at: now, into: &output)
        defer { endCommand(into: &output) }
        return text.withUnsafeBytes { show(request, $0) }
    }

    mutating func beginCommand(at now: Milliseconds, into output: inout EventBuffer) {
        while step(until: now, into: &output) {}
        clock.attended = max(clock.now, now)
        if policies.quietHoursRest {
            endRest()
            while step(until: clock.attended, into: &output) {}
        }
        swap(&transaction.output, &output)
        begin(at: now)
        forgetOldIDs()
    }

    mutating func endCommand(into output: inout EventBuffer) {
        finish()
        if popups.count + popups.closed.count > limits.maxIDs { forgetIDsEarly() }
        swap(&transaction.output, &output)
    }

    private mutating func perform(_ command: Command, _ text: UnsafeRawBufferPointer) -> Refusal? {
        switch command {
        case .show(let request): return show(request, text)
        case .update(let update): return self.update(update, text)
        case .dismiss(let dismissal): return dismiss(dismissal, text)
        case .advance(let group): advance(text[group])
        case .clear(let selector): clear(selector, text)
        case .suspend(let suspension): return suspend(suspension, text)
        case .resume(let token): resume(text[token])
        case .setPolicy(let pattern, let policy): return setPolicy(policy, for: text[pattern])
        case .configurePolicy(let pattern, let policy):
            return setPolicy(policy, for: text[pattern], isConfigured: true)
        case .removePolicy(let pattern): removePolicy(for: text[pattern])
        case .setWallClock(let ahead): setWallClock(ahead: ahead)
        case .setSession(let group, let session): return setSession(of: text[group], to: text[session])
        case .report(let report): return self.report(report, text)
        case .answer(let answer): return self.answer(answer, text)
        case .lease(let lease): return self.lease(lease, text)
        case .page(let change): return self.page(change, text)
        }
        return nil
    }

    private mutating func fire(_ timer: DueTimer) {
        switch timer.task {
        case .arrival(let popup): delayIsOver(popup)
        case .expiry(let popup): expire(popup)
        case .gathering(let flow): gatheringIsOver(of: flow)
        case .offer(let popup): offerIsOver(popup)
        case .retry(let popup): retryIsDue(popup)
        case .display(let popup): timeOut(popup)
        case .minimumDisplay(let group): minimumDisplayIsOver(in: group)
        case .displayTimeout(let group): displayTimeoutIsOver(in: group)
        case .hold(let group): holdIsOver(in: group)
        case .gap(let group): gapIsOver(in: group)
        case .cap(let group): capAllowsMore(in: group, timer.timer)
        case .quiet(let policy): quietChanges(under: policy)
        case .lease(let client): leaseIsOver(of: client)
        }
    }
}
