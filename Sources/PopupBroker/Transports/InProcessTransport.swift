import DequeModule
import Dispatch
public import PopupAccess
import PopupProtocol
import Synchronization

/// A transport within the process, for applications that embed a broker, and for tests. It behaves like the sockets:
/// subscriptions are prefixes, and slow subscribers lose messages.
public final class InProcessTransport: Transport, Sendable {
    /// The maximum lengths of queues.
    public struct Queues: Sendable, Hashable {
        /// The number of messages from clients that the broker has not received. With more, sending fails.
        public var received = 10_000
        /// The number of published messages that a client has not received. With more, this client loses the newest.
        public var sent = 10_000
        /// The number of changes of a client's subscriptions that the broker has not received. With more, subscribing
        /// fails.
        public var subscriptions = 10_000

        /// Creates the default limits.
        public init() {}
    }

    private struct Client {
        let mailbox: InProcessClient.Mailbox
        let user: UserName?
        /// The number of changes of its subscriptions that the broker has not received.
        var changes = 0
    }

    private struct State {
        var messages: Deque<(client: Int, user: UserName?, frames: [[UInt8]])> = []
        /// The client whose message was received last.
        var sender: Int?
        var subscriptions: Deque<(client: Int, change: SubscriptionChange, prefix: [UInt8])> = []
        var cuts: [CutConnection] = []
        var clients: [Int: Client] = [:]
        var madeClients = 0

        mutating func report(_ change: SubscriptionChange, _ prefix: [UInt8], of client: Int) {
            guard clients[client] != nil else { return }
            clients[client]?.changes += 1
            subscriptions.append((client, change, prefix))
        }
    }

    private let queues: Queues
    private let wakeSignal = WakeSignal()
    private let state = Mutex(State())

    /// Creates a transport without clients.
    public init(queues: Queues = Queues()) { self.queues = queues }

    /// Returns a new client, which publishes and subscribes. `user` is `nil` for a client without a key.
    public func makeClient(user: UserName? = nil) -> InProcessClient {
        let mailbox = InProcessClient.Mailbox(capacity: queues.sent)
        let id = state.withLock { state in
            state.madeClients += 1
            state.clients[state.madeClients] = Client(mailbox: mailbox, user: user)
            return state.madeClients
        }
        return InProcessClient(id: id, user: user, transport: self, mailbox: mailbox)
    }

    /// The function that ends the current or the next wait.
    public var wake: @Sendable () -> Void {
        let wakeSignal = wakeSignal
        return { wakeSignal.signal() }
    }

    /// Does nothing, since clients are made by `makeClient`.
    public func open() throws -> BrokerEndpoints {
        BrokerEndpoints(ingress: "in-process", egress: "in-process")
    }

    /// Waits for a message, a subscription or a wake-up.
    public func wait(milliseconds: Int?) throws {
        wakeSignal.wait(until: milliseconds.map { .now() + .milliseconds($0) } ?? .distantFuture)
    }

    /// Receives the next command: the only frame of a message, or the second of two.
    public func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception {
        let message = state.withLock { state in
            let message = state.messages.popFirst()
            if let message { state.sender = message.client }
            return message
        }
        guard let message, let frame = message.frames.last else { return .nothing }
        guard message.frames.count <= 2 else { return .tooManyFrames(user: message.user) }
        take(message.user, frame.span.bytes)
        return .frame
    }

    /// The client whose message was received last.
    public var senderOfLastFrame: ConnectionID? { state.withLock { $0.sender }.map { ConnectionID(UInt64($0)) } }

    /// Receives the next subscription, withdrawal or end of a client. Messages are delivered for a subscription from
    /// then on.
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

    /// Disconnects a client: it receives nothing any more.
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

    /// Returns the clients that were disconnected since the last call.
    public func takeCutConnections() -> [CutConnection] {
        state.withLock { state in
            defer { state.cuts.removeAll() }
            return state.cuts
        }
    }

    /// Delivers a message to the clients that subscribe to its topic.
    public func publish(topic: RawSpan, body: RawSpan) throws {
        let topic = topic.withUnsafeBytes { Array($0) }
        let body = body.withUnsafeBytes { Array($0) }
        for client in state.withLock({ Array($0.clients.values) }) { client.mailbox.offer(topic, body, of: topic) }
    }

    /// Delivers a message of one frame to the clients that subscribe to its topic, as topic and body.
    public func publish(frame: RawSpan) throws {
        let frame = frame.withUnsafeBytes { Array($0) }
        guard let (topic, body) = StateFrame.split(frame) else { return }
        for client in state.withLock({ Array($0.clients.values) }) {
            client.mailbox.offer(Array(topic), Array(body), of: frame)
        }
    }

    /// Does nothing.
    public func close() {}

    func send(_ frames: [[UInt8]], by client: Int, from user: UserName?) -> Bool {
        let isTaken = state.withLock { state in
            guard state.messages.count < queues.received else { return false }
            state.messages.append((client, user, frames))
            return true
        }
        wakeSignal.signal()
        return isTaken
    }

    /// Reports a subscription to the broker. Returns whether the queue had space for it.
    func reportSubscription(of prefix: [UInt8], by client: Int) -> Bool {
        let isReported = state.withLock { state in
            guard let changes = state.clients[client]?.changes, changes < queues.subscriptions else { return false }
            state.report(.subscribed, prefix, of: client)
            return true
        }
        wakeSignal.signal()
        return isReported
    }

    /// Reports a withdrawal to the broker. There is always space, since only reported subscriptions are withdrawn.
    func reportWithdrawal(of prefix: [UInt8], by client: Int) {
        state.withLock { $0.report(.withdrawn, prefix, of: client) }
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
