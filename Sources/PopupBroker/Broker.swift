public import Logging
public import PopupJournal
public import PopupProtocol
import Synchronization
import SystemCalls

/// A popup broker: takes commands, decides what each group shows, and tells everybody.
///
///     let broker = Broker(
///         configuration: configuration, transport: InProcessTransport(), journal: MemoryJournal())
///     try await broker.run { ready in print("ready on \(ready.ingress.endpoint)") }
///
/// It runs once. Its work is done on a thread of its own; the plugins' too.
public final class Broker: Sendable {
    private struct Parts {
        var transport: any Transport
        var journal: any Journal
        var plugins: [any BrokerPlugin]
    }

    private let configuration: BrokerConfiguration
    private let logger: Logger
    private let clock: any BrokerClock
    private let mailbox: BrokerMailbox
    private let supervisor: (any Supervisor)?
    private let readTimeZones: @Sendable (TimeZoneDirectory) -> LoadedTimeZones
    // Handed to the broker's thread when it starts.
    private let parts: Mutex<Parts?>

    /// A broker that doesn't run yet.
    ///
    /// - Parameters:
    ///   - configuration: its limits, policies and quotas. The endpoints are the transport's business.
    ///   - transport: how messages come and go.
    ///   - journal: where commands are committed before anything comes of them.
    ///   - plugins: asked and told in this order, after those that the configuration's `defaults` and `quotas` call
    ///     for.
    ///   - logger: for starts, stops, refusals and failures.
    ///   - clock: the time of day.
    ///   - supervisor: told that the broker makes progress.
    /// - Throws: `CommandRefusal` for defaults that are invalid.
    public convenience init(
        configuration: BrokerConfiguration = BrokerConfiguration(), transport: sending any Transport,
        journal: sending any Journal, plugins: sending [any BrokerPlugin] = [],
        logger: Logger = Logger(label: "popup-broker"), clock: any BrokerClock = SystemClock(),
        supervisor: (any Supervisor)? = nil
    ) throws(CommandRefusal) {
        try self.init(
            configuration: configuration, transport: transport, journal: journal, plugins: plugins, logger: logger,
            clock: clock, supervisor: supervisor, readTimeZones: { LoadedTimeZones($0) })
    }

    /// A broker whose time zones are read by `readTimeZones`.
    init(
        configuration: BrokerConfiguration, transport: sending any Transport, journal: sending any Journal,
        plugins: sending [any BrokerPlugin], logger: Logger, clock: any BrokerClock,
        supervisor: (any Supervisor)? = nil, readTimeZones: @escaping @Sendable (TimeZoneDirectory) -> LoadedTimeZones
    ) throws(CommandRefusal) {
        self.readTimeZones = readTimeZones
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        self.supervisor = supervisor
        mailbox = BrokerMailbox(capacity: configuration.limits.pendingCalls, wake: transport.wake)
        // Made by the broker's thread; what is wrong with them is told here.
        _ = try ConfiguredPlugins(configuration)
        parts = Mutex(Parts(transport: transport, journal: journal, plugins: plugins))
    }

    /// Runs on a thread of its own until `stop` is called or the task is cancelled.
    ///
    /// - Parameter onReady: called when commands are taken.
    /// - Throws: When the transport can't open, the journal can't, a policy is invalid, or one of them failed for good.
    public func run(onReady: @escaping @Sendable (BrokerReadiness) -> Void = { _ in }) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try DedicatedThread.start {
                        continuation.resume(with: Result { try self.runOnThisThread(onReady: onReady) })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            stop()
        }
    }

    /// Runs on the present thread, which must not be one of Swift's tasks, until `stop` is called. Otherwise as `run`.
    public func runOnThisThread(onReady: (BrokerReadiness) -> Void = { _ in }) throws {
        guard let parts = parts.withLock({ $0.take() }) else { throw BrokerRunsOnce() }
        defer { rejectCalls() }
        let endpoints = try parts.transport.open()
        defer { parts.transport.close() }
        let loop = try makeLoop(parts)
        logger.info(
            "ready",
            metadata: [
                "ingress": "\(endpoints.ingress)", "egress": "\(endpoints.egress)", "epoch": "\(loop.epoch)",
                "plugins": "\(loop.admission.plugins.names.joined(separator: ", "))",
            ])
        let readiness = BrokerReadiness(endpoints: endpoints, epoch: loop.epoch)
        var runner = LoopRunner(
            loop: loop, transport: parts.transport, mailbox: mailbox, clock: clock, supervisor: supervisor)
        onReady(readiness)
        do {
            try runner.run()
        } catch {
            try? parts.journal.close()
            throw error
        }
        logger.info("stopped")
    }

    /// Asks it to stop: what it has received is still committed and applied. From any thread, also before it runs.
    public func stop() {
        mailbox.stop()
    }

    /// Replaces the policies, defaults, quotas and rights by those of a configuration. The rest of the configuration takes
    /// effect only with a new broker. Policies of producers stay, unless the configuration has one for the same name or
    /// pattern. The time zones are read again on a thread of their own, while the broker continues.
    ///
    /// - Throws: `CommandRefusal` for a policy or defaults that are invalid, or when the broker has
    ///   stopped; nothing is changed then.
    public func reconfigure(_ configuration: BrokerConfiguration) async throws {
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

    /// Carries out a command as if it had come over the wire, and returns when it is committed and applied.
    ///
    /// - Throws: `CommandRefusal` when it is refused, or when the broker has stopped. When the broker fails meanwhile
    ///   the outcome is not known.
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

    private func makeLoop(_ parts: Parts) throws -> BrokerLoop {
        let committer: CommitterThread? =
            parts.journal.waitsForDisk ? try CommitterThread(parts.journal, wake: parts.transport.wake) : nil
        do {
            return try BrokerLoop.start(
                configuration: configuration, timeZones: readTimeZones(configuration.timeZones),
                transport: parts.transport, journal: parts.journal, plugins: parts.plugins, logger: logger,
                committer: committer, at: clock.now(),
                wallClockLead: clock.wallClockLead(), supervisor: supervisor)
        } catch {
            committer?.stop()
            throw error
        }
    }

    private func rejectCalls() {
        for call in mailbox.close() { call.reject() }
    }
}

/// A broker was run a second time.
public struct BrokerRunsOnce: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence.
    public var description: String { "this broker has run already; make a new one" }
}

/// A broker takes commands.
public struct BrokerReadiness: Sendable, Hashable {
    /// Where, with the ports that were taken.
    public var endpoints: BrokerEndpoints
    /// Names this run of the broker: greater than that of every earlier one on the same journal.
    public var epoch: UInt64
}
