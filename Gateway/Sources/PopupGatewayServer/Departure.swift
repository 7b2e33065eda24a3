internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// The context of a request, with its connection.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any NIOCore.Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// The end of a connection by the client. A request that waits must notice it, although it writes nothing.
final class Departure: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny

    private struct State: Sendable {
        var hasLeft = false
        var hasTimedOut = false
        var action: (@Sendable (_ hasTimedOut: Bool) -> Void)?
    }

    private let state = Mutex(State())
    /// The time in ms after which the kernel ends a connection whose peer acknowledges nothing, or takes nothing.
    private let userTimeout: Int

    /// Creates the handler of a connection.
    ///
    /// - Parameter stall: The time after which the gateway closes a stream whose reader takes no bytes. The kernel's time is
    ///   5 s longer. It is over first if the kernel still has room for all that is sent to the reader.
    init(stall: Duration) {
        userTimeout = Int((stall + .seconds(5)) / .milliseconds(1))
    }

    /// Sets the action for when the client leaves, or takes nothing until the kernel's time is over; it is performed at once
    /// if that was before. The requests of a connection come one after the other, so one action is enough.
    func expect(_ action: (@Sendable (_ hasTimedOut: Bool) -> Void)?) {
        let state = state.withLock { state in
            state.action = action
            return state
        }
        if state.hasLeft { action?(state.hasTimedOut) }
    }

    private func leave() {
        let state = state.withLock { state in
            state.hasLeft = true
            return state
        }
        state.action?(state.hasTimedOut)
    }

    // MARK: - The channel

    /// Makes the kernel end a connection whose peer acknowledges nothing: a host that vanishes does not close its
    /// connections. And makes it take no more than it can soon send: otherwise it takes a megabyte for a reader
    /// that has stalled, and the stall shows only then.
    func handlerAdded(context: ChannelHandlerContext) {
        #if os(Linux)
            // TCP_USER_TIMEOUT and TCP_NOTSENT_LOWAT of linux/tcp.h.
            for (name, value) in [(18, userTimeout), (25, Self.unsentBytes)] as [(CInt, Int)] {
                let option = ChannelOptions.Types.SocketOption(level: .tcp, name: NIOBSDSocket.Option(rawValue: name))
                context.channel.setOption(option, value: value).whenFailure { _ in }
            }
        #endif
    }

    /// The number of unsent bytes that the kernel takes for a connection.
    private static let unsentBytes = 16 * 1024

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { leave() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if (error as? IOError)?.errnoCode == ETIMEDOUT { state.withLock { $0.hasTimedOut = true } }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }
}
