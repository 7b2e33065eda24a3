public import PopupProtocol
import PopupScheduling
public import PopupState

/// The settings of a simulation: those of a broker that determine the outcome of commands.
public struct SimulationSettings: Sendable {
    /// The policies from the start.
    public var policies: [WireSetPolicy] = []
    /// The source of the time zones of quiet windows.
    public var timeZones: any TimeZoneSource
    /// The maximum size of a popup's content in bytes.
    public var popupContentBytes = WireLimits().contentBytes
    /// The maximum number of results of one query.
    public var queryResults = 1000
    /// The version in the statistics.
    public var version = ""
    /// The limits of the tables and the seed, in their journaled form.
    package var journaled = JournaledSettings(limits: Limits(), seed: 0)

    /// Creates the settings of a broker with the default limits.
    public init(timeZones: any TimeZoneSource) { self.timeZones = timeZones }
}
