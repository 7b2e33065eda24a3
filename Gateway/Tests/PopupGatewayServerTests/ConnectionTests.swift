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

    /// A connection to which requests come as the test says.
    private struct Connection {
        let channel = EmbeddedChannel()
        let slow = Counter()

        init() throws {
            let slow = slow
            try channel.pipeline.syncOperations.addHandlers(Decoder(), RequestTimes(onSlow: { slow.count() }))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        func read(_ part: HTTPRequestPart) throws { try channel.writeInbound(Arrival.part(part)) }

        func readFirstBytes() throws { try channel.writeInbound(Arrival.bytes) }

        func answer() throws {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
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

    @Test("A connection without a request is closed after 75 s, without a word")
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

@Suite("Connections of an address")
struct AddressLimitTests {
    /// A connection that counts as one of its address, unless it was closed at once.
    private struct Connection {
        let channel: EmbeddedChannel
        let ends = Counter()

        var isClosed: Bool { ends.number > 0 }
    }

    private func connection(from address: String, _ gateway: Gateway) throws -> Connection {
        let channel = EmbeddedChannel()
        let connection = Connection(channel: channel)
        channel.closeFuture.whenComplete { [ends = connection.ends] _ in ends.count() }
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: 50_000)
        let proxies: Set<IPAddress> = [try #require(IPAddress("192.0.2.1"))]
        try channel.pipeline.syncOperations.addHandler(AddressLimit(gateway, proxies: proxies))
        channel.embeddedEventLoop.run()
        return connection
    }

    @Test("One more than the limit is closed, others are not, and one that ends makes room")
    func limit() throws {
        let broker = try BrokerConnection(BrokerEndpoints(ingress: "tcp://127.0.0.1:9", egress: "tcp://127.0.0.1:9"))
        let gateway = try Gateway(broker, tokens: TokenTable(), settings: Gateway.Settings(connectionsPerAddress: 2))
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
}

@Suite("Event loops")
struct EventLoopTests {
    @Test("A loop that does nothing is counted")
    func hanging() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        #expect(await group.hangingLoops() == 0)
        let gate = DispatchSemaphore(value: 0)
        group.next().execute { gate.wait() }
        #expect(await group.hangingLoops(within: .milliseconds(200)) == 1)
        gate.signal()
        #expect(await group.hangingLoops() == 0)
        try await group.shutdownGracefully()
    }
}

private final class Counter: Sendable {
    private let value = Atomic(0)

    var number: Int { value.load(ordering: .relaxed) }

    func count() { value.add(1, ordering: .relaxed) }
}
