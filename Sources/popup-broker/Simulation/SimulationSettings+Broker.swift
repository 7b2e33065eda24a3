import PopupBroker
import PopupSimulation

extension SimulationSettings {
    /// Creates the settings of a broker with this configuration.
    init(_ configuration: BrokerConfiguration) {
        self.init(timeZones: configuration.timeZones)
        policies = configuration.policies
        popupContentBytes = configuration.limits.popupContentBytes
        queryResults = configuration.limits.queryResults
        version = configuration.version
        journaled = JournaledSettings(configuration)
    }
}
