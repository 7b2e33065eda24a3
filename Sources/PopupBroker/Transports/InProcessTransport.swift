import DequeModule
import Dispatch
public import PopupAccess
import Synchronization

/// A transport within the process: for applications that embed a broker, and for tests. It behaves as the sockets do:
/// subscriptions are prefixes, and who is behind loses messages.
public final class InProcessTransport: Transport, Sendable {
    /// How many messages are kept at most.
    public struct Queues: Sendable, Hashable {
        /// Sent by clients and not yet taken by the broker: beyond it a client's send is refused.
        public var received = 10_000
        /// Published and not yet taken by a client: beyond it that client loses the newest.
        public var sent = 10_000
        /// Changes of a client's subscriptions not yet taken by the broker: beyond it a further subscription is refused.
        public var subscriptions = 10_000

        /// The defaults.
        public init() {}
    }

    private struct Client {
        let mailbox: InProcessClient.Mailbox
        let user: UserName?
        /// Changes of its subscriptions that the broker has not taken.
        var changes = 0
    }

    private struct State {
        var messages: Deque<(user: UserName?, frames: [[UInt8]])> = []
        var subscriptions: Deque<(client: Int, change: SubscriptionChange, prefix: [UInt8])> = []
        var cuts: [CutConnection] = []
        var clients: [Int: Client] = [:]
        var madeClients = 0

        mutating func tell(_ change: SubscriptionChange, _ prefix: [UInt8], of client: Int) {
            guard clients[client] != nil else { return }
            clients[client]?.changes += 1
            subscriptions.append((client, change, prefix))
        }
    }

    private let queues: Queues
    private let wakeSignal = WakeSignal()
    private let state = Mutex(State())

    /// A transport without clients.
    public init(queues: Queues = Queues()) { self.queues = queues }

    /// Returns a new client of this user, `nil` for one without a key: a publisher and a subscriber in one.
    public func makeClient(user: UserName? = nil) -> InProcessClient {
        let mailbox = InProcessClient.Mailbox(capacity: queues.sent)
        let id = state.withLock { state in
            state.madeClients += 1
            state.clients[state.madeClients] = Client(mailbox: mailbox, user: user)
            return state.madeClients
        }
        return InProcessClient(id: id, user: user, transport: self, mailbox: mailbox)
    }

    /// Ends the present or the next wait.
    public var wake: @Sendable () -> Void {
        let wakeSignal = wakeSignal
        return { wakeSignal.signal() }
    }

    /// Nothing to bind: clients come by `makeClient`.
    public func open() throws -> BrokerEndpoints {
        BrokerEndpoints(ingress: "in-process", egress: "in-process")
    }

    /// Waits for a message, a subscription or a wake-up.
    public func wait(milliseconds: Int?) throws {
        wakeSignal.wait(until: milliseconds.map { .now() + .milliseconds($0) } ?? .distantFuture)
    }

    /// Takes the next command: a message's only frame, or the second of two.
    public func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception {
        let message = state.withLock { $0.messages.popFirst() }
        guard let message, let frame = message.frames.last else { return .nothing }
        guard message.frames.count <= 2 else { return .tooManyFrames }
        take(message.user, frame.span.bytes)
        return .frame
    }

    /// Takes the next subscription, withdrawal or end of a client. A subscription delivers from then on.
    public func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool {
        let (next, client) = state.withLock { state in
            let next = state.subscriptions.popFirst()
            if let next { state.clients[next.client]?.changes -= 1 }
            return (next, next.flatMap { state.clients[$0.client] })
        }
        guard let next else { return false }
        let id = ConnectionID(UInt64(next.client))
        let isSubscription = next.change == .subscribed
        let takesEffect = take(id, isSubscription ? client?.user : nil, next.change, next.prefix.span.bytes)
        if isSubscription { client?.mailbox.decide(next.prefix, isEffective: takesEffect) }
        return true
    }

    /// Cuts off a client: it receives nothing any more.
    public func disconnect(_ connection: ConnectionID, because reason: String) {
        let id = Int(connection.number)
        state.withLock { state in
            guard state.clients.removeValue(forKey: id) != nil else { return }
            state.subscriptions.removeAll { $0.client == id }
            state.subscriptions.append((id, .ended, []))
            state.cuts.append(CutConnection(socket: "in-process", peer: "client \(id)", reason: reason))
        }
        wakeSignal.signal()
    }

    /// Takes the clients that were cut off since the last call.
    public func takeCutConnections() -> [CutConnection] {
        state.withLock { state in
            defer { state.cuts.removeAll() }
            return state.cuts
        }
    }

    /// Gives the message to the clients whom it interests.
    public func publish(topic: RawSpan, body: RawSpan) throws {
        let topic = topic.withUnsafeBytes { Array($0) }
        let body = body.withUnsafeBytes { Array($0) }
        for client in state.withLock({ Array($0.clients.values) }) { client.mailbox.offer(topic, body) }
    }

    /// Nothing to unbind.
    public func close() {}

    func send(_ frames: [[UInt8]], from user: UserName?) -> Bool {
        let isTaken = state.withLock { state in
            guard state.messages.count < queues.received else { return false }
            state.messages.append((user, frames))
            return true
        }
        wakeSignal.signal()
        return isTaken
    }

    /// Tells the broker of a subscription. Returns whether there was room for it.
    func tellSubscribed(_ prefix: [UInt8], by client: Int) -> Bool {
        let isTold = state.withLock { state in
            guard let changes = state.clients[client]?.changes, changes < queues.subscriptions else { return false }
            state.tell(.subscribed, prefix, of: client)
            return true
        }
        wakeSignal.signal()
        return isTold
    }

    /// Tells the broker of a withdrawal. There is always room: a client withdraws only what was told.
    func tellWithdrawn(_ prefix: [UInt8], by client: Int) {
        state.withLock { $0.tell(.withdrawn, prefix, of: client) }
        wakeSignal.signal()
    }

    func remove(client id: Int) {
        state.withLock { state in
            guard state.clients.removeValue(forKey: id) != nil else { return }
            state.subscriptions.append((id, .ended, []))
        }
        wakeSignal.signal()
    }
}
