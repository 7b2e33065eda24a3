public import PopupProtocol
import PopupScheduling
public import PopupState

/// The settings of a simulation: those of a broker on which it depends what becomes of commands.
public struct SimulationSettings: Sendable {
    /// The policies in force from the start.
    public var policies: [WireSetPolicy] = []
    /// Where the time zones of quiet windows come from.
    public var timeZones: any TimeZoneSource
    /// The size of a popup's content, in bytes, above which it is refused.
    public var popupContentBytes = WireLimits().contentBytes
    /// The results of one query, at most.
    public var queryResults = 1000
    /// The version in the statistics.
    public var version = ""
    /// The limits of the tables and the seed, as a journal contains them.
    package var journaled = JournaledSettings(limits: Limits(), seed: 0)

    /// Creates the settings of a broker with the default limits.
    public init(timeZones: any TimeZoneSource) { self.timeZones = timeZones }
}
