public import FleetBroker
public import PopupFleet
public import PopupJournal

/// A node that runs: it gives a `FleetNode` the time, carries out its calls of a shared log, and hands in batches.
public actor FleetRunner<State: ReplicatedState & Sendable> {
    /// The time between turns.
    private static var pause: Duration { .milliseconds(20) }
    /// The least time of a call that failed: repeating must not burden the log.
    private static var leastFailure: Duration { .milliseconds(100) }

    /// The least time in ms between two reports of requests without an outcome.
    private static var reportPause: Int64 { 10_000 }

    /// The greatest number of requests that wait to be taken.
    private static var waitingRequests: Int { 16 }

    /// The statement of a node at a moment: its state, with the entry and the time to which the state belongs.
    public struct Words: Sendable {
        /// Epoch, entry and time.
        public var voice: FleetNode<State>.Voice
        /// The state after that entry, with timers handled until that time.
        public var state: State
    }

    /// The request of operators to the process of a node.
    public enum Request: Hashable, Sendable {
        /// Bring the configuration that all nodes share into force; `nil` if it was removed. Told again when operators set it
        /// again.
        case configure([UInt8]?)
        /// Apply what was received, and hand over.
        case stop
    }

    /// The requests of operators to the process, as they come. Of those that nobody has taken yet, the newest are kept.
    public nonisolated let requests: AsyncStream<Request>
    private let requesting: AsyncStream<Request>.Continuation
    private let log: any SharedLog
    private let moment: @Sendable () -> FleetMoment
    private var node: FleetNode<State>
    private var committed: CheckedContinuation<BatchOutcome, Never>?
    private var ended: CheckedContinuation<FleetEnd, Never>?
    private let proof: TenureProof?
    private var begun: CheckedContinuation<TenureStart?, Never>?
    /// The requests of a broker, until the node takes them.
    private var broker = BrokerRequests()
    /// The broker that waits until the node takes its batch.
    private var queued: CheckedContinuation<BatchOutcome, Never>?
    private var watch = BrokerWatch()
    private var counts = NodeGauges()
    /// The index of the snapshot that is due, and since when.
    private var dueSnapshot: (index: UInt64, since: Int64)?
    /// When the append under way began.
    private var appendBegan: ContinuousClock.Instant?
    private var wasConfirmed = false
    /// Whether its tenure was reported.
    private var isOwner = false
    /// When the tenure was no longer proved; `nil`: it is, or it has not begun.
    private var muteSince: Int64?
    private let report: @Sendable (String) -> Void
    /// The answer of the log to the last request, if that had no outcome and was not reported yet.
    private var unknownReason: String?
    /// When such a request was reported last.
    private var reported: Int64?
    /// The number of times that somebody saw operators ask for something.
    private var orderChanges = 0
    /// The number of these changes that were told.
    private var toldOrderChanges = 0

    /// Creates a standby, which goes by the log's lease.
    ///
    /// - Parameters:
    ///   - identity: Random, of this process only.
    ///   - rank: 0 for the node that is to claim first.
    ///   - log: The log that it shares.
    ///   - snapshotBytes: The least number of bytes of commands between two snapshots.
    ///   - snapshotEntries: The greatest number of entries between two snapshots.
    ///   - proof: What it proves to a broker, which then handles the timers of its tenure; `nil`: there is no broker.
    ///   - moment: Returns the time by the machine's clocks.
    ///   - report: Tells operators a sentence: a tenure that begins, a mute owner, requests without an outcome, a damaged
    ///     snapshot, the error that ends the node.
    public init(
        _ identity: LogOwner, rank: Int, log: any SharedLog, snapshotBytes: Int = 64 << 20,
        snapshotEntries: Int = 20_000, proof: TenureProof? = nil,
        moment: @escaping @Sendable () -> FleetMoment = SystemClocks.moment,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        node = FleetNode(
            identity, rank: rank, timing: FleetTiming(lease: log.lease), timers: proof == nil ? .ofNode : .ofBroker,
            snapshotBytes: snapshotBytes, snapshotEntries: snapshotEntries)
        (requests, requesting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.waitingRequests))
        self.log = log
        self.proof = proof
        self.moment = moment
        self.report = report
    }

    /// Its role.
    public var role: FleetNode<State>.Role { node.role }

    /// Whether it takes a batch now.
    public var canAppend: Bool { committed == nil && node.canAppend(at: moment()) }

    /// The state and the counts that operators see of it.
    public var gauges: NodeGauges {
        var gauges = counts
        gauges.isOwner = node.role == .owner
        let now = moment()
        gauges.isConfirmed = node.isConfirmed(at: now)
        gauges.isHanging = node.isBrokerHanging(at: now)
        gauges.epoch = node.replica.epoch
        gauges.index = node.replica.index
        gauges.headIndex = node.headIndex ?? 0
        gauges.takeOvers = node.takeOvers
        gauges.snapshotOverdue = dueSnapshot.map { now.boot - $0.since }
        return gauges
    }

    /// The statement that it may publish now; `nil`: none.
    public var words: Words? {
        node.voice(at: moment()).map { Words(voice: $0, state: node.replica.state) }
    }

    /// Runs until the node ends, and returns why.
    public func run() async -> FleetEnd {
        let hints = Task { [log] in
            for await hint in log.hints() { self.receive(hint) }
        }
        let turns = Task {
            while !Task.isCancelled {
                self.turn()
                try? await Task.sleep(for: Self.pause)
            }
        }
        defer {
            hints.cancel()
            turns.cancel()
        }
        return await withCheckedContinuation { continuation in
            if case .ended(let reason) = node.role {
                continuation.resume(returning: reason)
            } else {
                ended = continuation
            }
        }
    }

    /// The maximum size of a batch in bytes.
    public nonisolated var maxBatchBytes: Int { log.maxEntryBytes - LogEntry.headerByteCount }

    /// Appends a batch, and returns when its outcome is known, or the node has ended.
    public func append(_ commands: [UInt8]) async -> BatchOutcome {
        guard commands.count <= maxBatchBytes else { return .tooLarge }
        // One look at the clock: the proof of the tenure must not end between the question and the request.
        let now = moment()
        guard committed == nil, node.canAppend(at: now) else { return .notTaken }
        return await withCheckedContinuation { continuation in
            committed = continuation
            appendBegan = .now
            perform(node.append(commands, at: now))
        }
    }

    /// Ends the tenure, or the standby.
    ///
    /// - Parameter handled: The time until which a broker has handled timers.
    public func handOver(handled: Int64 = 0) { perform(node.handOver(handled: handled, at: moment())) }

    // MARK: - A broker

    /// Waits until the node owns the log, once. Returns with what a broker begins; `nil` if the node ends before that.
    public func tenure() async -> TenureStart? {
        if case .ended = node.role { return nil }
        return await withCheckedContinuation { continuation in
            begun = continuation
            beginTenure()
        }
    }

    /// Appends a batch that a broker applies at a time, as soon as the node takes one. Returns when its outcome is known,
    /// or the node has ended. One at a time.
    public func commit(_ commands: [UInt8], of time: Int64) async -> BatchOutcome {
        guard commands.count <= maxBatchBytes else { return .tooLarge }
        if case .ended = node.role { return .unknown }
        return await withCheckedContinuation { continuation in
            broker.append(commands, of: time)
            queued = continuation
            beginQueued()
        }
    }

    /// Moves the horizon on as soon as that is possible.
    ///
    /// - Parameters:
    ///   - clock: The broker's clock: no later batch is earlier.
    ///   - handled: The time until which no timer is left to handle.
    public func reserve(from clock: Int64, handled: Int64) {
        broker.reserve(from: clock, handled: handled, after: node.horizon)
        beginQueued()
    }

    private func beginTenure() {
        guard let begun, let start = node.takeStart(at: moment()) else { return }
        self.begun = nil
        begun.resume(returning: start)
    }

    private func beginQueued() {
        guard committed == nil else { return }
        switch broker.begin(on: &node, at: moment()) {
        case .append(let effects):
            committed = queued.take()
            appendBegan = .now
            perform(effects)
            // While this one is on its way.
            perform(node.applyTold())
        case .tooEarly: queued.take()?.resume(returning: .tooEarly)
        case .reserve(let effects):
            counts.horizonMoves += 1
            perform(effects)
        case nil: break
        }
    }

    // MARK: - What the node wants

    private func turn() {
        let now = moment()
        if let proof {
            let waits = committed != nil || queued != nil
            watch.look(at: proof, of: &node, waits: waits, boot: now.boot)
        }
        recordMuteness(at: now)
        recordDueSnapshot(at: now.boot)
        reportUnknown(at: now.boot)
        perform(node.turn(at: now))
    }

    private func recordMuteness(at now: FleetMoment) {
        let isConfirmed = node.isConfirmed(at: now)
        defer { wasConfirmed = isConfirmed }
        if wasConfirmed, !isConfirmed, node.role == .owner {
            counts.mutes += 1
            muteSince = now.boot
            let reason =
                node.isBrokerHanging(at: now)
                ? "the broker's loop stands still, so the claim is not renewed"
                : "etcd does not confirm that it still owns the shard"
            report("this node is mute: \(reason)")
        } else if isConfirmed, let since = muteSince.take() {
            report(
                "this node is no longer mute, epoch \(node.replica.epoch), after "
                    + "\(Double((now.boot - since) / 100) / 10) s")
        }
    }

    private func recordDueSnapshot(at boot: Int64) {
        guard node.dueSnapshotIndex != dueSnapshot?.index else { return }
        dueSnapshot = node.dueSnapshotIndex.map { ($0, boot) }
    }

    private func reportUnknown(at boot: Int64) {
        guard let reason = unknownReason, reported.map({ boot - $0 >= Self.reportPause }) ?? true else { return }
        unknownReason = nil
        reported = boot
        report(reason)
    }

    private func receive(_ hint: LogHint) {
        if hint == .ordersChanged { orderChanges += 1 }
        perform(node.receive(hint, at: moment()))
    }

    private func perform(_ effects: [FleetEffect]) {
        // Before anybody goes on.
        proof?.record(node)
        if node.role == .owner, !isOwner {
            isOwner = true
            wasConfirmed = node.isConfirmed(at: moment())
            report("this node owns the shard now: epoch \(node.replica.epoch), from entry \(node.replica.index) on")
        }
        for effect in effects {
            switch effect {
            case .call(let call): perform(call)
            case .listen: break
            case .configure(let configuration): requesting.yield(.configure(configuration))
            case .stopBroker: requesting.yield(.stop)
            case .committed(let index):
                if let began = appendBegan.take() { counts.appends.record(ContinuousClock.now - began) }
                committed?.resume(returning: .committed(index: index))
                committed = nil
            case .end(let reason):
                if let failure = node.failure { report(failure) }
                committed?.resume(returning: .unknown)
                committed = nil
                broker.removeAll()
                queued.take()?.resume(returning: .unknown)
                begun?.resume(returning: nil)
                begun = nil
                ended?.resume(returning: reason)
                ended = nil
                requesting.finish()
            }
        }
        beginTenure()
        beginQueued()
    }

    private func perform(_ call: FleetCall) {
        let began = ContinuousClock.now
        let changes = orderChanges
        Task { [log, identity = node.identity] in
            let (answer, error) = await log.reply(to: call, of: identity)
            if Self.isUnknown(answer, to: call) {
                self.count(unknown: call, error)
                try? await Task.sleep(until: began + Self.leastFailure, clock: .continuous)
            } else {
                self.recordOutcome(answer, error)
            }
            let effects = self.node.receive(answer, to: call, at: self.moment())
            self.perform(effects)
            if case .orders(let orders) = answer { self.tellAgain(orders, after: changes, effects) }
        }
    }

    /// Tells a configuration that was set again, and is the same: the process may not have brought it into force.
    private func tellAgain(_ orders: LogOrders, after changes: Int, _ effects: [FleetEffect]) {
        guard changes > toldOrderChanges else { return }
        toldOrderChanges = changes
        guard !effects.contains(.configure(orders.configuration)) else { return }
        requesting.yield(.configure(orders.configuration))
    }

    private func count(unknown call: FleetCall, _ error: SharedLogError?) {
        if case .write = call { counts.unknownOutcomes += 1 }
        unknownReason =
            error?.description ?? "the shared log is not taken over: somebody else claims it, or the claim has ended"
    }

    private func recordOutcome(_ answer: FleetAnswer, _ error: SharedLogError?) {
        // What was the matter before is over.
        unknownReason = nil
        if case .snapshot(let snapshot?) = answer, let error {
            report(
                "the newest snapshot cannot be read, so this node goes on from the one of entry \(snapshot.index): \(error)"
            )
        }
    }

    /// Whether the node will ask for the same again: also after a refusal that leaves the outcome open.
    private static func isUnknown(_ answer: FleetAnswer, to call: FleetCall) -> Bool {
        switch (answer, call) {
        case (.unknown, _): true
        case (.write(let answer), .write(let write)): write.outcome(of: answer) == .unknown
        default: false
        }
    }
}
