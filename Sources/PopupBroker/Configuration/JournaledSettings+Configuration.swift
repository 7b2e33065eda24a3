package import PopupState

extension JournaledSettings {
    /// Creates the limits of a configuration.
    package init(_ configuration: BrokerConfiguration) {
        self.init(
            limits: configuration.scheduling, seed: configuration.seed, hashSeed: configuration.hashSeed,
            producers: ProducerSessions.Bounds(configuration.limits))
    }
}
