internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOExtras
internal import NIOHTTP1
internal import NIOPosix
internal import PopupGateway
internal import ServiceLifecycle

/// A listener for requests, on an address or on a socket that the service manager has opened.
///
/// Hummingbird's `Application` takes no descriptor, and does not say which address is in use; so this serves its
/// `HTTP1Channel` itself.
struct Listener<Responder: HTTPResponder>: Service where Responder.Context == ConnectionContext {
    /// The address or the socket at which it listens.
    enum Endpoint {
        /// An address, and the key of the configuration that has it.
        case address(ListenAddress, key: String)
        /// A socket that the service manager has opened. Connections wait there while the gateway is replaced.
        case inherited(NIOBSDSocket.Handle)
    }

    let endpoint: Endpoint
    let responder: Responder
    let name: String
    let channel: HTTP1Channel.Configuration
    let responses: ResponsesInProgress
    let logger: Logger
    /// Called with the address, and the port that it has, when connections are accepted.
    let onListening: @Sendable (ListenAddress) -> Void

    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let child = child
        let logger = logger
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(ChannelOptions.backlog, value: 256)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
        // Until the listener ends.
        let lock = try endpoint.lock()
        defer { withExtendedLifetime(lock) {} }
        let server = try await endpoint.bind(bootstrap) { channel in
            child.setup(channel: channel, logger: logger).flatMapThrowing { value in
                try ConnectionPersistence.add(to: channel)
                return value
            }
        }
        await withGracefulShutdownHandler {
            onListening(endpoint.address(of: server.channel))
            await withDiscardingTaskGroup { connections in
                do {
                    try await server.executeThenClose { inbound in
                        for try await connection in inbound {
                            connections.addTask { await child.handle(value: connection, logger: logger) }
                        }
                    }
                } catch is CancellationError {
                    // The other listener has failed, and says why.
                } catch {
                    logger.error("the listener ended: \(error)")
                }
            }
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }

    /// The handler of a connection, as Hummingbird's `Application` has it.
    private var child: HTTP1Channel {
        let (responder, responses, name, logger) = (responder, responses, name, logger)
        return HTTP1Channel(
            responder: { request, responseWriter, channel in
                let context = ConnectionContext(
                    source: ApplicationRequestContextSource(channel: channel, logger: logger))
                let id = RequestID(header: request.headers[.xRequestID])
                var response: Response
                do {
                    response = try await responder.respond(to: request, context: context)
                } catch is HTTPParserError {
                    // Nothing more of the connection can be read. For a head, Hummingbird answers 400 without a body.
                    let problem = Problem(400, "MALFORMED", "the body is not valid HTTP; the connection is closed")
                    response = Response(problem.response, to: request, on: channel)
                    response.headers[.connection] = "close"
                } catch {
                    // A client that has left is no failure of the gateway.
                    let isExpected = error is CancellationError || !channel.isActive
                    logger.log(level: isExpected ? .debug : .warning, "the request \(id) failed: \(error)")
                    let problem = Problem(500, "INTERNAL", "the gateway has failed; its log says more about \(id)")
                    response = Response(problem.response, to: request, on: channel)
                }
                response.headers[.xRequestID] = id.description
                response.headers[.date] = HTTPDate.now
                response.headers[.server] = name
                let place = responses.begin(on: channel)
                defer { responses.end(place) }
                try await responseWriter.write(response: response.head, body: response.body)
            }, configuration: channel)
    }
}

extension Listener.Endpoint {
    /// Reserves the path of a Unix socket; `nil` for another endpoint.
    ///
    /// - Throws: `ListenError` if another gateway has it.
    fileprivate func lock() throws -> UnixSocketLock? {
        guard case .address(.socket(let path), _) = self else { return nil }
        do { return try UnixSocketLock(path) } catch { throw failure(error) }
    }

    /// Binds a server.
    ///
    /// - Throws: `ListenError` for an endpoint that cannot be used.
    fileprivate func bind<Output: Sendable>(
        _ bootstrap: ServerBootstrap, _ child: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
    ) async throws -> NIOAsyncChannel<Output, Never> {
        do {
            switch self {
            case .inherited(let socket): return try await bootstrap.bind(socket, childChannelInitializer: child)
            case .address(.host(let host, let port), _):
                return try await bootstrap.bind(host: host, port: port, childChannelInitializer: child)
            case .address(.socket(let path), _):
                try UnixSocket.checkIsFree(path)
                let server = try await bootstrap.bind(
                    unixDomainSocketPath: path, cleanupExistingSocketFile: true, childChannelInitializer: child)
                try UnixSocket.openToLocalUsers(path)
                return server
            }
        } catch {
            throw failure(error)
        }
    }

    /// Returns the address at which a server listens.
    fileprivate func address(of server: any Channel) -> ListenAddress {
        let own = ListenAddress(server.localAddress)
        switch (self, own) {
        case (.address(.host(let host, let port), _), .host(_, let actual)?):
            return .host(host, port: port == 0 ? actual : port)
        case (.address(let address, _), _): return address
        case (.inherited(let socket), _): return own ?? .socket(path: "/proc/self/fd/\(socket)")
        }
    }

    private func failure(_ error: any Error) -> ListenError {
        let reason =
            switch error {
            case let error as IOError: String(cString: strerror(error.errnoCode))
            case is UnixDomainSocketPathWrongType: "the path is that of a file which is not a socket; remove it"
            default: "\(error)"
            }
        switch self {
        case .address(let address, let key):
            return ListenError("`\(key)` is \(address), which cannot be used: \(reason)")
        case .inherited(let socket):
            return ListenError("the socket \(socket) of the service manager cannot be used: \(reason)")
        }
    }
}

/// An address at which the gateway cannot listen.
public struct ListenError: Error, CustomStringConvertible {
    /// The sentence: which address, and why it cannot be used.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Dates as HTTP says them, such as `Tue, 24 Nov 2026 11:23:29 GMT`.
private enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The present time.
    static var now: String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
        return "\(days[Int(parts.tm_wday)]), \(twoDigits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(1900 + Int(parts.tm_year)) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
