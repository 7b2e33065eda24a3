import PopupScheduling
package import PopupState

extension JournaledSettings {
    /// Creates the limits of a configuration. Users have shares if there are users.
    package init(_ configuration: BrokerConfiguration) {
        var limits = configuration.scheduling
        if !configuration.access.users.isEmpty { limits.usersHaveShares = true }
        self.init(
            limits: limits, seed: configuration.seed, hashSeed: configuration.hashSeed,
            producers: ProducerSessions.Bounds(configuration.limits))
    }
}
