internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOExtras
internal import NIOPosix
internal import ServiceLifecycle

/// A listener on a socket that the service manager has opened. Connections wait there while the gateway is replaced.
///
/// Hummingbird opens its sockets itself, and takes no descriptor.
struct InheritedListener<Responder: HTTPResponder>: Service where Responder.Context == ConnectionContext {
    let socket: NIOBSDSocket.Handle
    let responder: Responder
    let name: String
    let logger: Logger
    /// Called with the port when connections are accepted.
    let onPort: @Sendable (Int) -> Void

    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let child = child
        let logger = logger
        let server = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .bind(socket) { channel in child.setup(channel: channel, logger: logger) }
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

    /// The handler of a connection, as an `Application` has it.
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
                    logger.warning("a request failed: \(error)")
                    response = Response(status: .internalServerError)
                }
                response.headers[.date] = HTTPDate.now
                response.headers[.server] = name
                try await responseWriter.write(response: response.head, body: response.body)
            }, configuration: .init(additionalChannelHandlers: [Departure()]))
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
