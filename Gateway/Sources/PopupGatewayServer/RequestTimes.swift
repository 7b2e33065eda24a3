internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import PopupGateway

/// The times within which a client must send its requests, on one connection. A client that takes longer gets 408 if it
/// has begun a request, and its connection is closed: half a request would hold a descriptor without end.
///
///     idle ──(first byte)──▶ head ──(head)──▶ body ──(end)──▶ answer ──(end of the response)──▶ idle
///
/// While the gateway answers there is no limit here: a request may wait, and a response may be a stream. A response may
/// also end before the request has arrived, such as 413. Then the rest of the request has its time, and no 408 follows.
final class RequestTimes: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The longest times.
    struct Limits: Sendable {
        /// Before the first request and between requests; more than the minute for which nginx and haproxy keep a
        /// connection, so that they close it first. Caddy keeps one for two minutes unless its `keepalive` says less.
        var idle: TimeAmount = .seconds(75)
        /// From the first byte of a request to the end of its head.
        var head: TimeAmount = .seconds(5)
        /// From the end of the head to the end of the body.
        var body: TimeAmount = .seconds(10)
        /// For a 408 to leave: a client that reads nothing would keep the connection.
        var farewell: TimeAmount = .seconds(3)
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
    /// Whether the request that is being read has its response already.
    private var isAnswered = false
    /// Whether the connection is about to be closed.
    private var isClosing = false
    /// The time at which the next step must have come; `nil`: any time.
    private var deadline: NIODeadline?
    /// The timer of the connection, which fires no later than the deadline. A deadline that moves away does not touch it:
    /// the event loop looks for a timer that is cancelled among those of all connections.
    private var timer: (fires: NIODeadline, task: Scheduled<Void>)?

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
        guard !isClosing else { return }
        guard unanswered <= (reading == .body ? 1 : 0) else {
            deadline = nil
            return
        }
        let time =
            switch reading {
            case .nothing: limits.idle
            case .head: limits.head
            case .body: limits.body
            }
        setDeadline(context.eventLoop.now + time, context)
    }

    private func setDeadline(_ deadline: NIODeadline, _ context: ChannelHandlerContext) {
        self.deadline = deadline
        if let timer {
            guard timer.fires > deadline else { return }
            timer.task.cancel()
        }
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.fire(context) }
        timer = (deadline, task)
    }

    private func fire(_ context: ChannelHandlerContext) {
        timer = nil
        guard let deadline else { return }
        guard deadline <= context.eventLoop.now else { return setDeadline(deadline, context) }
        self.deadline = nil
        expire(context)
    }

    private func expire(_ context: ChannelHandlerContext) {
        guard !isClosing, reading != .nothing, !isAnswered else { return context.close(promise: nil) }
        onSlow()
        guard !isResponding else { return context.close(promise: nil) }
        let part = reading == .head ? "head" : "body"
        let response = Problem(
            408, "TIMEOUT", "the \(part) of the request took too long to arrive; send it again"
        ).response
        var fields: HTTPFields = [.contentLength: "\(response.bytes.count)", .connection: "close"]
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        fields[.xRequestID] = RequestID(header: nil).description
        (isResponding, isClosing) = (true, true)
        context.write(wrapOutboundOut(.head(HTTPResponse(status: .requestTimeout, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: response.bytes))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
        setDeadline(context.eventLoop.now + limits.farewell, context)
    }

    private func cancelTimer() {
        deadline = nil
        timer?.task.cancel()
        timer = nil
    }

    // MARK: - The channel

    func handlerAdded(context: ChannelHandlerContext) {
        let bytes = FirstByte { if self.reading == .nothing { self.expect(.head, context) } }
        try? context.pipeline.syncOperations.addHandler(bytes, position: .first)
        expect(.nothing, context)
    }

    /// Ends the timer of a connection that was closed before it became active, too.
    func handlerRemoved(context: ChannelHandlerContext) {
        cancelTimer()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isAnswered = false
            expect(.body, context)
        case .body: break
        case .end:
            isAnswered = false
            expect(.nothing, context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: isResponding = true
        case .body: break
        case .end:
            isResponding = false
            // Bytes that are no request have a response, too.
            isAnswered = reading != .nothing && unanswered <= (reading == .body ? 1 : 0)
            unanswered = max(0, unanswered - 1)
            expect(reading, context)
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancelTimer()
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
