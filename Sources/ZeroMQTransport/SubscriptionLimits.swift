public import PopupBroker

/// The limits of the subscriptions of one connection.
public struct SubscriptionLimits: Sendable, Hashable {
    /// The maximum number of prefixes.
    public var number: Int
    /// The maximum size of all prefixes in bytes.
    public var bytes: Int

    /// Creates the limits of a broker.
    public init(_ limits: BrokerLimits = BrokerLimits()) {
        number = limits.subscriptionsPerConnection
        bytes = limits.subscriptionBytesPerConnection
    }
}
