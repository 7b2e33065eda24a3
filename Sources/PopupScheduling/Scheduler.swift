/// The scheduler: it decides which popup each group shows.
///
/// Its inputs are commands and the time, its outputs are events. It reads no clock, and its random numbers follow from
/// a seed that the caller supplies. It never depends on the order of a hash table. So the same commands at the same
/// times result in the same events on any machine.
///
/// The rules are in `Rules/`, with one file per topic. They work on the tables below, which are types in `State/` with
/// private storage and their own invariants. `Storage/` contains the containers. Popups and groups are stored in slabs
/// and linked by indices, so that a command in the steady state allocates no memory. The short functions on the path of
/// every `show` are marked `@inline(__always)`: most do less work than a call costs, and a `show` takes 11 % fewer
/// instructions this way.
public struct Scheduler: ~Copyable {
    /// The time in ms after which a lease ends if it is not renewed.
    public static let leaseDuration: Milliseconds = 5000

    /// The limits of the tables.
    public private(set) var limits: Limits

    // Popups, live and remembered.
    var popups = PopupTable()
    var accounts = Accounts()

    // Groups and their rules.
    var groups: GroupTable
    var policies: PolicyTable

    // Features that only some popups use.
    var flows = FlowTable()
    var pages = PageTrees()
    var renderers = RendererTable()
    var earlyAttempts = EarlyAttempts()

    // Texts and timers.
    var store: ByteStore
    var compaction = Compaction()
    var timers = TimerQueue()

    // The current step and the state that lasts between steps.
    var clock = Clock()
    var transaction = Transaction()

    /// Creates an empty scheduler.
    ///
    /// - Parameters:
    ///   - limits: The limits of the tables.
    ///   - seed: The seed of the random lengths of gaps. A client that watches enough gaps can compute it.
    ///   - hashSeed: The seed of hash tables and trees. It has no effect on events. A client that knows it can choose
    ///     names that make the tables slow.
    public init(limits: Limits = Limits(), seed: UInt64 = 0, hashSeed: UInt64 = 0) {
        self.limits = limits
        store = ByteStore(hashSeed: hashSeed)
        groups = GroupTable(seed: hashSeed)
        policies = PolicyTable(gaps: Generator(seed: seed))
        accounts.setHaveUsers(limits.usersHaveShares)
    }

    /// Replaces the limits. A table that exceeds a lower limit keeps its entries; only new ones are refused.
    public mutating func setLimits(_ limits: Limits) {
        self.limits = limits
        accounts.setHaveUsers(limits.usersHaveShares)
    }

    /// Sets the user of the commands from now on, to whom the accounts belong that they create; empty for a client without
    /// a key. It has no effect unless users have shares (`Limits.usersHaveShares`).
    public mutating func setUser(_ name: String) {
        accounts.setUser(Array(name.utf8))
    }

    /// Begins the replay of a journal, during which nobody waits for a single command: some work is left to `endReplay`,
    /// where all of it together costs less. The results of commands are the same.
    public mutating func beginReplay() {
        groups.deferArranging()
    }

    /// Ends a replay: does the work that was left. O(n log n) in the number of new groups.
    public mutating func endReplay() {
        groups.arrangeDeferred(store)
    }

    /// The time by which the wall clock is ahead of the scheduler's clock. Quiet windows and the times of events follow
    /// the wall clock, durations do not.
    public var wallClockLead: Milliseconds { clock.lead }

    /// The time of the current step, or of the last one.
    @inline(__always)
    var now: Milliseconds { clock.now }

    /// The time at which the next step is due: the time of the last step if its work is not complete, otherwise that of
    /// the first timer; `nil` if there is none.
    public var nextDeadline: Milliseconds? { hasWork ? now : timers.nextDue }

    /// Continues the last step if its work is not complete. Otherwise handles the first timer, if it is due at or
    /// before `now`. Returns whether there was anything to do.
    ///
    /// Call it until it returns `false`, and publish `output` between the calls: each step changes the state of a group
    /// at most once. O(log n) in the number of timers, plus the cost of the rule.
    public mutating func step(until now: Milliseconds, into output: inout EventBuffer) -> Bool {
        if hasWork { return continueWork(into: &output) }
        guard let timer = timers.takeFirst(until: now) else { return false }
        swap(&transaction.output, &output)
        defer { swap(&transaction.output, &output) }
        begin(at: timer.due)
        fire(timer)
        finish()
        return true
    }

    @inline(never)
    private mutating func continueWork(into output: inout EventBuffer) -> Bool {
        swap(&transaction.output, &output)
        defer { swap(&transaction.output, &output) }
        begin(at: now)
        continueWork()
        finish()
        return true
    }

    /// Applies a command at `now`. Returns the refusal; `nil` if the command was accepted.
    ///
    /// Timers that are due at or before `now` are handled first; call `step` before to publish their events one by one.
    /// A time before that of the last step counts as the time of the last step. A refused command changes nothing. Its
    /// refusal is also an event, without a group if the group is unknown. A repeated `show` is accepted and changes
    /// nothing.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - sender: The producer whose account holds what the command adds to tables. A `show` names its producer in the
    ///     request.
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

    /// Applies a `show` as `apply` does. Most commands are of this kind, so it avoids the enum.
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
        clock.lastInput = max(clock.now, now)
        if policies.quietWindowsStopped {
            resumeQuietWindows()
            while step(until: clock.lastInput, into: &output) {}
        }
        swap(&transaction.output, &output)
        begin(at: now)
        forgetOldIDs()
        forgetOldShowings()
    }

    mutating func endCommand(into output: inout EventBuffer) {
        finish()
        if popups.count + popups.closed.count > limits.maxIDs { forgetIDsEarly() }
        if store.isSparse { compactTexts() }
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
