public import PopupAccess

/// How messages come and go: over sockets by the `ZeroMQTransport` of the module of that name, or within the process by
/// `InProcessTransport`.
///
/// Save for `wake`, the broker calls from its own thread only, between `open` and `close`.
public protocol Transport: AnyObject {
    /// Ends the present or the next `wait`; from any thread, also before `open` and after `close`.
    var wake: @Sendable () -> Void { get }

    /// Begins to take messages.
    ///
    /// - Returns: Where clients reach it, with the ports that were taken.
    /// - Throws: When it can't; nothing is taken then.
    func open() throws -> BrokerEndpoints

    /// Waits until there is something to receive, or `wake` was called, or so many ms are over; `nil`: without end.
    ///
    /// - Throws: When the transport failed for good: the broker stops.
    func wait(milliseconds: Int?) throws

    /// Takes the next command frame, if there is one now, and lends its bytes.
    ///
    /// `user`: who sent it, as the transport has verified; `nil`: a client without a key.
    func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception

    /// Takes the next change of the subscriptions, if there is one now, and lends its prefix.
    ///
    /// Each subscriber's is told, also when others have the same. A connection may withdraw what it never subscribed to.
    /// The end of a connection is told once, with an empty prefix; its subscriptions end with it and are not withdrawn
    /// one by one.
    ///
    /// `user`: who subscribes, as the transport has verified; `nil`: a client without a key, a withdrawal, an end. A
    /// connection has the same user for as long as it lasts.
    ///
    /// `take` returns whether a subscription takes effect. One that doesn't delivers nothing, ever. Only a transport of
    /// brokers whose rules are open, so that nothing is denied, can do without it. Of a withdrawal and of an end the
    /// result means nothing.
    ///
    /// - Returns: Whether there was one.
    func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool

    /// Cuts off a subscriber's connection. Nothing is told of it any more but its end.
    ///
    /// - Parameter reason: what it did, in words for the log.
    func disconnect(_ connection: ConnectionID, because reason: String)

    /// Takes the connections that were cut off since the last call, by the broker or by the transport itself.
    func takeCutConnections() -> [CutConnection]

    /// Sends a message to all whose subscription is a prefix of its topic. Never waits: who is behind loses it.
    ///
    /// It may be kept until the next `flush`, `wait` or `close`, to be sent together with others.
    func publish(topic: RawSpan, body: RawSpan) throws

    /// Sends what was kept of `publish`.
    func flush() throws

    /// Ends it.
    func close()
}

/// Takes a change of the subscriptions; see `Transport.receiveSubscription`.
public typealias SubscriptionTaker = (
    _ connection: ConnectionID, _ user: UserName?, _ change: SubscriptionChange, _ prefix: RawSpan
) -> Bool

extension Transport {
    /// Nothing is kept.
    public func flush() {}

}

/// Names a subscriber's connection; none has the name of an earlier one.
public struct ConnectionID: Hashable, Sendable {
    /// The number.
    public let number: UInt64

    /// The connection with this number.
    public init(_ number: UInt64) { self.number = number }
}

/// What became of a connection's subscription.
public enum SubscriptionChange: Sendable {
    /// The connection subscribes to a prefix.
    case subscribed
    /// It withdraws a prefix.
    case withdrawn
    /// The connection has ended.
    case ended
}

/// A connection that was cut off for what it sent.
public struct CutConnection: Sendable, Equatable {
    /// The socket: `ingress` or `egress`.
    public var socket: String
    /// The address of the peer, where it is known.
    public var peer: String?
    /// What it did, and what the limit is.
    public var reason: String

    /// A connection that was cut off.
    public init(socket: String, peer: String?, reason: String) {
        self.socket = socket
        self.peer = peer
        self.reason = reason
    }
}

/// What `Transport.receive` found.
public enum Reception: Sendable {
    /// Nothing now.
    case nothing
    /// A frame, which was lent.
    case frame
    /// A message of more than two frames, which was dropped.
    case tooManyFrames
}
