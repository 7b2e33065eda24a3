internal import NIOCore
internal import NIOHTTP1

/// The end of one connection after a response (RFC 9112, 9.3), where Hummingbird knows only the option `close` alone.
///
/// It ends after the response to a request with the option `close`, in any case and among others. It also ends for a client
/// of HTTP/1.0, which gets no chunks: a client may keep the connection only if the server says so. And it ends for one that
/// offers another protocol (`Upgrade`, CONNECT), because NIO's decoder reads nothing after such a request.
final class ConnectionPersistence: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The needs of the response to a request.
    private struct Ending {
        let isOld: Bool
        let isLast: Bool
    }

    /// The requests that have no response yet, in order.
    private var endings: CircularBuffer<Ending> = []

    /// Adds a handler to a connection that reads requests.
    static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(ConnectionPersistence(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let isOld = head.version == .http1_0
        let isLast =
            isOld || head.method == .CONNECT || head.headers.contains(name: "Upgrade")
            || head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
        if isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        endings.append(Ending(isOld: isOld, isLast: isLast))
        context.fireChannelRead(wrapInboundOut(.head(head.withHost())))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 200, let ending = endings.popFirst(),
            ending.isLast
        else { return context.write(data, promise: promise) }
        if ending.isOld { head.version = .http1_0 }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}

extension HTTPRequestHead {
    /// Returns the head with the one host for which the request is (RFC 9112, 3.2): that of a target with a host, otherwise
    /// that of the field. Several fields become one that no gateway serves.
    fileprivate func withHost() -> HTTPRequestHead {
        var head = self
        if !uri.hasPrefix("/"), let target = uri.firstRange(of: "://").map({ uri[$0.upperBound...] }) {
            let end = target.firstIndex { "/?".contains($0) } ?? target.endIndex
            let path = target[end...]
            head.headers.replaceOrAdd(name: "Host", value: String(target[..<end]))
            head.uri = path.first == "/" ? String(path) : "/\(path)"
        } else if headers["Host"].count > 1 {
            head.headers.replaceOrAdd(name: "Host", value: headers["Host"].joined(separator: ", "))
        }
        return head
    }
}
