import Logging
import PopupProtocol
import PopupScheduling
import PopupState
import SystemCalls

/// The subscribers of a broker that waits for its tenure. Their subscriptions are received, within the limits of the
/// broker, and answered when the tenure begins: a transport must not keep them indefinitely.
struct StandbySubscribers {
    /// The subscribers so far.
    private(set) var subscribers: Subscribers
    private let transport: any Transport
    private var access: AccessControl
    private var cuts: CutConnectionLog

    /// Creates the subscribers of a broker with this configuration, of which there are none yet.
    init(_ configuration: BrokerConfiguration, transport: any Transport, logger: Logger) {
        self.transport = transport
        subscribers = Subscribers(configuration.limits, transport: transport, logger: logger)
        access = AccessControl(configuration.access)
        cuts = CutConnectionLog(logger: logger, linesPerSecond: configuration.limits.refusalLogLines)
    }

    /// Receives a bounded number of subscriptions, withdrawals and ends of connections, and logs the connections that
    /// were cut. Returns whether there may be more.
    mutating func receive() throws -> Bool {
        var requests = SubscriptionRequests()
        // No producer is known before the tenure begins. Rights are checked again then.
        let hasMore = try subscribers.recordSome(&access, ProducerSessions(), &requests)
        let now = Milliseconds(MonotonicTime.microseconds / 1000)
        for cut in transport.takeCutConnections() { cuts.log(cut, at: now) }
        return hasMore
    }
}
