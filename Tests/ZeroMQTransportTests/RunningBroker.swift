import Logging
import PopupBroker
import PopupProtocol
import Testing
import ZeroMQ

/// A broker on its own thread behind real sockets on free ports, and a client's two sockets.
struct RunningBroker: ~Copyable {
    let broker: Broker
    let endpoints: BrokerEndpoints
    let context: Context
    let commands: Socket
    let messages: Socket

    /// The endpoints to create its transport with.
    static let free = BrokerEndpoints(ingress: "tcp://127.0.0.1:*", egress: "tcp://127.0.0.1:*")
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    func send(_ json: String) throws {
        _ = try commands.send(Array(json.utf8), wait: true)
    }
}

/// A broker's message that should have come long ago.
struct Silence: Error {}

/// Returns the next frame of a socket.
func nextFrame(of socket: borrowing Socket) throws -> [UInt8] {
    var poller = Poller()
    _ = poller.add(socket)
    _ = try poller.wait(timeoutMilliseconds: 60_000)
    guard let frame = try socket.receive() else { throw Silence() }
    return frame.copy()
}

/// Runs a broker, lets `body` use it, stops it and waits for its end.
func withRunning(
    _ broker: Broker, subscription: String, _ body: (borrowing RunningBroker) throws -> Void
) async throws {
    let (ready, isReady) = AsyncStream.makeStream(of: BrokerEndpoints.self)
    async let end: Void = broker.run {
        isReady.yield($0.endpoints)
        isReady.finish()
    }
    for await endpoints in ready {
        defer { broker.stop() }
        let context = try Context()
        // An XPUB sees the broker's subscription arrive: from then on nothing is lost.
        let commands = try Socket(context, .xpub, options: [.linger(milliseconds: 0)])
        try commands.connect(endpoints.ingress)
        let messages = try Socket(context, .sub, options: [.linger(milliseconds: 0)])
        try messages.subscribe(to: subscription)
        try messages.connect(endpoints.egress)
        #expect(try nextFrame(of: commands) == [1])
        try body(
            RunningBroker(
                broker: broker, endpoints: endpoints, context: context, commands: commands, messages: messages))
    }
    try await end
}
