internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOExtras
internal import NIOPosix
internal import ServiceLifecycle

/// A listener for requests, on an address or on a socket that the service manager has opened.
///
/// Hummingbird's `Application` takes no descriptor, and does not say which address is in use; so this serves its
/// `HTTP1Channel` itself.
struct Listener<Responder: HTTPResponder>: Service where Responder.Context == ConnectionContext {
    /// The place at which it listens.
    enum Place {
        /// An address, and the key of the configuration that has it.
        case address(ListenAddress, key: String)
        /// A socket that the service manager has opened. Connections wait there while the gateway is replaced.
        case inherited(NIOBSDSocket.Handle)
    }

    let place: Place
    let responder: Responder
    let name: String
    let channel: HTTP1Channel.Configuration
    let logger: Logger
    /// Called with the port when connections are accepted; 0 for a socket in the file system.
    let onPort: @Sendable (Int) -> Void

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
            .childChannelOption(ChannelOptions.writeBufferWaterMark, value: .init(low: 16 * 1024, high: 32 * 1024))
        let server = try await place.bind(bootstrap) { channel in child.setup(channel: channel, logger: logger) }
        await withGracefulShutdownHandler {
            onPort(server.channel.localAddress?.port ?? 0)
            await withDiscardingTaskGroup { connections in
                do {
                    try await server.executeThenClose { inbound in
                        for try await connection in inbound {
                            connections.addTask { await child.handle(value: connection, logger: logger) }
                        }
                    }
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
        let (responder, name, logger) = (responder, name, logger)
        return HTTP1Channel(
            responder: { request, responseWriter, channel in
                let context = ConnectionContext(
                    source: ApplicationRequestContextSource(channel: channel, logger: logger))
                var response: Response
                do {
                    response = try await responder.respond(to: request, context: context)
                } catch {
                    // The client has left, or was sent away.
                    logger.debug("a request failed: \(error)")
                    response = Response(status: .internalServerError)
                }
                response.headers[.date] = HTTPDate.now
                response.headers[.server] = name
                try await responseWriter.write(response: response.head, body: response.body)
            }, configuration: channel)
    }
}

extension Listener.Place {
    /// Binds a server.
    ///
    /// - Throws: `ListenError` for an address that cannot be used.
    fileprivate func bind<Output: Sendable>(
        _ bootstrap: ServerBootstrap, _ child: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
    ) async throws -> NIOAsyncChannel<Output, Never> {
        guard case .address(let address, let key) = self else {
            guard case .inherited(let socket) = self else { preconditionFailure("a place is one of two") }
            return try await bootstrap.bind(socket, childChannelInitializer: child)
        }
        do {
            switch address {
            case .host(let host, let port):
                return try await bootstrap.bind(host: host, port: port, childChannelInitializer: child)
            case .socket(let path):
                guard await !address.hasListener() else { throw IOError(errnoCode: EADDRINUSE, reason: "bind") }
                let server = try await bootstrap.bind(
                    unixDomainSocketPath: path, cleanupExistingSocketFile: true, childChannelInitializer: child)
                try address.openToLocalUsers()
                return server
            }
        } catch {
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            throw ListenError("`\(key)` is \(address), which cannot be used: \(reason)")
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
