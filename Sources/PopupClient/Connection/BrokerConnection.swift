import Foundation
public import PopupProtocol
import Synchronization
import ZeroMQ

/// A connection to a broker, shared by the producers, renderers and consoles of an application.
///
/// A thread of its own holds the sockets; it connects, and connects again, by itself. Dropping the connection and its
/// streams closes it; `close` waits for the end.
public final class BrokerConnection: Sendable {
    /// Where the broker is.
    public let endpoints: BrokerEndpoints
    /// What it holds and how long it waits.
    public let limits: ClientLimits
    /// Names this connection to the broker: unlike any other's.
    public let client: ClientToken
    /// What was found in the outbox file; nil: there is none.
    public let outbox: OutboxStatus?
    private let mailbox: Mailbox
    private let replies = Mutex<ReplyRouter?>(nil)

    /// Opens a connection. It returns at once: see `connected(timeout:)`.
    ///
    /// - Parameters:
    ///   - endpoints: where the broker is.
    ///   - limits: what it may hold and how long it waits.
    ///   - outbox: the path of a file in which commands are kept until the broker has settled them, so that they are
    ///     sent
    ///     by the next run when this one ends early. It is made when it is not there. Nil: there is none.
    ///   - generator: draws the connection's name, and the one that its commands are acknowledged to.
    /// - Throws: `ClientError`: `socket` for an endpoint that is none; `outboxInUse`, `noOutbox`, `outboxFailed`.
    public init(
        _ endpoints: BrokerEndpoints = .standard, limits: ClientLimits = ClientLimits(), outbox: String? = nil,
        using generator: inout some RandomNumberGenerator
    ) throws(ClientError) {
        self.endpoints = endpoints
        self.limits = limits
        client = ClientToken(ProducerName(using: &generator).description)!
        let producer = ProducerName(using: &generator)
        var keeper: OutboxKeeper?
        if let outbox { keeper = try OutboxKeeper(path: outbox, newName: producer) }
        self.outbox = keeper?.status
        let loop: ConnectionLoop
        do throws(ZeroMQError) {
            mailbox = try Mailbox(limits: limits, producer: producer, contents: keeper?.contents)
            loop = try ConnectionLoop(endpoints, mailbox, keeper)
        } catch {
            throw .socket(error)
        }
        let thread = Thread { loop.run() }
        thread.name = "popup-client"
        thread.start()
    }

    /// Opens a connection with a name from the system's generator.
    ///
    /// - Throws: as the other one.
    public convenience init(
        _ endpoints: BrokerEndpoints = .standard, limits: ClientLimits = ClientLimits(), outbox: String? = nil
    ) throws(ClientError) {
        var generator = SystemRandomNumberGenerator()
        try self.init(endpoints, limits: limits, outbox: outbox, using: &generator)
    }

    deinit {
        mailbox.close()
    }

    /// Waits until the broker can be heard and takes commands.
    ///
    /// - Throws: `ClientError.notConnected` when it does not come about in time, `CancellationError`.
    public func connected(timeout: Duration) async throws {
        try await mailbox.connected(timeout: timeout)
    }

    /// The broker takes commands now, as far as is known: a broken connection shows in seconds.
    public var isConnected: Bool {
        mailbox.state.withLock { $0.isConnected }
    }

    /// Sends a command.
    ///
    /// Confirmed, it returns when the broker has committed it, however often it had to be sent; confirmed commands of a
    /// connection are sent in the order in which they were given. A lease, a report, a question and a command that
    /// names a `producer` of its own are sent as they are, without an acknowledgement.
    ///
    /// - Parameters:
    ///   - delivery: what it waits for.
    ///   - timeout: how long it waits for the broker; nil: `limits.sendTimeout`.
    /// - Throws: `ClientError`: `refused` for a command that breaks the protocol or that the broker refused,
    ///   `tooLarge`, `queueFull`, `closed`; `notConnected`, `sendTimedOut`: it has not been sent;
    ///   `acknowledgementTimedOut`, `closedBeforeAcknowledgement`: it is not known whether the broker has taken it, and
    ///   until the connection is closed it is sent on. `CancellationError` when the task was cancelled: what had not
    ///   been sent then is not sent any more.
    public func send(
        _ command: WireCommand, delivery: Delivery = .confirmed, timeout: Duration? = nil
    ) async throws {
        try await mailbox.send(
            Self.encode(command), Self.kind(of: command, delivery), timeout: timeout ?? limits.sendTimeout)
    }

    /// Leaves a command to be sent, without waiting: for many in a row, which go in few frames. See `flush`.
    ///
    /// Confirmed, it is sent on until the broker has settled it or the connection is closed; another is given up when
    /// it could not be sent within `limits.sendTimeout`.
    ///
    /// - Throws: `ClientError`: `refused`, `tooLarge`, `queueFull`, `closed`.
    public func enqueue(_ command: WireCommand, delivery: Delivery = .confirmed) throws(ClientError) {
        try mailbox.enqueue(Self.encode(command), Self.kind(of: command, delivery))
    }

