import CZeroMQ

/// A request of ZAP (ZeroMQ's RFC 27): libzmq asks whether a peer may connect.
public struct AuthenticationRequest: Equatable, Sendable {
    /// The security mechanism of a connection.
    public enum Mechanism: Equatable, Sendable {
        /// None: a plain connection.
        case plain
        /// CURVE, with a key that libzmq has verified.
        case curve(CurvePublicKey)
        /// A mechanism other than these, or a malformed request.
        case other
    }

    /// The domain of the socket.
    public let domain: String
    /// The address of the peer.
    public let address: String
    /// The security mechanism of the connection.
    public let mechanism: Mechanism

    /// Creates a request.
    public init(domain: String, address: String, mechanism: Mechanism) {
        self.domain = domain
        self.address = address
        self.mechanism = mechanism
    }

    /// Creates a request from the frames after version and request id; `nil` if there are too few.
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

/// The ZAP handler of a context: it decides for all its sockets which peers may connect.
///
/// It is confined to one thread, which should do nothing else, since every handshake waits for it. A context has at
/// most one. It must exist before its sockets are bound.
public struct Authenticator: ~Copyable {
    private let socket: Socket
    private let frame = Message()

    /// Creates the authenticator of a context.
    ///
    /// - Throws: `ZeroMQError` (`EADDRINUSE`) if the context already has one.
    public init(_ context: Context) throws(ZeroMQError) {
        let socket = try Socket(context, .rep, options: [.linger(milliseconds: 0)])
        try socket.bind("inproc://zeromq.zap.01")
        self.socket = socket
    }

    /// Answers the next request, if there is one.
    ///
    /// - Parameter decide: Returns the name of the user, which libzmq attaches to each of its messages; an empty name
    ///   for no user; `nil` to refuse the connection.
    /// - Returns: Whether there was a request.
    public func answerNext(_ decide: (AuthenticationRequest) -> String?) throws(ZeroMQError) -> Bool {
        guard try socket.receive(into: frame) else { return false }
        var frames = [frame.copy()]
        while frame.more, try socket.receive(into: frame, wait: true) {
            // No valid request has so many frames. The rest of a longer one is dropped.
            if frames.count < Self.maxFrames { frames.append(frame.copy()) }
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

    private static let maxFrames = 16

    /// Adds the socket to a poller that waits for requests.
    public func add(to poller: inout Poller) -> Poller.Index {
        poller.add(socket)
    }
}
