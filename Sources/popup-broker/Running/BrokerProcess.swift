import Foundation
import Logging
import PopupBroker
import PopupConfiguration
import PopupJournal
import UnixSignals
import ZeroMQ

/// The broker as a process of its own: its parts joined, the readiness line, and what signals do.
struct BrokerProcess {
    private let loader: ConfigurationLoader
    private let loaded: LoadedConfiguration
    private let logSettings: LogSettings
    private let logger: Logger

    /// A process with this configuration, which `loader` reads again.
    init(loader: ConfigurationLoader, loaded: LoadedConfiguration) {
        self.loader = loader
        self.loaded = loaded
        let settings = LogSettings(loaded.configuration.log)
        logSettings = settings
        logger = Logger(label: "popup-broker") { _ in StandardErrorLogHandler(settings: settings) }
    }

    /// Runs until a signal asks it to stop.
    func run() async throws {
        // Before the first bind: a signal must never find the process with the default, which is to die of it.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        for warning in loaded.warnings { logger.warning("\(warning)") }
        var configuration = loaded.configuration.broker
        // Nobody outside may know how names are spread over the tables.
        configuration.seed = .random(in: .min ... .max)
        // Greater than that of the process before, which left nothing behind to count from.
        let epoch = UInt64(Date.now.timeIntervalSince1970 * 1000)
        let recording = beginRecording()
        let broker = try Broker(
            configuration: configuration,
            transport: try ZeroMQTransport(endpoints: configuration.endpoints, queues: configuration.queues),
            journal: MemoryJournal(firstEpoch: epoch), plugins: recording.map { [CommandRecorder($0)] } ?? [],
            logger: logger)
        // Whatever ends it, what was committed is in the file.
        defer { recording?.close() }

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await broker.run { endpoints in
                    print("popup-broker ready ingress=\(endpoints.ingress) egress=\(endpoints.egress) epoch=\(epoch)")
                    fflush(nil)
                }
            }
            group.addTask { await heed(signals, broker) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// The recording that the configuration asks for. A broker that can't record runs all the same.
    private func beginRecording() -> RecordingFile? {
        let settings = loaded.configuration.record
        guard !settings.file.isEmpty else { return nil }
        do throws(RecordingError) {
            let file = try RecordingFile(path: settings.file, maximumBytes: settings.maximumBytes, logger: logger)
            logger.info("recording", metadata: ["file": "\(settings.file)"])
            return file
        } catch {
            logger.error("nothing is recorded; the broker runs without", metadata: ["why": "\(error)"])
            return nil
        }
    }

    private func heed(_ signals: UnixSignalsSequence, _ broker: Broker) async {
        var reload = ConfigurationReload(loader: loader, current: loaded, logSettings: logSettings, logger: logger)
        for await signal in signals {
            if signal == .sighup {
                await reload.perform(on: broker)
            } else {
                logger.info("stopping", metadata: ["signal": "\(signal)"])
                broker.stop()
            }
        }
    }
}