    /// Leaves commands to be sent and returns when they are safe: with an outbox file when they are on disk, whatever
    /// becomes of this process then; without one when the broker has settled all confirmed commands given so far.
    ///
    /// - Throws: `ClientError`: `outboxFailed`, `outboxFull`, and as `enqueue`; without an outbox file as `flush`, too.
    ///   Those before the one that failed are sent, but for `outboxFailed`.
    public func submit(_ commands: some Sequence<WireCommand>) async throws {
        try await mailbox.submit(commands.map { command throws(ClientError) in try Self.encode(command) })
    }

    /// Waits until the broker has settled all confirmed commands given so far, and the others are under way or have
    /// been given up.
    ///
    /// - Throws: `ClientError`: `refused`, `partiallyRejected` for what the broker refused of the commands that were
    ///   left to be sent, told once and after all are settled; `notConnected`, `sendTimedOut`,
    ///   `acknowledgementTimedOut` when it takes too long: they are sent on, and can be waited for again; `closed`,
    ///   `closedBeforeAcknowledgement`; `CancellationError`.
    public func flush(timeout: Duration? = nil) async throws {
        try await mailbox.flush(timeout: timeout ?? limits.sendTimeout)
    }

    /// What groups show now, and as it changes.
    ///
    /// - Parameter groups: names and patterns. A group that has never shown anything has no screen.
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyStreams`, `closed`.
    public func states(of groups: [String]) throws(ClientError) -> GroupStates {
        let box = try groupStateBox(of: groups)
        return GroupStates(box: box, subscription: try subscribe(box), isDelivered: false)
    }

    /// The same for a renderer, for which leases and reports are sent.
    func states(for subject: RendererSubject) throws(ClientError) -> GroupStates {
        let box = try groupStateBox(of: subject.groups)
        return GroupStates(
            box: box, subscription: try subscribe(box, for: subject), isDelivered: subject.isReporting)
    }

    private func groupStateBox(of groups: [String]) throws(ClientError) -> GroupStateBox {
        let stream = mailbox.state.withLock { $0.takeID() }
        return GroupStateBox(filter: try GroupFilter(groups), limits: limits, client: client.text, stream: stream)
    }

    func setVisible(_ isVisible: Bool, client: String) {
        mailbox.setVisible(isVisible, client: client)
    }

    /// What happens to the popups of groups, from when the subscription has reached the broker.
    ///
    /// - Parameter groups: names and patterns.
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyStreams`, `closed`.
    public func events(of groups: [String]) throws(ClientError) -> Events {
        let box = EventBox(filter: try GroupFilter(groups), limit: limits.queuedEvents)
        return Events(box: box, subscription: try subscribe(box))
    }

    /// Closes the connection and waits until what was sent has left the machine, `limits.lingerTime` at most. Commands
    /// that are not under way yet fail, and streams end, with `ClientError.closed`; those under way that the broker has
    /// not acknowledged, with `closedBeforeAcknowledgement`. To lose nothing that was left to be sent, `flush` first.
    public func close() async {
        mailbox.close()
        await mailbox.closed()
    }

    private func subscribe(
        _ subscriber: some Subscriber, for subject: RendererSubject? = nil
    ) throws(ClientError) -> Subscription {
        Subscription(id: try mailbox.subscribe(subscriber, for: subject), connection: self, mailbox: mailbox)
    }

    /// Where the replies to this connection's questions come in: opened with the first of them.
    func replyRouter() throws(ClientError) -> ReplyRouter {
        try replies.withLock { (router) throws(ClientError) in
            if let router { return router }
            let opened = ReplyRouter(client: client.text)
            _ = try mailbox.subscribe(opened)
            router = opened
            return opened
        }
    }

    /// Asks one question under a client's name that it alone uses, so that the subscription to its reply is the newest.
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
            // How much content a broker takes is its own to say.
            try CommandValidator(limits: WireLimits(contentBytes: .max)).validate(command)
            return try WireEncoding.binary.encode(command)
        } catch let refusal as CommandRefusal {
            throw .refused(refusal)
        } catch {
            throw .refused(CommandRefusal(.malformed, "the command cannot be encoded: \(error)"))
        }
    }
}

/// Holds a subscription, and the connection, open.
final class Subscription: Sendable {
    private let id: UInt64
    private let connection: BrokerConnection
    private let mailbox: Mailbox

    init(id: UInt64, connection: BrokerConnection, mailbox: Mailbox) {
        self.id = id
        self.connection = connection
        self.mailbox = mailbox
    }

    /// The application has this screen now.
    func deliver(_ screen: GroupState) {
        mailbox.deliver(screen, in: id)
    }

    deinit {
        mailbox.unsubscribe(id)
    }
}
