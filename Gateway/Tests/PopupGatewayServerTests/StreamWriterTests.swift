import NIOCore
import NIOHTTPTypes
import NIOPosix
@_spi(Wire) import PopupClient
import PopupProtocol
import Synchronization
import Testing

@testable import PopupGateway
@testable import PopupGatewayServer

@Suite("Streams on a connection")
struct StreamWriterTests {
    /// The socket of a connection, which takes what is written when the test says so.
    private final class Socket: ChannelOutboundHandler, Sendable {
        typealias OutboundIn = HTTPResponsePart

        private struct State: Sendable {
            var written: [[UInt8]] = []
            var promises: [EventLoopPromise<Void>] = []
            var takesAll = false
        }

        private let state = Mutex(State())

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard case .body(let buffer) = unwrapOutboundIn(data) else { return }
            let takesAll = state.withLock { state in
                state.written.append(Array(buffer.readableBytesView))
                if !state.takesAll, let promise { state.promises.append(promise) }
                return state.takesAll
            }
            if takesAll { promise?.succeed() }
        }

        /// Waits until at least `count` pieces are written, and returns all.
        func written(_ count: Int) async throws -> [[UInt8]] {
            let end = ContinuousClock.now + .seconds(30)
            while true {
                let written = state.withLock { $0.written }
                if written.count >= count { return written }
                try #require(.now < end, "only \(written) was written")
                try await Task.sleep(for: .milliseconds(2))
            }
        }

        /// Takes what was written, or fails it. From now on, `all` is taken at once.
        func settle(_ error: (any Error)? = nil, all: Bool = false) {
            let promises = state.withLock { state in
                state.takesAll = all
                defer { state.promises = [] }
                return state.promises
            }
            for promise in promises { error.map(promise.fail) ?? promise.succeed() }
        }
    }

    /// A stream with its connection.
    private struct Connection {
        let server: any NIOCore.Channel
        let channel: any NIOCore.Channel
        let socket = Socket()
        let watch: Watch
        let counts = Counts()

        final class Counts: Sendable {
            let written = Atomic(0)
            let closed = Atomic(0)
        }

        init() async throws {
            let group = MultiThreadedEventLoopGroup.singleton
            server = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
            let socket = socket
            channel = try await ClientBootstrap(group: group)
                .channelInitializer { $0.pipeline.addHandler(socket) }
                .connect(to: try #require(server.localAddress)).get()
            watch = Watch([.every], Watch.Times(heartbeat: .seconds(15), end: .now + .seconds(3600)), at: .now)
        }

        /// Begins to write a stream with one byte for each item. Only the writer keeps it.
        func begin() -> Task<Void, any Error> {
            let (watch, counts, channel) = (watch, counts, channel)
            return Task {
                let stream = ResponseStream(
                    watch, greeting: [0], signal: watch.signal,
                    onWritten: { counts.written.add(1, ordering: .relaxed) },
                    onClose: { counts.closed.add(1, ordering: .relaxed) },
                    next: { now in watch.take(at: now).map { _ in [1] } })
                try await StreamWriter(stream, to: channel).run()
            }
        }

        func offer(_ revision: UInt64) {
            var wire = WireGroupState()
            (wire.group, wire.epoch, wire.revision, wire.waiting) = ("\(revision)", 1, revision, 1)
            watch.offer(EncodedState(GroupState(PublishedState(wire: wire), received: .now)))
        }

        var written: Int { counts.written.load(ordering: .relaxed) }
        var closed: Int { counts.closed.load(ordering: .relaxed) }

        func end() async throws {
            try? await channel.close()
            try await server.close()
        }
    }

    @Test("A piece is written when the socket has taken the one before it, with all that has come meanwhile")
    func pieces() async throws {
        let connection = try await Connection()
        connection.offer(1)
        let writing = connection.begin()
        #expect(try await connection.socket.written(1) == [[0]])
        for revision in 2...4 as ClosedRange<UInt64> { connection.offer(revision) }
        connection.socket.settle()
        #expect(try await connection.socket.written(2) == [[0], [1, 1, 1, 1]])
        #expect(connection.written == 0)
        connection.socket.settle(all: true)
        for number in 5...104 as ClosedRange<UInt64> {
            connection.offer(number)
            if number % 10 == 0 { await Task.yield() }
        }
        connection.watch.end(retry: nil)
        try await writing.value
        #expect(connection.written >= 1 && connection.closed == 1)
        try await connection.end()
    }

    @Test("What a socket does not take does not count as written, and its stream ends and is forgotten")
    func failure() async throws {
        struct Gone: Error {}
        let connection = try await Connection()
        connection.offer(1)
        let writing = connection.begin()
        _ = try await connection.socket.written(1)
        connection.socket.settle()
        _ = try await connection.socket.written(2)
        connection.socket.settle(Gone())
        await #expect(throws: Gone.self) { try await writing.value }
        #expect(connection.written == 0 && connection.closed == 1)
        // Nothing wakes a connection that is gone.
        connection.offer(2)
        #expect(connection.watch.signal.hasEnded)
        try await connection.end()
    }

    @Test("A stream whose connection was closed before it began ends")
    func closedBefore() async throws {
        let connection = try await Connection()
        try await connection.channel.close()
        await #expect(throws: (any Error).self) { try await connection.begin().value }
        #expect(connection.closed == 1)
        try await connection.server.close()
    }

    @Test("A stream that ends while its socket takes nothing goes when its connection is closed")
    func stalled() async throws {
        let connection = try await Connection()
        let writing = connection.begin()
        _ = try await connection.socket.written(1)
        connection.watch.end(retry: nil)
        connection.socket.settle(ChannelError.ioOnClosedChannel)
        await #expect(throws: ChannelError.self) { try await writing.value }
        #expect(connection.closed == 1)
        try await connection.end()
    }
}
