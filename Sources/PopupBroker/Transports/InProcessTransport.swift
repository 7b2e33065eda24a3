import DequeModule
import Dispatch
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
        /// Changes of its subscriptions that the broker has not taken.
        var changes = 0
    }

    private struct State {
        var messages: Deque<[[UInt8]]> = []
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

    /// Returns a new client: a publisher and a subscriber in one.
    public func makeClient() -> InProcessClient {
        let mailbox = InProcessClient.Mailbox(capacity: queues.sent)
        let id = state.withLock { state in
            state.madeClients += 1
            state.clients[state.madeClients] = Client(mailbox: mailbox)
            return state.madeClients
        }
        return InProcessClient(id: id, transport: self, mailbox: mailbox)
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
    public func receive(_ take: (RawSpan) -> Void) throws -> Reception {
        let message = state.withLock { $0.messages.popFirst() }
        guard let message, let frame = message.last else { return .nothing }
        guard message.count <= 2 else { return .tooManyFrames }
        take(frame.span.bytes)
        return .frame
    }

    /// Takes the next subscription, withdrawal or end of a client.
    public func receiveSubscription(
        _ take: (_ connection: ConnectionID, _ change: SubscriptionChange, _ prefix: RawSpan) -> Void
    ) throws -> Bool {
        let next = state.withLock { state in
            let next = state.subscriptions.popFirst()
            if let next { state.clients[next.client]?.changes -= 1 }
            return next
        }
        guard let next else { return false }
        take(ConnectionID(UInt64(next.client)), next.change, next.prefix.span.bytes)
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

    func send(_ message: [[UInt8]]) -> Bool {
        let isTaken = state.withLock { state in
            guard state.messages.count < queues.received else { return false }
            state.messages.append(message)
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
