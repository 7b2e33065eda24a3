import Foundation
import PopupProtocol
@_spi(Wire) public import PopupValues
import Synchronization
import ZeroMQ

/// A connection to a broker, which the producers, renderers and administration clients of an application can share.
///
/// A thread of its own owns the sockets. It connects and reconnects by itself. The connection closes when it and its
/// streams are released; `close` waits for that.
public final class BrokerConnection: Sendable {
    /// The endpoints of the broker.
    public let endpoints: BrokerEndpoints
    /// The limits of queues and waiting times.
    public let limits: ClientLimits
    /// The name of this connection at the broker; random and unique.
    public let client: ClientToken
    /// The content of the outbox file when the connection was opened; `nil` without an outbox.
    public let outbox: OutboxStatus?
    private let mailbox: Mailbox
    private let replies = Mutex<ReplyRouter?>(nil)
    private let identityQuestion = IdentityQuestion()

    /// Opens a connection. Returns at once: see `connected(timeout:)`.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints of the broker.
    ///   - limits: The limits of queues and waiting times.
    ///   - outbox: The path of a file that keeps commands until the broker has settled them. If this run ends first, the
    ///     next one sends them. The file is created if it does not exist. `nil`: no outbox.
    ///   - generator: The source of the name of the connection, and of the producer name for its acknowledgements.
    /// - Throws: `ClientError`: `socket` for an invalid endpoint; `outboxInUse`, `noOutbox`, `outboxFailed`;
    ///   `keyFile`, `incompleteKeys`.
    public init(
        _ endpoints: BrokerEndpoints = .standard, limits: ClientLimits = ClientLimits(), outbox: String? = nil,
        using generator: inout some RandomNumberGenerator
    ) throws(ClientError) {
        self.endpoints = endpoints
        self.limits = limits
        let keys = try ClientKeys(endpoints)
        client = ClientToken(ProducerName(using: &generator).description)!
        let producer = ProducerName(using: &generator)
        var keeper: OutboxKeeper?
        if let outbox { keeper = try OutboxKeeper(path: outbox, newName: producer) }
        self.outbox = keeper?.status
        let loop: ConnectionLoop
        do throws(ZeroMQError) {
            mailbox = try Mailbox(limits: limits, producer: producer, contents: keeper?.contents)
            loop = try ConnectionLoop(endpoints, keys, mailbox, keeper)
        } catch {
            throw .socket(error)
        }
        let thread = Thread { loop.run() }
        thread.name = "popup-client"
        thread.start()
    }

    /// Opens a connection with a random name.
    ///
    /// - Throws: The errors of the other initializer.
    public convenience init(
        _ endpoints: BrokerEndpoints = .standard, limits: ClientLimits = ClientLimits(), outbox: String? = nil
    ) throws(ClientError) {
        var generator = SystemRandomNumberGenerator()
        try self.init(endpoints, limits: limits, outbox: outbox, using: &generator)
    }

    deinit {
        mailbox.close()
    }

    /// Waits until both directions work: the broker can receive commands, and its messages arrive.
    ///
    /// - Throws: `ClientError`: `notConnected`, `handshakeFailed` if that takes longer than `timeout`; `CancellationError`.
    public func connected(timeout: Duration) async throws {
        try await mailbox.connected(timeout: timeout)
    }

    /// Whether the broker can receive commands, as far as is known. A broken connection is noticed within seconds.
    public var isConnected: Bool {
        mailbox.state.withLock { $0.isConnected }
    }

    /// Sends a command.
    ///
    /// With `Delivery.confirmed`, it returns when the broker has committed the command, however often it must be sent.
    /// Confirmed commands of a connection are sent in the order of the calls. A lease, a report, a query and a command
    /// with a `producer` of its own are sent as they are, without an acknowledgement.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - delivery: The condition for which it waits.
    ///   - timeout: The longest time that it waits; `nil`: `limits.sendTimeout`.
    /// - Throws: `ClientError`: `refused` for a command that is not valid or that the broker refuses, `tooLarge`,
    ///   `queueFull`, `closed`; `notConnected`, `sendTimedOut`: the command has not been sent;
    ///   `acknowledgementTimedOut`, `closedBeforeAcknowledgement`: the broker may or may not have accepted it, and until
    ///   the connection is closed it is sent again. `CancellationError` if the task is cancelled: then it is not sent
    ///   if it has not been sent yet.
    public func send(
        _ command: PopupCommand, delivery: Delivery = .confirmed, timeout: Duration? = nil
    ) async throws {
        try await send(command.wire, delivery: delivery, timeout: timeout)
    }

