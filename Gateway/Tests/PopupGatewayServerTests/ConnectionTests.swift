import Dispatch
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOPosix
import PopupAccess
import PopupClient
import PopupGateway
import Synchronization
import Testing

@testable import PopupGatewayServer

@Suite("Times of a connection")
struct RequestTimesTests {
    /// What arrives at a connection: bytes of a head that is not complete, or a part of a request.
    private enum Arrival: Sendable {
        case bytes
        case part(HTTPRequestPart)
    }

    /// The decoder: it keeps bytes of a head, and passes parts on.
    private final class Decoder: ChannelInboundHandler {
        typealias InboundIn = Arrival
        typealias InboundOut = HTTPRequestPart

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .part(let part) = unwrapInboundIn(data) { context.fireChannelRead(wrapInboundOut(part)) }
        }
    }

    /// A handler that refuses its connection at once.
    private final class Refusal: ChannelInboundHandler {
        typealias InboundIn = NIOAny

        func handlerAdded(context: ChannelHandlerContext) { context.close(promise: nil) }
    }

    /// A socket that takes no bytes: writes never end.
    private final class FullSocket: ChannelOutboundHandler {
        typealias OutboundIn = NIOAny

        private var promises: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { promises.append(promise) }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
            promises = []
            context.close(mode: mode, promise: promise)
        }
    }

    /// A connection to which requests come as the test says.
    private struct Connection {
        let channel = EmbeddedChannel()
        let slow = Counter()

        init(takesWrites: Bool = true) throws {
            let slow = slow
            if !takesWrites { try channel.pipeline.syncOperations.addHandler(FullSocket()) }
            try channel.pipeline.syncOperations.addHandlers(Decoder(), RequestTimes(onSlow: { slow.count() }))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        func read(_ part: HTTPRequestPart) throws { try channel.writeInbound(Arrival.part(part)) }

        func readFirstBytes() throws { try channel.writeInbound(Arrival.bytes) }

        func answer(_ status: HTTPResponse.Status = .ok) throws {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
        }

        func pass(_ seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

        /// The statuses of the responses so far.
        func statuses() throws -> [Int] {
            var statuses: [Int] = []
            while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
                if case .head(let head) = part { statuses.append(head.status.code) }
            }
            return statuses
        }
    }

    private static let head = HTTPRequestPart.head(
        HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/v1/show/x"))

    @Test("A connection without a request is closed after 75 s, without a response")
    func idle() throws {
        let connection = try Connection()
        connection.pass(74)
        #expect(connection.channel.isActive)
        connection.pass(1)
        #expect(!connection.channel.isActive)
        #expect(try connection.statuses() == [] && connection.slow.number == 0)
    }

    @Test("A head has 5 s from its first byte, however often further bytes come")
    func slowHead() throws {
        let connection = try Connection()
        connection.pass(60)
        for _ in 0..<4 {
            try connection.readFirstBytes()
            connection.pass(1)
        }
        #expect(connection.channel.isActive)
        connection.pass(1)
        #expect(!connection.channel.isActive)
        #expect(try connection.statuses() == [408] && connection.slow.number == 1)
    }

    @Test("A body has 10 s from the end of the head")
    func slowBody() throws {
        let connection = try Connection()
        try connection.readFirstBytes()
        try connection.read(Self.head)
        for _ in 0..<9 {
            connection.pass(1)
            try connection.read(.body(ByteBuffer(string: "x")))
        }
        #expect(connection.channel.isActive)
        connection.pass(1)
        #expect(!connection.channel.isActive)
        #expect(try connection.statuses() == [408] && connection.slow.number == 1)
    }

    @Test("A request that has arrived may wait, and after the response the connection is kept for 75 s again")
    func waiting() throws {
        let connection = try Connection()
        try connection.readFirstBytes()
        try connection.read(Self.head)
        try connection.read(.end(nil))
        connection.pass(3600)
        try connection.answer()
        connection.pass(74)
        #expect(connection.channel.isActive)
        connection.pass(1)
        #expect(!connection.channel.isActive)
        #expect(try connection.statuses() == [200] && connection.slow.number == 0)
    }

    @Test("A body that goes on after its response has 10 s more, and then the connection is closed without a 408")
    func answeredEarly() throws {
        let connection = try Connection()
        try connection.readFirstBytes()
        try connection.read(Self.head)
        try connection.read(.body(ByteBuffer(string: "x")))
        connection.pass(5)
        try connection.answer(.contentTooLarge)
        connection.pass(9)
        #expect(connection.channel.isActive)
        connection.pass(1)
        #expect(!connection.channel.isActive)
        #expect(try connection.statuses() == [413] && connection.slow.number == 0)
    }

    @Test("After a body that ends after its response, the connection is kept, and the next request has its times")
    func answeredEarlyAndKept() throws {
        let connection = try Connection()
        try connection.read(Self.head)
        try connection.answer(.contentTooLarge)
        try connection.read(.end(nil))
        connection.pass(74)
        #expect(connection.channel.isActive)
        try connection.readFirstBytes()
        try connection.read(Self.head)
        connection.pass(10)
        #expect(!connection.channel.isActive)
        #expect(try connection.statuses() == [413, 408] && connection.slow.number == 1)
    }

    @Test("Bytes that are no request, and were answered, keep the connection for 5 s, without a 408")
    func garbage() throws {
        let connection = try Connection()
        try connection.readFirstBytes()
        try connection.answer(.badRequest)
        connection.pass(4)
        #expect(connection.channel.isActive)
        connection.pass(1)
        #expect(!connection.channel.isActive)
        #expect(try connection.statuses() == [400] && connection.slow.number == 0)
    }

    @Test("An answer to bytes that are no request does not count for the next request, which may wait")
    func garbageAndWaiting() throws {
        let connection = try Connection()
        try connection.readFirstBytes()
        try connection.answer(.badRequest)
        try connection.read(Self.head)
        try connection.read(.end(nil))
        connection.pass(3600)
        #expect(connection.channel.isActive)
        #expect(try connection.statuses() == [400])
    }

    @Test("A client that does not take its 408 is disconnected 3 s later")
    func stuckFarewell() throws {
        let connection = try Connection(takesWrites: false)
        try connection.readFirstBytes()
        connection.pass(7)
        #expect(connection.channel.isActive && connection.slow.number == 1)
        connection.pass(1)
        #expect(!connection.channel.isActive)
    }

    @Test("A connection that ends leaves no timer behind, also one that was closed before it began")
    func noTimerLeft() throws {
        let loop = EmbeddedEventLoop()
        weak var ended: RequestTimes?
        weak var refused: RequestTimes?
        do {
            let times = [RequestTimes(onSlow: {}), RequestTimes(onSlow: {})]
            (ended, refused) = (times[0], times[1])
            let first = EmbeddedChannel(handler: times[0], loop: loop)
            try first.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try first.close().wait()
            let second = EmbeddedChannel(loop: loop)
            try second.pipeline.syncOperations.addHandlers(Refusal(), times[1])
            withExtendedLifetime(times) { #expect(ended != nil && refused != nil) }
        }
        loop.run()
        #expect(ended == nil && refused == nil)
    }

    @Test("The time of a second request begins with the response to the first one")
    func pipelined() throws {
        let connection = try Connection()
        try connection.read(Self.head)
        try connection.read(.end(nil))
        try connection.readFirstBytes()
        try connection.read(Self.head)
        connection.pass(3600)
        #expect(connection.channel.isActive)
        try connection.answer()
        connection.pass(9)
        #expect(connection.channel.isActive)
        connection.pass(1)
        #expect(!connection.channel.isActive)
        #expect(try connection.statuses() == [200, 408])
    }
}

@Suite("Limits of connections")
struct ConnectionLimitTests {
    /// A connection that counts, unless it was closed at once.
    private struct Connection {
        let channel: EmbeddedChannel
        let ends = Counter()

        var isClosed: Bool { ends.number > 0 }
    }

    private func gateway(_ settings: Gateway.Settings) throws -> Gateway {
        let broker = try BrokerConnection(BrokerEndpoints(ingress: "tcp://127.0.0.1:9", egress: "tcp://127.0.0.1:9"))
        return try Gateway(broker, tokens: TokenTable(), settings: settings) { () throws(ClientError) in throw .closed }
    }

    /// A connection with the handlers that a gateway gives it.
    private func connection(from address: String?, _ gateway: Gateway) throws -> Connection {
        let channel = EmbeddedChannel()
        let connection = Connection(channel: channel)
        channel.closeFuture.whenComplete { [ends = connection.ends] _ in ends.count() }
        channel.remoteAddress = try address.map { try SocketAddress(ipAddress: $0, port: 50_000) }
        let proxies: Set<IPAddress> = [try #require(IPAddress("192.0.2.1"))]
        try channel.pipeline.syncOperations.addHandlers(
            ConnectionLimit(gateway, proxies: proxies), RequestTimes(onSlow: {}))
        channel.embeddedEventLoop.run()
        return connection
    }

    @Test("One more than the limit of its address is closed, others are not, and one that ends makes room")
    func limit() throws {
        let gateway = try gateway(Gateway.Settings(connectionsPerAddress: 2))
        let address = "198.51.100.7"
        let first = try [connection(from: address, gateway), connection(from: address, gateway)]
        #expect(try connection(from: address, gateway).isClosed)
        for other in ["198.51.100.8", "127.0.0.1", "192.0.2.1", "192.0.2.1", "192.0.2.1"] {
            #expect(try !connection(from: other, gateway).isClosed, "\(other)")
        }
        try first[0].channel.close().wait()
        #expect(try !connection(from: address, gateway).isClosed)
        #expect(try connection(from: address, gateway).isClosed)
        try first[1].channel.close().wait()
    }

    @Test("All connections together have a limit, also those of this machine, of proxies and of a Unix socket")
    func all() throws {
        let gateway = try gateway(Gateway.Settings(connections: 4))
        let first = try ["127.0.0.1", "192.0.2.1", "198.51.100.7", nil].map { try connection(from: $0, gateway) }
        for connection in first { #expect(!connection.isClosed) }
        for address in ["127.0.0.1", "192.0.2.1", "198.51.100.8", nil] {
            #expect(try connection(from: address, gateway).isClosed, "\(address ?? "a Unix socket")")
        }
        try first[3].channel.close().wait()
        let next = try connection(from: "127.0.0.1", gateway)
        #expect(!next.isClosed)
    }
}

@Suite("Event loops")
struct EventLoopTests {
    @Test("A loop that does nothing is counted")
    func hanging() async throws {
        // So long may a machine under load keep a loop waiting.
        let patience = Duration.seconds(60)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        #expect(await group.hangingLoops(within: patience) == 0)
        let (gate, hasAnswered) = (DispatchSemaphore(value: 0), Counter())
        let loop = group.next()
        loop.execute { gate.wait() }
        // The other loop answers: its thread has a core. Then it has 5 s.
        let other = group.next()
        #expect(other !== loop)
        other.execute { hasAnswered.count() }
        while hasAnswered.number == 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await group.hangingLoops(within: .seconds(5)) == 1)
        gate.signal()
        #expect(await group.hangingLoops(within: patience) == 0)
        try await group.shutdownGracefully()
    }
}

private final class Counter: Sendable {
    private let value = Atomic(0)

    var number: Int { value.load(ordering: .relaxed) }

    func count() { value.add(1, ordering: .relaxed) }
}
