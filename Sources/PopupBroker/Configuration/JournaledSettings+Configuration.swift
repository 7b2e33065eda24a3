package import PopupState

extension JournaledSettings {
    /// What a configuration says of the limits.
    package init(_ configuration: BrokerConfiguration) {
        self.init(
            limits: configuration.scheduling, seed: configuration.seed,
            producers: ProducerSessions.Bounds(configuration.limits))
    }
}
