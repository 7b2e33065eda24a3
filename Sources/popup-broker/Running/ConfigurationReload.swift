import Logging
import PopupBroker
import PopupConfiguration

/// Reads the configuration again and brings what can change into a running broker.
struct ConfigurationReload {
    private let loader: ConfigurationLoader
    private let started: LoadedConfiguration
    private let streams: StandardStreams
    private let logger: Logger

    /// Changes from `current` on, with which the broker was started.
    init(loader: ConfigurationLoader, current: LoadedConfiguration, streams: StandardStreams, logger: Logger) {
        self.loader = loader
        started = current
        self.streams = streams
        self.logger = logger
    }

    /// Changes policies, defaults, quotas and log; tells of the rest that it waits for the next start. A bad configuration
    /// changes nothing.
    mutating func perform(on broker: Broker) async {
        do {
            let loaded = try loader.load()
            try await broker.reconfigure(loaded.configuration.broker)
            streams.change(to: loaded.configuration.log)
            let policies = loaded.configuration.broker.policies.count
            logger.info("configuration reloaded", metadata: ["policies": "\(policies)"])
            for key in unchangeable(loaded.configuration) {
                logger.warning("changed, and takes effect at the next start", metadata: ["setting": "\(key)"])
            }
        } catch let error as ConfigurationError {
            for problem in error.problems { logger.error("\(problem)") }
            logger.error("configuration refused; the one before stays in force")
        } catch {
            logger.error("configuration refused; the one before stays in force", error: error)
        }
    }

    /// The settings that differ from those at the start and can't change while the broker runs.
    private func unchangeable(_ configuration: Configuration) -> [String] {
        Setting.all.map(\.key).filter { key in
            !key.hasPrefix("log.") && !key.hasPrefix("quotas.")
                && Setting.named(key)?.value(in: configuration)
                    != Setting.named(key)?.value(in: started.configuration)
        }
    }
}
