internal import NIOCore
internal import PopupGateway

/// The limit of connections from one address of another machine. A connection beyond it is closed at once.
final class AddressLimit: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let gateway: Gateway
    private let proxies: Set<IPAddress>
    /// The address for which this connection is counted.
    private var counted: ClientAddress?

    /// Creates the handler of a connection.
    ///
    /// - Parameter proxies: The trusted proxies, whose connections are those of many clients.
    init(_ gateway: Gateway, proxies: Set<IPAddress>) {
        self.gateway = gateway
        self.proxies = proxies
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard let peer = context.remoteAddress.flatMap(IPAddress.init), !proxies.contains(peer),
            let address = ClientAddress(bytes: peer.bytes)
        else { return }
        guard gateway.openConnection(from: address) else { return context.close(promise: nil) }
        counted = address
    }

    func channelInactive(context: ChannelHandlerContext) {
        release()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        release()
    }

    private func release() {
        guard let address = counted.take() else { return }
        gateway.closeConnection(from: address)
    }
}
