public import Logging
public import PopupJournal
public import PopupProtocol
import Synchronization
import SystemCalls

/// A popup broker: it accepts commands, decides what each group shows, and publishes that.
///
///     let broker = try Broker(
///         configuration: configuration, transport: InProcessTransport(), journal: MemoryJournal())
///     try await broker.run { ready in print("ready on \(ready.endpoints.ingress)") }
///
/// It runs once. It and its plugins work on a thread of its own.
public final class Broker: Sendable {
    private struct Parts {
        var transport: any Transport
        var journal: any Journal
        var plugins: [any BrokerPlugin]
    }

    /// The configuration with which it begins, and whether it has begun.
    private let beginning: Mutex<(configuration: BrokerConfiguration, hasBegun: Bool)>
    private let logger: Logger
    private let clock: any BrokerClock
    private let mailbox: BrokerMailbox
    private let supervisor: (any Supervisor)?
    private let tenure: (any Tenure)?
    private let readTimeZones: @Sendable (TimeZoneDirectory) -> LoadedTimeZones
    // They move to the broker's thread when it starts.
    private let parts: Mutex<Parts?>

    /// Creates a broker that does not run yet.
    ///
    /// - Parameters:
    ///   - configuration: The limits, policies and quotas. The broker does not use the endpoints: its transport does.
    ///   - transport: The transport of messages.
    ///   - journal: The journal to which commands are committed before they take effect.
    ///   - plugins: The plugins, called in this order, after those for the configuration's `defaults` and `quotas`.
    ///   - logger: The log of starts, stops, refusals and failures.
    ///   - clock: The clock of the broker.
    ///   - supervisor: Is notified of the broker's progress.
    ///   - tenure: The right to publish, if another process can take the journal over; its transport has to ask it,
    ///     too.
    /// - Throws: `CommandRefusal` for invalid defaults.
    public convenience init(
        configuration: BrokerConfiguration = BrokerConfiguration(), transport: sending any Transport,
        journal: sending any Journal, plugins: sending [any BrokerPlugin] = [],
        logger: Logger = Logger(label: "popup-broker"), clock: any BrokerClock = SystemClock(),
        supervisor: (any Supervisor)? = nil, tenure: (any Tenure)? = nil
    ) throws(CommandRefusal) {
        try self.init(
            configuration: configuration, transport: transport, journal: journal, plugins: plugins, logger: logger,
            clock: clock, supervisor: supervisor, tenure: tenure, readTimeZones: { LoadedTimeZones($0) })
    }

    /// Creates a broker whose time zones are read by `readTimeZones`.
    init(
        configuration: BrokerConfiguration, transport: sending any Transport, journal: sending any Journal,
        plugins: sending [any BrokerPlugin], logger: Logger, clock: any BrokerClock,
        supervisor: (any Supervisor)? = nil, tenure: (any Tenure)? = nil,
        readTimeZones: @escaping @Sendable (TimeZoneDirectory) -> LoadedTimeZones
    ) throws(CommandRefusal) {
        self.readTimeZones = readTimeZones
        beginning = Mutex((configuration, false))
        self.logger = logger
        self.clock = clock
        self.supervisor = supervisor
        self.tenure = tenure
        tenure?.notify(transport.wake)
        mailbox = BrokerMailbox(capacity: configuration.limits.pendingCalls, wake: transport.wake)
        // The broker's thread creates them again. This reports mistakes to the caller.
        _ = try ConfiguredPlugins(configuration)
        parts = Mutex(Parts(transport: transport, journal: journal, plugins: plugins))
    }

