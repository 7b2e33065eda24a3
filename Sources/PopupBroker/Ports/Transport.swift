public import PopupAccess

/// A transport of messages: over sockets by `ZeroMQTransport` of the module of that name, or within the process by
/// `InProcessTransport`.
///
/// Except for `wake`, the broker calls it only from its own thread, between `open` and `close`.
public protocol Transport: AnyObject {
    /// The function that ends the current or the next `wait`. It may be called from any thread, also before `open` and
    /// after `close`.
    var wake: @Sendable () -> Void { get }

    /// Opens the transport for clients.
    ///
    /// - Returns: The endpoints for clients, with the actual ports.
    /// - Throws: The reason if it cannot be opened. Then it is closed.
    func open() throws -> BrokerEndpoints

    /// Opens the transport for clients, which can connect and subscribe, and send no commands before `listen`.
    ///
    /// - Returns: The endpoints for clients, with the actual ports.
    /// - Throws: The reason if it cannot be opened. Then it is closed.
    func openWithoutListening() throws -> BrokerEndpoints

    /// Lets clients send commands to a transport that was opened without listening.
    func listen() throws

    /// Waits until there is something to receive, `wake` was called, or a time in ms has passed; `nil` means no limit.
    ///
    /// - Throws: The reason if the transport has failed permanently. Then the broker stops.
    func wait(milliseconds: Int?) throws

    /// Receives the next command frame, if there is one. Its bytes are valid during the call of `take`.
    ///
    /// `user` is the sender as verified by the transport; `nil` for a client without a key.
    func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception

    /// The connection of the frame that was received last; `nil` if the transport does not know it. It is asked for
    /// rarely.
    var senderOfLastFrame: ConnectionID? { get }

    /// Receives the next change of a subscription, if there is one. Its prefix is valid during the call of `take`.
    ///
    /// Every change of every subscriber is reported, even if others have the same subscription. A connection may
    /// withdraw a subscription that it does not have. The end of a connection is reported once, with an empty prefix:
    /// it ends the subscriptions, which are not withdrawn one by one.
    ///
    /// `user` is the subscriber as verified by the transport; `nil` for a client without a key, a withdrawal or an end.
    /// A connection has the same user for all its time.
    ///
    /// `take` returns whether a subscription takes effect. If not, nothing is ever delivered for it. Only a transport
    /// for brokers with open rules, in which nothing is denied, may ignore the result. For a withdrawal or an end, it
    /// has no meaning.
    ///
    /// - Returns: Whether there was a change.
    func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool

    /// Disconnects a subscriber. Nothing is reported about the connection afterwards, except for its end.
    ///
    /// - Parameters:
    ///   - connection: The subscriber's connection.
    ///   - reason: The reason, for the log.
    func disconnect(_ connection: ConnectionID, because reason: String)

    /// Returns the connections that the broker or the transport has disconnected since the last call.
    func takeCutConnections() -> [CutConnection]

    /// The number of open connections of the socket that has the most, and the maximum for one socket; `nil` if there
    /// is no maximum.
    var connectionUse: LimitUse? { get }

    /// The memory in bytes that the process uses, and its maximum; `nil` if there is no maximum.
    var memoryUse: LimitUse? { get }

    /// Sends a message to all subscribers with a prefix of its topic. Never waits: a slow subscriber loses it.
    ///
    /// The transport may keep it until the next `flush`, `wait` or `close`, to send it with others.
    func publish(topic: RawSpan, body: RawSpan) throws

    /// Sends a message of one frame to all subscribers with a prefix of it: see `StateFrame`. Never waits, and may keep
    /// it, like `publish(topic:body:)`.
    func publish(frame: RawSpan) throws

    /// Sends the messages that `publish` has kept.
    func flush() throws

    /// Closes the transport.
    func close()
}

/// A function that handles a change of a subscription: see `Transport.receiveSubscription`.
public typealias SubscriptionTaker = (
    _ connection: ConnectionID, _ user: UserName?, _ change: SubscriptionChange, _ prefix: RawSpan
) -> Bool

extension Transport {
    /// Opens the transport: what clients send before `listen` waits.
    public func openWithoutListening() throws -> BrokerEndpoints { try open() }

    /// Does nothing, since what was sent is kept.
    public func listen() throws {}

    /// Does nothing, since no message is kept.
    public func flush() {}

    /// `nil`, the default: it is not known.
    public var senderOfLastFrame: ConnectionID? { nil }

    /// `nil`, the default: no maximum.
    public var connectionUse: LimitUse? { nil }

    /// `nil`, the default: no maximum.
    public var memoryUse: LimitUse? { nil }
}

/// The use of a limit.
public struct LimitUse: Hashable, Sendable {
    /// The used amount.
    public var used: Int
    /// The limit.
    public var most: Int

    /// Creates the use of a limit.
    public init(used: Int, most: Int) {
        self.used = used
        self.most = most
    }
}

/// The id of a connection, which is never reused among those of the same socket.
public struct ConnectionID: Hashable, Sendable {
    /// The number.
    public let number: UInt64

    /// Creates the id with a number.
    public init(_ number: UInt64) { self.number = number }
}

/// A change of a connection's subscriptions.
public enum SubscriptionChange: Sendable {
    /// The connection subscribes to a prefix.
    case subscribed
    /// It withdraws a prefix.
    case withdrawn
    /// The connection has ended.
    case ended
}

/// A connection that was disconnected because of what it sent.
public struct CutConnection: Sendable, Equatable {
    /// The socket: `ingress` or `egress`.
    public var socket: String
    /// The address of the peer; `nil` if it is not known.
    public var peer: String?
    /// The reason, with the limit.
    public var reason: String
    /// Whether it is a subscriber that did not take what was sent to it.
    public var isSlow: Bool
    /// The number of connections that it reports: more than 1 if they are not reported one by one.
    public var count: Int

    /// Creates a record of a disconnected connection.
    public init(socket: String, peer: String?, reason: String, isSlow: Bool = false, count: Int = 1) {
        self.socket = socket
        self.peer = peer
        self.reason = reason
        self.isSlow = isSlow
        self.count = count
    }
}

/// The result of `Transport.receive`.
public enum Reception: Sendable {
    /// There was no message.
    case nothing
    /// A frame was passed to `take`.
    case frame
    /// A message of more than two frames was dropped; `user` sent it, `nil`: a client without a key.
    case tooManyFrames(user: UserName?)
}
