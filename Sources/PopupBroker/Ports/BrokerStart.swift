public import PopupProtocol
public import PopupScheduling

/// The state that a broker has when it starts, before it commits anything: lent to the plugins.
public struct BrokerStart: Sendable {
    /// The broker's epoch.
    public let epoch: UInt64
    /// The time of the start, in ms by the broker's clock.
    public let time: Milliseconds
    /// The time by which the wall clock is ahead of the broker's clock, in ms.
    public let wallClockLead: Milliseconds
    /// The policies that the configuration set before, in an earlier run. Those that it changes now follow as commands.
    public let configuredPolicies: [WireSetPolicy]

    /// Creates a start, for testing a plugin.
    public init(
        epoch: UInt64 = 1, time: Milliseconds = 0, wallClockLead: Milliseconds = 0,
        configuredPolicies: [WireSetPolicy] = []
    ) {
        self.epoch = epoch
        self.time = time
        self.wallClockLead = wallClockLead
        self.configuredPolicies = configuredPolicies
    }
}