    /// Runs on a thread of its own until `stop` is called or the task is cancelled.
    ///
    /// - Parameters:
    ///   - onReady: Is called when commands are accepted.
    ///   - onStandby: Is called with the endpoints when clients can connect, if the broker has to wait for its tenure.
    /// - Throws: If the transport or the journal cannot be opened, a policy is invalid, or one of them failed
    ///   permanently.
    public func run(
        onReady: @escaping @Sendable (BrokerReadiness) -> Void = { _ in },
        onStandby: @escaping @Sendable (BrokerEndpoints) -> Void = { _ in }
    ) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try DedicatedThread.start {
                        continuation.resume(
                            with: Result { try self.runOnThisThread(onReady: onReady, onStandby: onStandby) })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            stop()
        }
    }

    /// Runs on the current thread, which must not be one of Swift's cooperative pool, until `stop` is called. In all
    /// other respects it is `run`.
    public func runOnThisThread(
        onReady: (BrokerReadiness) -> Void = { _ in }, onStandby: (BrokerEndpoints) -> Void = { _ in }
    ) throws {
        guard let parts = parts.withLock({ $0.take() }) else { throw BrokerRunsOnce() }
        defer { rejectCalls() }
        let endpoints = try tenure == nil ? parts.transport.open() : parts.transport.openWithoutListening()
        defer { parts.transport.close() }
        var standby: StandbySubscribers?
        if let tenure {
            onStandby(endpoints)
            standby = StandbySubscribers(
                beginning.withLock { $0.configuration }, transport: parts.transport, logger: logger)
            guard try isBegun(tenure, parts.transport, &standby) else { return logger.info("stopped") }
        }
        let loop = try makeLoop(parts, standby)
        if tenure != nil { try parts.transport.listen() }
        logger.info(
            "ready",
            metadata: [
                "ingress": "\(endpoints.ingress)", "egress": "\(endpoints.egress)", "epoch": "\(loop.epoch)",
                "plugins": "\(loop.pluginNames.joined(separator: ", "))",
            ])
        let readiness = loop.readiness(at: endpoints)
        var runner = LoopRunner(
            loop: loop, transport: parts.transport, mailbox: mailbox, clock: clock, supervisor: supervisor,
            tenure: tenure)
        onReady(readiness)
        do {
            try runner.run()
        } catch {
            try? parts.journal.close()
            throw error
        }
        logger.info("stopped")
    }

    /// Waits until the tenure begins. Returns whether it has: the broker may be asked to stop before, or the tenure is
    /// lost.
    private func isBegun(
        _ tenure: any Tenure, _ transport: any Transport, _ standby: inout StandbySubscribers?
    ) throws -> Bool {
        while !mailbox.isStopping {
            switch tenure.standing {
            case .lost: return false
            case .held, .unconfirmed: return true
            case .awaited:
                supervisor?.recordTurn()
                // The sockets are served. What clients subscribe to is answered when the tenure begins.
                try transport.wait(milliseconds: 1)
                if try standby?.receive() != true { usleep(Self.standbyMicroseconds) }
            }
        }
        return false
    }

    /// The pause in µs after which a broker checks again whether its tenure has begun.
    private static let standbyMicroseconds: UInt32 = 20_000

    /// Stops the broker after it has committed and applied what it has received. Any thread may call it, also before
    /// the broker runs.
    public func stop() {
        mailbox.stop()
    }

    /// Replaces the policies, defaults, quotas and rights by those of a configuration. The rest of the configuration
    /// takes effect only with a new broker. Policies of producers stay, unless the configuration has one for the same
    /// name or pattern. The time zones are read again on a thread of their own, while the broker continues.
    ///
    /// A broker that waits for its tenure begins with the new configuration, if it stands the same checks.
    ///
    /// - Throws: `CommandRefusal` for an invalid policy or invalid defaults, or if the broker has stopped: then nothing
    ///   is changed. `CommandRefusal` also if a shared journal could not commit the policies: those of the batches
    ///   before it are in force.
    public func reconfigure(_ configuration: BrokerConfiguration) async throws {
        if tenure != nil {
            try configuration.check()
            let isWaiting = beginning.withLock { beginning in
                guard !beginning.hasBegun else { return false }
                let (seed, hashSeed) = (beginning.configuration.seed, beginning.configuration.hashSeed)
                beginning.configuration = configuration
                beginning.configuration.seed = seed
                beginning.configuration.hashSeed = hashSeed
                return true
            }
            if isWaiting { return }
        }
        try await withCheckedThrowingContinuation { continuation in
            do {
                try DedicatedThread.start { [self] in
                    let timeZones = readTimeZones(configuration.timeZones)
                    do throws(CommandRefusal) {
                        try mailbox.add(.reconfigure(configuration, timeZones) { continuation.resume(with: $0) })
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Performs a command like a received one. Returns when it is committed and applied.
    ///
    /// - Throws: `CommandRefusal` if it is refused, or if the broker has stopped. If the broker fails meanwhile, the
    ///   outcome is unknown.
    public func perform(_ command: WireCommand) async throws(CommandRefusal) {
        let refusal: CommandRefusal? = await withCheckedContinuation { continuation in
            do throws(CommandRefusal) {
                try mailbox.add(.command(command) { continuation.resume(returning: $0) })
            } catch {
                continuation.resume(returning: error)
            }
        }
        if let refusal { throw refusal }
    }

    private func makeLoop(_ parts: Parts, _ standby: StandbySubscribers?) throws -> BrokerLoop {
        let configuration = beginning.withLock { beginning in
            beginning.hasBegun = true
            return beginning.configuration
        }
        let committer: CommitterThread? =
            parts.journal.commitWait != .none ? try CommitterThread(parts.journal, wake: parts.transport.wake) : nil
        do {
            return try BrokerLoop.start(
                configuration: configuration, timeZones: readTimeZones(configuration.timeZones),
                transport: parts.transport, journal: parts.journal, plugins: parts.plugins, logger: logger,
                committer: committer, at: clock.now(),
                wallClockLead: clock.wallClockLead(), supervisor: supervisor, standby: standby)
        } catch {
            committer?.stop()
            throw error
        }
    }

    private func rejectCalls() {
        for call in mailbox.close() { call.reject() }
    }
}

/// The error that a broker was run a second time.
public struct BrokerRunsOnce: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error as a sentence.
    public var description: String { "this broker has run already; make a new one" }
}

/// The notification that a broker accepts commands.
public struct BrokerReadiness: Sendable, Hashable {
    /// The endpoints, with the actual ports.
    public var endpoints: BrokerEndpoints
    /// The epoch of this run: greater than that of every earlier run with the same journal.
    public var epoch: UInt64
    /// Whether the policies of the configuration were refused, so that those of its shared journal are in force.
    public var hasRefusedPolicies: Bool
}
