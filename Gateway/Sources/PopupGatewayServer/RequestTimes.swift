internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// The times within which a client must send its requests, on one connection. A client that takes longer gets 408 if it
/// has begun a request, and its connection is closed: half a request would hold a descriptor for ever.
///
///     idle ──(first byte)──▶ head ──(head)──▶ body ──(end)──▶ answer ──(end of the response)──▶ idle
///
/// While the gateway answers there is no limit here: a request may wait, and a response may be a stream.
final class RequestTimes: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The longest times.
    struct Limits: Sendable {
        /// Before the first request and between requests; more than the minute for which most proxies keep a connection.
        var idle: TimeAmount = .seconds(75)
        /// From the first byte of a request to the end of its head.
        var head: TimeAmount = .seconds(5)
        /// From the end of the head to the end of the body.
        var body: TimeAmount = .seconds(10)
    }

    /// The part of a request that is expected next.
    private enum Reading { case nothing, head, body }

    private let limits: Limits
    private let onSlow: @Sendable () -> Void
    private var reading = Reading.nothing
    /// The number of requests whose head has arrived, and whose response has not ended.
    private var unanswered = 0
    /// Whether a response has begun and not ended.
    private var isResponding = false
    private var timer: Scheduled<Void>?

    /// Creates the handler of a connection.
    ///
    /// - Parameter onSlow: Called when a request took too long.
    init(_ limits: Limits = Limits(), onSlow: @escaping @Sendable () -> Void) {
        self.limits = limits
        self.onSlow = onSlow
    }

    /// Starts the time for the next step; there is none while an earlier request is being answered.
    private func expect(_ reading: Reading, _ context: ChannelHandlerContext) {
        self.reading = reading
        timer?.cancel()
        timer = nil
        guard unanswered == (reading == .body ? 1 : 0) else { return }
        let time =
            switch reading {
            case .nothing: limits.idle
            case .head: limits.head
            case .body: limits.body
            }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.expire(context) }
    }

    private func expire(_ context: ChannelHandlerContext) {
        guard reading != .nothing else { return context.close(promise: nil) }
        onSlow()
        guard !isResponding else { return context.close(promise: nil) }
        let part = reading == .head ? "head" : "body"
        let text =
            #"{"type":"/problems/timeout","title":"Request Timeout","status":408,"reason":"TIMEOUT","#
            + #""detail":"the \#(part) of the request took too long to arrive; send it again"}"#
        let fields: HTTPFields = [
            .contentType: "application/problem+json", .contentLength: "\(text.utf8.count)", .connection: "close",
        ]
        isResponding = true
        context.write(wrapOutboundOut(.head(HTTPResponse(status: .requestTimeout, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(string: text))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }

    // MARK: - The channel

    func handlerAdded(context: ChannelHandlerContext) {
        let bytes = FirstByte { if self.reading == .nothing { self.expect(.head, context) } }
        try? context.pipeline.syncOperations.addHandler(bytes, position: .first)
        expect(.nothing, context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            expect(.body, context)
        case .body: break
        case .end: expect(.nothing, context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: isResponding = true
        case .body: break
        case .end:
            isResponding = false
            unanswered -= 1
            expect(reading, context)
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }
}

/// A handler before the decoder of HTTP, which tells that bytes have arrived.
private final class FirstByte: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let onBytes: () -> Void

    init(_ onBytes: @escaping () -> Void) {
        self.onBytes = onBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        onBytes()
        context.fireChannelRead(data)
    }
}
