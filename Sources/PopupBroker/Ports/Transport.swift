/// How messages come and go: `ZeroMQTransport` ships; tests and embedding applications have `InProcessTransport`.
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
    func receive(_ take: (RawSpan) -> Void) throws -> Reception

    /// Takes the next subscription (`true`) or its withdrawal (`false`), if there is one now, and lends its prefix.
    ///
    /// Each subscriber's is told, also when others have the same.
    ///
    /// - Returns: Whether there was one.
    func receiveSubscription(_ take: (_ prefix: RawSpan, _ isSubscription: Bool) -> Void) throws -> Bool

    /// Sends a message to all whose subscription is a prefix of its topic. Never waits: who is behind loses it.
    ///
    /// It may be kept until the next `flush`, `wait` or `close`, to be sent together with others.
    func publish(topic: RawSpan, body: RawSpan) throws

    /// Sends what was kept of `publish`.
    func flush() throws

    /// Ends it.
    func close()
}

extension Transport {
    /// Nothing is kept.
    public func flush() {}
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