    /// Sends a message of the wire, in the same way as `send` of a `PopupCommand`.
    @_spi(Wire)
    public func send(
        _ command: WireCommand, delivery: Delivery = .confirmed, timeout: Duration? = nil
    ) async throws {
        try await mailbox.send(
            Self.encode(command), Self.kind(of: command, delivery), timeout: timeout ?? limits.sendTimeout)
    }

    /// Queues a command without waiting: for many commands, which are sent in few frames. See `flush`.
    ///
    /// A confirmed command is sent again until the broker has settled it or the connection is closed. A best-effort
    /// command is dropped if it cannot be sent within `limits.sendTimeout`.
    ///
    /// - Throws: `ClientError`: `refused`, `tooLarge`, `queueFull`, `closed`.
    public func enqueue(_ command: PopupCommand, delivery: Delivery = .confirmed) throws(ClientError) {
        try enqueue(command.wire, delivery: delivery)
    }

    /// Queues a message of the wire, in the same way as `enqueue` of a `PopupCommand`.
    @_spi(Wire)
    public func enqueue(_ command: WireCommand, delivery: Delivery = .confirmed) throws(ClientError) {
        try mailbox.enqueue(Self.encode(command), Self.kind(of: command, delivery))
    }

    /// Queues commands, and returns when they are safe. With an outbox, that is when they are on disk. Without one, it is
    /// when the broker has settled all confirmed commands so far.
    ///
    /// - Throws: `ClientError`: `outboxFailed`, `outboxFull`, and the errors of `enqueue`; without an outbox also those of
    ///   `flush`. The commands before the failed one are sent, except after `outboxFailed`.
    public func submit(_ commands: some Sequence<PopupCommand>) async throws {
        try await submit(commands.map(\.wire))
    }

    /// Queues messages of the wire, in the same way as `submit` of `PopupCommand`s.
    func submit(_ commands: [WireCommand]) async throws {
        try await mailbox.submit(commands.map { command throws(ClientError) in try Self.encode(command) })
    }

    /// Waits until the broker has settled all confirmed commands so far, and the best-effort ones are sent or dropped.
    ///
    /// - Throws: `ClientError`: `refused`, `partiallyRejected` for refusals of queued commands, reported once, after all
    ///   are settled; `notConnected`, `sendTimedOut`, `acknowledgementTimedOut` if it takes too long: the commands are
    ///   still sent, and you can wait for them again; `closed`, `closedBeforeAcknowledgement`; `CancellationError`.
    public func flush(timeout: Duration? = nil) async throws {
        try await mailbox.flush(timeout: timeout ?? limits.sendTimeout)
    }

    /// Returns a stream of what groups show, now and whenever it changes.
    ///
    /// - Parameter groups: Names and patterns. There is no state for a group that has never shown a popup.
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyStreams`, `closed`.
    public func states(of groups: [String]) throws(ClientError) -> GroupStates {
        let box = try groupStateBox(of: groups)
        return GroupStates(box: box, subscription: try subscribe(box), isDelivered: false)
    }

    /// Returns a stream of states for a renderer, and sends its leases and reports.
    func states(for subject: RendererSubject) throws(ClientError) -> GroupStates {
        let box = try groupStateBox(of: subject.groups)
        return GroupStates(
            box: box, subscription: try subscribe(box, for: subject), isDelivered: subject.isReporting)
    }

    private func groupStateBox(of groups: [String]) throws(ClientError) -> GroupStateBox {
        let stream = mailbox.state.withLock { $0.takeID() }
        let filter = try GroupFilter(groups)
        return GroupStateBox(
            filter: filter, limits: limits, client: client.text, stream: stream,
            silenceCheck: silenceCheck(.watch, filter))
    }

    /// Returns a check for a stream of groups. The broker answers no subscription without its right, so it is asked.
    private func silenceCheck(_ right: ReadingRight, _ filter: GroupFilter) -> SilenceCheck {
        SilenceCheck { [weak self] record in
            guard let self, isConnected else { return false }
            Task { record(await self.identityQuestion.answer(on: self, right, filter)) }
            return true
        }
    }

    func setVisible(_ isVisible: Bool, client: String) {
        mailbox.setVisible(isVisible, client: client)
    }

    /// Returns a stream of the events of groups, from the time when the subscription has reached the broker.
    ///
    /// - Parameter groups: Names and patterns.
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyStreams`, `closed`.
    public func events(of groups: [String]) throws(ClientError) -> Events {
        let filter = try GroupFilter(groups)
        let box = EventBox(
            filter: filter, limit: limits.queuedEvents, checkInterval: limits.syncTimeout,
            silenceCheck: silenceCheck(.events, filter))
        return Events(box: box, subscription: try subscribe(box))
    }

