import Logging
import PopupBroker
import PopupConfiguration
import Supervision
import Synchronization
import UnixSignals
import ZeroMQTransport

/// A broker that runs in its process: what it hears from signals and from its node, and whom it tells of itself.
struct RunningService: Sendable {
    private let broker: Broker
    private let manager: ServiceManager?
    private let node: NodeHooks?
    private let streams: StandardStreams
    private let logger: Logger
    private let logJournal: @Sendable () -> Void
    private let leave: @Sendable () -> Void
    private let isReady = Readiness()
    /// The wishes that the configuration is read again. One reading is as new as all that wait.
    private let reloads: AsyncStream<Void>
    private let reloading: AsyncStream<Void>.Continuation

    /// Creates the service of a broker that does not run yet.
    ///
    /// - Parameters:
    ///   - manager: The service manager that waits for notifications; `nil` for none.
    ///   - node: The node of a fleet that wants and hears something; `nil` without a fleet.
    ///   - logJournal: Logs which journal the broker has, when it is ready.
    ///   - leave: Ends the process at once, while it starts and has accepted nothing.
    init(
        _ broker: Broker, manager: ServiceManager?, node: NodeHooks?, streams: StandardStreams, logger: Logger,
        logJournal: @escaping @Sendable () -> Void, leave: @escaping @Sendable () -> Void
    ) {
        self.broker = broker
        self.manager = manager
        self.node = node
        self.streams = streams
        self.logger = logger
        self.logJournal = logJournal
        self.leave = leave
        (reloads, reloading) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Runs the broker until a signal or its node asks it to stop.
    func run(hearing signals: UnixSignalsSequence, _ users: UserKeys, _ reload: ConfigurationReload) async throws {
        // Before a reload can say so of another one.
        node?.onConfiguration(.inForce)
        // Not one of the group, which ends with the first: the broker goes on when nothing more is asked.
        let following = Task { await obeyNode() }
        defer { following.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await broker.run {
                    becomeReady($0)
                } onStandby: {
                    becomeStandby($0)
                }
            }
            group.addTask { await obey(signals) }
            group.addTask { await obeyReloads(by: reload, users) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    // MARK: - What it tells

    private func becomeStandby(_ endpoints: BrokerEndpoints) {
        node?.onStandby(endpoints)
        manager?.notifyReady("Standby at \(endpoints.ingress) and \(endpoints.egress)")
    }

    private func becomeReady(_ ready: BrokerReadiness) {
        isReady.set()
        logJournal()
        if ready.hasRefusedPolicies { node?.onConfiguration(.withoutPolicies) }
        let (ingress, egress) = (ready.endpoints.ingress, ready.endpoints.egress)
        streams.print("ready ingress=\(ingress) egress=\(egress) epoch=\(ready.epoch)")
        manager?.notifyReady("Ready at \(ingress) and \(egress), epoch \(ready.epoch)")
    }

    // MARK: - What it hears

    private func obey(_ signals: UnixSignalsSequence) async {
        for await signal in signals {
            if signal == .sighup {
                reloading.yield()
                continue
            }
            logger.info("stopping", metadata: ["signal": "\(signal)"])
            manager?.notifyStopping()
            // A node of a fleet has to hand over what it may own already.
            if !isReady.isSet, node == nil { leave() }
            broker.stop()
        }
    }

    private func obeyNode() async {
        guard let node else { return }
        for await request in node.requests {
            switch request {
            case .reload: reloading.yield()
            case .stop:
                logger.info("stopping, as the node asks")
                manager?.notifyStopping()
                broker.stop()
            }
        }
    }

    /// Reads the configuration again on each request, separately from the other signals: a start and a commit may take long.
    private func obeyReloads(by reload: ConfigurationReload, _ users: UserKeys) async {
        var reload = reload
        for await _ in reloads {
            // A broker that is not ready yet tells nothing of a reload: `READY=1` comes with the start.
            let manager = isReady.isSet ? manager : nil
            manager?.notifyReloading()
            let isReloaded = await reload.perform(on: broker, users)
            if isReloaded { node?.onConfiguration(.inForce) }
            manager?.notifyReady(
                isReloaded
                    ? "Ready, with the configuration that was read again"
                    : "Ready, with the previous configuration: the new one has mistakes, which the log lists")
        }
    }
}

/// The wishes of the node beside a broker, and what the node hears of the broker.
struct NodeHooks: Sendable {
    let requests: AsyncStream<SharedJournal.Request>
    let onStandby: @Sendable (BrokerEndpoints) -> Void
    let onConfiguration: @Sendable (SharedJournal.ConfigurationUse) -> Void

    init(_ shared: borrowing SharedJournal) {
        requests = shared.requests
        onStandby = shared.onStandby
        onConfiguration = shared.onConfiguration
    }
}

/// Whether the broker is ready for commands, for several threads.
private final class Readiness: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
