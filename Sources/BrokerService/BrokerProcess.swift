import Foundation
import Logging
import PopupBroker
import PopupConfiguration
import Supervision
import UnixSignals
import ZeroMQ
import ZeroMQTransport

/// The process of the broker: it joins the parts.
struct BrokerProcess {
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
        try prepareMachine()
        let transport = try transport(for: shared?.tenure)
        let users = transport.users
        let recording = beginRecording()
        // The recording is complete however the broker ends.
        defer { recording?.close() }
        let choice = JournalChoice(loaded.configuration, environment: environment, logger: logger)
        let node = shared.map { NodeHooks($0) }
        let broker = try Broker(
            configuration: seeded(loaded.configuration.broker),
            transport: transport,
            journal: shared?.journal ?? choice.journal { streams.error.hasWrittenCritical },
            plugins: plugins + (recording.map { [CommandRecorder($0)] } ?? []),
            logger: logger,
            clock: shared?.clock ?? SystemClock(),
            supervisor: manager.map { ManagedService($0) },
            tenure: shared?.tenure)
        let service = RunningService(
            broker, manager: manager, node: node, streams: streams, logger: logger,
            logJournal: { if node == nil { choice.log() } },
            leave: { leave(recording) })
        let reload = ConfigurationReload(loader: loader, current: loaded, streams: streams, logger: logger)
        try await service.run(hearing: signals, users, reload)
    }

    /// Uses what the machine allows: open files, and the memory that is free.
    private func prepareMachine() throws {
        do throws(SupervisionError) { try OpenFiles.raiseLimit() } catch {
            logger.warning("cannot raise the limit of open files", metadata: ["why": "\(error)"])
        }
        try FreeMemory.watch(limit: loaded.configuration.broker.socketLimits.memoryBytes)
    }

    /// Returns a configuration with random seeds.
    private func seeded(_ configuration: BrokerConfiguration) -> BrokerConfiguration {
        var configuration = configuration
        configuration.seed = .random(in: .min ... .max)
        configuration.hashSeed = .random(in: .min ... .max)
        return configuration
    }

    /// Returns the sockets, which are not bound yet.
    private func transport(for tenure: (any Tenure)?) throws -> sending ZeroMQTransport {
        let configuration = loaded.configuration.broker
        return try ZeroMQTransport(
            endpoints: configuration.endpoints, socketLimits: configuration.socketLimits,
            subscriptions: SubscriptionLimits(configuration.limits),
            security: try socketSecurity(), maySend: Self.maySend(tenure))
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