    /// Follows the heartbeat of the broker, as long as the result exists.
    ///
    /// - Throws: `ClientError`: `tooManyStreams`, `closed`.
    public func heartbeat() throws(ClientError) -> BrokerHeartbeat {
        let box = HeartbeatBox()
        return BrokerHeartbeat(box: box, subscription: try subscribe(box))
    }

    /// Closes the connection, and waits until everything that was sent has left the machine, at most `limits.lingerTime`.
    /// Commands that have not been sent fail, and streams end, with `ClientError.closed`. Commands in flight fail with
    /// `closedBeforeAcknowledgement`. Call `flush` first, so that no queued command is lost.
    public func close() async {
        mailbox.close()
        await mailbox.closed()
    }

    private func subscribe(
        _ subscriber: some Subscriber, for subject: RendererSubject? = nil
    ) throws(ClientError) -> Subscription {
        Subscription(id: try mailbox.subscribe(subscriber, for: subject), connection: self, mailbox: mailbox)
    }

    /// Returns the router for the replies to this connection's queries. The first call opens it.
    func replyRouter() throws(ClientError) -> ReplyRouter {
        try replies.withLock { (router) throws(ClientError) in
            if let router { return router }
            let opened = ReplyRouter(client: client.text)
            _ = try mailbox.subscribe(opened)
            router = opened
            return opened
        }
    }

    /// Sends one query under a client name of its own, so that the subscription to its reply is the newest.
    func withOwnReplyRouter<Result>(_ ask: (_ router: ReplyRouter, _ client: String) async throws -> Result)
        async throws
        -> Result
    {
        let number = mailbox.state.withLock { $0.takeID() }
        let client = "\(client)-\(number)"
        let router = ReplyRouter(client: client)
        let subscription = try subscribe(router)
        defer { _ = subscription }
        return try await ask(router, client)
    }

    private static func kind(of command: WireCommand, _ delivery: Delivery) -> SendQueue.Entry.Kind {
        switch command.command {
        case .lease, .report, .query: .bestEffort
        default: delivery == .confirmed && command.producer.isEmpty ? .confirmed : .bestEffort
        }
    }

    private static func encode(_ command: WireCommand) throws(ClientError) -> [UInt8] {
        do {
            // The broker checks the size of the content.
            try CommandValidator(limits: WireLimits(contentBytes: .max)).validate(command)
            return try WireEncoding.binary.encode(command)
        } catch let refusal as CommandRefusal {
            throw .refused(Refusal(refusal))
        } catch {
            throw .refused(Refusal(.malformed, "the command cannot be encoded: \(error)"))
        }
    }
}

/// A subscription. It keeps the connection open.
final class Subscription: Sendable {
    private let id: UInt64
    private let connection: BrokerConnection
    private let mailbox: Mailbox

    init(id: UInt64, connection: BrokerConnection, mailbox: Mailbox) {
        self.id = id
        self.connection = connection
        self.mailbox = mailbox
    }

    /// Records that the application has received this state.
    func deliver(_ groupState: GroupState) {
        mailbox.deliver(groupState, in: id)
    }

    deinit {
        mailbox.unsubscribe(id)
    }
}
