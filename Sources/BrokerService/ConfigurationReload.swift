import Logging
import PopupBroker
import PopupConfiguration
import ZeroMQTransport

/// A reload of the configuration of a running broker.
struct ConfigurationReload {
    private let loader: ConfigurationLoader
    private let started: LoadedConfiguration
    private let streams: StandardStreams
    private let logger: Logger
    /// Whether the configuration in force restricts clients without a key.
    private var restrictsAnonymous: Bool

    /// Creates a reload for a broker that was started with `current`.
    init(loader: ConfigurationLoader, current: LoadedConfiguration, streams: StandardStreams, logger: Logger) {
        self.loader = loader
        started = current
        self.streams = streams
        self.logger = logger
        restrictsAnonymous = !current.configuration.broker.access.anonymous.isUnrestricted
    }

    /// Changes policies, defaults, quotas, users and the log, and logs which other settings wait for the next start. A
    /// configuration with mistakes changes nothing. Neither does one that no longer restricts clients without a key: a
    /// section of the file that is lost must not give them everything.
    ///
    /// - Returns: Whether the configuration is in force.
    mutating func perform(on broker: Broker, _ users: UserKeys) async -> Bool {
        do {
            var loaded = try loader.reload()
            guard !restrictsAnonymous || loaded.configuration.security.anonymous != nil else {
                logger.error(
                    """
                    security.anonymous is gone, and clients without a key could do everything; give them a role with all \
                    rights, or start the broker again
                    """)
                logger.error("configuration not reloaded; the previous one stays in force")
                return false
            }
            if !canRestrictAnonymous, loaded.configuration.security.anonymous != nil {
                loaded.configuration.broker.access = started.configuration.broker.access
                logger.warning(
                    "the setting has changed; it takes effect at the next start",
                    metadata: ["setting": "security.anonymous"])
            }
            let keys = loaded.configuration.security.usersByKey
            try await broker.reconfigure(loaded.configuration.broker)
            users.replace(by: keys)
            restrictsAnonymous = !loaded.configuration.broker.access.anonymous.isUnrestricted
            streams.change(to: loaded.configuration.log)
            let policies = loaded.configuration.broker.policies.count
            logger.info("configuration reloaded", metadata: ["policies": "\(policies)"])
            for key in unchangeable(loaded.configuration) {
                logger.warning(
                    "the setting has changed; it takes effect at the next start", metadata: ["setting": "\(key)"])
            }
            return true
        } catch let error as ConfigurationError {
            for problem in error.problems { logger.error("\(problem)") }
            logger.error("configuration not reloaded; the previous one stays in force")
        } catch {
            logger.error("configuration not reloaded; the previous one stays in force", error: error)
        }
        return false
    }

    /// Whether subscriptions of clients without a key can be denied: the sockets ask about each one then.
    private var canRestrictAnonymous: Bool {
        let security = started.configuration.security
        return security.usesCurve || security.anonymous != nil
    }

    /// Returns the settings that differ from those at the start and cannot change while the broker runs.
    private func unchangeable(_ configuration: Configuration) -> [String] {
        Setting.all.map(\.key).filter { key in
            !key.hasPrefix("log.") && !key.hasPrefix("quotas.")
                && Setting.named(key)?.value(in: configuration)
                    != Setting.named(key)?.value(in: started.configuration)
        }
    }
}
