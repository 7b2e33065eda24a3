import CZeroMQ

/// Somebody who wants to connect, as libzmq asks about it: a request of ZAP (ZeroMQ's RFC 27).
public struct AuthenticationRequest: Equatable, Sendable {
    /// How somebody proves who it is.
    public enum Mechanism: Equatable, Sendable {
        /// Not at all: a plain connection.
        case plain
        /// By a key of CURVE, which libzmq has verified.
        case curve(CurvePublicKey)
        /// By another mechanism, or in a form that is not understood.
        case other
    }

    /// The domain of the socket.
    public let domain: String
    /// The address of the peer.
    public let address: String
    /// How it proves who it is.
    public let mechanism: Mechanism

    /// A request.
    public init(domain: String, address: String, mechanism: Mechanism) {
        self.domain = domain
        self.address = address
        self.mechanism = mechanism
    }

    /// The request of these frames behind version and request id, or `nil` when they are none.
    package init?(_ frames: [[UInt8]]) {
        guard frames.count >= 4 else { return nil }
        func text(_ index: Int) -> String { String(decoding: frames[index], as: UTF8.self) }
        domain = text(0)
        address = text(1)
        switch (text(3), frames.count) {
        case ("NULL", 4): mechanism = .plain
        case ("CURVE", 5): mechanism = CurvePublicKey(bytes: frames[4]).map { .curve($0) } ?? .other
        default: mechanism = .other
        }
    }
}

/// Decides for all sockets of a context who may connect: ZAP's handler.
///
/// It belongs to the thread that uses it, which should do nothing else: each handshake waits for it. There is one in a
/// context; it must be there before the sockets are bound whose peers it decides about.
public struct Authenticator: ~Copyable {
    private let socket: Socket
    private let frame = Message()

    /// An authenticator of a context.
    ///
    /// - Throws: `ZeroMQError` (`EADDRINUSE`) when the context has one.
    public init(_ context: Context) throws(ZeroMQError) {
        let socket = try Socket(context, .rep, options: [.linger(milliseconds: 0)])
        try socket.bind("inproc://zeromq.zap.01")
        self.socket = socket
    }

    /// Answers the next request, if there is one.
    ///
    /// - Parameter decide: the name of the user, which comes with each of its messages; empty: it has none; `nil`: it may
    ///   not connect.
    /// - Returns: Whether there was one.
    public func answerNext(_ decide: (AuthenticationRequest) -> String?) throws(ZeroMQError) -> Bool {
        guard try socket.receive(into: frame) else { return false }
        var frames = [frame.copy()]
        while frame.more, try socket.receive(into: frame, wait: true) {
            // No request has so many; what is left of a longer one is taken and forgotten.
            if frames.count < Self.mostFrames { frames.append(frame.copy()) }
        }
        let version = Array("1.0".utf8)
        let requestID = frames.count > 1 ? frames[1] : []
        let request = frames.first == version ? AuthenticationRequest(Array(frames.dropFirst(2))) : nil
        let user = request.flatMap(decide)
        let answer = [
            version, requestID, Array((user == nil ? "400" : "200").utf8),
            Array((user == nil ? "not known here" : "OK").utf8), Array((user ?? "").utf8), [],
        ]
        for (index, frame) in answer.enumerated() {
            _ = try socket.send(frame, more: index < answer.count - 1, wait: true)
        }
        return true
    }

    private static let mostFrames = 16

    /// Adds it to a poller, which is to wait for requests.
    public func add(to poller: inout Poller) -> Poller.Index {
        poller.add(socket)
    }
}
