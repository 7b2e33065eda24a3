public import PopupBroker
public import PopupJournal

/// A journal that other processes can take over: what a node of a fleet gives its broker in the place of a data directory.
public struct SharedJournal {
    /// The journal.
    public var journal: any Journal
    /// The right to publish.
    public var tenure: any Tenure
    /// The clock, which says the time of the journal.
    public var clock: any BrokerClock
    /// The requests of the node to the process.
    public var requests: AsyncStream<Request>
    /// Is called with the endpoints when clients can connect to the standby.
    public var onStandby: @Sendable (BrokerEndpoints) -> Void
    /// Is called when the broker goes by the configuration that was read last, or begins with it, and when that turns out not
    /// to be so: at the start of the process, when the broker is ready, and after each reload that was not refused.
    public var onConfiguration: @Sendable (ConfigurationUse) -> Void

    /// The use that a broker makes of the configuration that was read last.
    public enum ConfigurationUse: Hashable, Sendable {
        /// It goes by it; as a standby, it begins with it.
        case inForce
        /// Its policies are refused, and those of the journal are in force.
        case withoutPolicies
    }

    /// A request of a node to the process of its broker.
    public enum Request: Hashable, Sendable {
        /// Read the configuration again.
        case reload
        /// Apply what was received, and end.
        case stop
    }

    /// Creates a journal with the right to publish what it determines.
    public init(
        journal: any Journal, tenure: any Tenure, clock: any BrokerClock,
        requests: AsyncStream<Request> = AsyncStream { $0.finish() },
        onStandby: @escaping @Sendable (BrokerEndpoints) -> Void = { _ in },
        onConfiguration: @escaping @Sendable (ConfigurationUse) -> Void = { _ in }
    ) {
        self.journal = journal
        self.tenure = tenure
        self.clock = clock
        self.requests = requests
        self.onStandby = onStandby
        self.onConfiguration = onConfiguration
    }
}
