internal import NIOCore
internal import PopupGateway

/// The limits of connections: of all together, and from one address of another machine. A connection beyond them is
/// closed at once.
final class ConnectionLimit: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let gateway: Gateway
    private let proxies: Set<IPAddress>
    private var counted: Gateway.CountedConnection?

    /// Creates the handler of a connection.
    ///
    /// - Parameter proxies: The trusted proxies, whose connections are those of many clients.
    init(_ gateway: Gateway, proxies: Set<IPAddress>) {
        self.gateway = gateway
        self.proxies = proxies
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let peer = context.remoteAddress.flatMap(IPAddress.init)
        let address = peer.flatMap { proxies.contains($0) ? nil : ClientAddress(bytes: $0.bytes) }
        counted = gateway.openConnection(from: address)
        if counted == nil { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        release()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        release()
    }

    private func release() {
        guard let connection = counted.take() else { return }
        gateway.closeConnection(connection)
    }
}
