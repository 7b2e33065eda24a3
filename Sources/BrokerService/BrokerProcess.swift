import Foundation
import Logging
import PopupBroker
import PopupConfiguration
import Supervision
import Synchronization
import UnixSignals
import ZeroMQ
import ZeroMQTransport

/// The process of the broker: it joins the parts, prints the readiness line, and handles signals.
struct BrokerProcess {
    private let name: String
    private let loader: ConfigurationLoader
    private let environment: [String: String]
    private let loaded: LoadedConfiguration
    private let streams: StandardStreams
    private let logger: Logger

    /// Creates a process with this configuration, which `loader` reads again.
    init(
        name: String, loader: ConfigurationLoader, loaded: LoadedConfiguration, environment: [String: String],
        streams: StandardStreams
    ) {
        self.name = name
        self.environment = environment
        self.loader = loader
        self.loaded = loaded
        self.streams = streams
        logger = Logger(label: name) { _ in
            StandardErrorLogHandler(settings: streams.logSettings, writer: streams.error)
        }
    }

    /// Runs until a signal asks it to stop.
    ///
    /// - Parameters:
    ///   - plugins: The plugins of the program.
    ///   - shared: The journal of a fleet; `nil`: the one that the configuration selects.
    func run(plugins: sending [any BrokerPlugin], on shared: sending SharedJournal?) async throws {
        // Before the first bind, so that no signal ends the process by its default action.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        for warning in loaded.warnings { logger.warning("\(warning)") }
        let manager = serviceManager()
        manager?.notifyStarting("Reading the data directory")
        do throws(SupervisionError) { try OpenFiles.raiseLimit() } catch {
            logger.warning("cannot raise the limit of open files", metadata: ["why": "\(error)"])
        }
        try FreeMemory.watch()
        var configuration = loaded.configuration.broker
        configuration.seed = .random(in: .min ... .max)
        configuration.hashSeed = .random(in: .min ... .max)
        let transport = try ZeroMQTransport(
            endpoints: configuration.endpoints, socketLimits: configuration.socketLimits,
            subscriptions: SubscriptionLimits(configuration.limits),
            security: try socketSecurity(), maySend: Self.maySend(shared?.tenure))
        let users = transport.users
        let recording = beginRecording()
        let choice = JournalChoice(loaded.configuration, environment: environment, logger: logger)
        let isShared = shared != nil
        let broker = try Broker(
            configuration: configuration,
            transport: transport,
            journal: shared?.journal ?? choice.journal { streams.error.hasWrittenCritical },
            plugins: plugins + (recording.map { [CommandRecorder($0)] } ?? []),
            logger: logger,
            clock: shared?.clock ?? SystemClock(),
            supervisor: manager.map { ManagedService($0) },
            tenure: shared?.tenure)
        // The recording is complete however the broker ends.
        defer { recording?.close() }

        let isReady = Readiness()
        let reloads = ReloadRequests()
        let onStandby = shared?.onStandby
        let requests = shared?.requests
        // Not one of the group, which ends with the first: the broker goes on when nothing more is asked.
        let following = Task {
            guard let requests else { return }
            for await request in requests {
                switch request {
                case .reload(let done): reloads.add(done)
                case .stop:
                    logger.info("stopping, as the node asks")
                    manager?.notifyStopping()
                    broker.stop()
                }
            }
        }
        defer { following.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await broker.run { ready in
                    isReady.set()
                    if !isShared { choice.log() }
                    streams.output.write(
                        "\(name) ready ingress=\(ready.endpoints.ingress) egress=\(ready.endpoints.egress)"
                            + " epoch=\(ready.epoch)")
                    manager?.notifyReady(
                        "Ready at \(ready.endpoints.ingress) and \(ready.endpoints.egress), epoch \(ready.epoch)")
                } onStandby: { endpoints in
                    onStandby?(endpoints)
                    manager?.notifyReady("Standby at \(endpoints.ingress) and \(endpoints.egress)")
                }
            }
            group.addTask {
                for await signal in signals {
                    if signal == .sighup {
                        reloads.add(nil)
                        continue
                    }
                    logger.info("stopping", metadata: ["signal": "\(signal)"])
                    manager?.notifyStopping()
                    // A node of a fleet has to hand over what it may own already.
                    if !isReady.isSet, !isShared { leave(recording) }
                    broker.stop()
                }
            }
            group.addTask {
                // A broker that is not ready yet tells nothing of a reload: `READY=1` comes with the start.
                await reload(broker, users, at: reloads) { isReady.isSet ? manager : nil }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Returns a function that tells whether messages may be sent: while the tenure is proved.
    private static func maySend(_ tenure: (any Tenure)?) -> @Sendable () -> Bool {
        guard let tenure else { return { true } }
        return { tenure.standing == .held }
    }

    /// Returns how the sockets are protected.
    ///
    /// - Throws: `KeyFile.Failure` when the broker's key cannot be used.
    private func socketSecurity() throws(KeyFile.Failure) -> SocketSecurity {
        let settings = loaded.configuration.security
        var security = SocketSecurity(
            users: settings.usersByKey, authorizesSubscriptions: settings.anonymous != nil || settings.usesCurve,
            ipcMode: settings.ipcMode)
        if settings.usesCurve { security.secretKey = try KeyFile(settings.secretKeyFile).keyPair().secretKey }
        return security
    }

    /// Opens the recording that the configuration requests. A broker that cannot record runs nevertheless.
    private func beginRecording() -> RecordingFile? {
        let settings = loaded.configuration.recording
        guard !settings.file.isEmpty else { return nil }
        do throws(RecordingError) {
            let file = try RecordingFile(path: settings.file, maximumBytes: settings.maximumBytes, logger: logger)
            logger.info("recording", metadata: ["file": "\(settings.file)"])
            return file
        } catch {
            logger.error("the recording cannot begin; the broker runs without it", metadata: ["why": "\(error)"])
            return nil
        }
    }

    /// Ends the process while it starts, without waiting for a large data directory to be read. Nothing was accepted yet, and
    /// work on the data directory may end anywhere, as with `kill -9`.
    private func leave(_ recording: RecordingFile?) {
        recording?.close()
        streams.flush()
        _exit(EXIT_SUCCESS)
    }

    /// Reloads the configuration on each request, separately from the other signals: a start and a commit may take long.
    private func reload(
        _ broker: Broker, _ users: UserKeys, at requests: ReloadRequests,
        manager: @Sendable () -> ServiceManager?
    ) async {
        var reload = ConfigurationReload(loader: loader, current: loaded, streams: streams, logger: logger)
        for await _ in requests.arrivals {
            let waiting = requests.take()
            let manager = manager()
            manager?.notifyReloading()
            let isReloaded = await reload.perform(on: broker, users)
            for done in waiting { done(isReloaded) }
            manager?.notifyReady(
                isReloaded
                    ? "Ready, with the configuration that was read again"
                    : "Ready, with the previous configuration: the new one has mistakes, which the log lists")
        }
    }

    /// Returns the service manager that waits for notifications. A broker that cannot notify it runs nevertheless.
    private func serviceManager() -> ServiceManager? {
        do throws(SupervisionError) {
            return try ServiceManager(environment: environment)
        } catch {
            logger.error("the service manager is not notified", metadata: ["why": "\(error)"])
            return nil
        }
    }
}

/// Whether the broker is ready for commands, for several threads.
private final class Readiness: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
