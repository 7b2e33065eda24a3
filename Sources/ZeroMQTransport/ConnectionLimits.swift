public import PopupBroker
import SystemCalls

/// The limits of what a peer may send in one message.
enum MessageLimits {
    /// The maximum number of frames of a message: a command has one or two, a subscription one. A connection that sends
    /// more is cut, since libzmq stores each frame as a message of its own.
    static let maxFrames = 64
    /// The maximum number of frames that are dropped in one call, of a message with too many frames.
    static let framesDroppedAtOnce = 1024
    /// The maximum number of bytes of a subscription. A longer one ends its connection.
    static let maxSubscriptionBytes: Int64 = 1024

    /// The reason for which a connection is cut that exceeds `maxFrames`.
    static let tooManyFrames = "it sends a message of more than \(maxFrames) frames"
}

extension SocketLimits {
    /// The number of descriptors that are not used for connections: the journal's files, sockets, log.
    private static let reservedDescriptors = 64

    /// The maximum number of connections of each socket, as far as the process may open descriptors for them. Without a
    /// free descriptor, libzmq would retry to accept a connection in a busy loop, and the journal could not open files.
    var possibleConnections: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return connections }
        return min(connections, max(1, (Int(clamping: limit.rlim_cur) - Self.reservedDescriptors) / 2))
    }
}

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
