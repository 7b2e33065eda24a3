import Synchronization
public import ZeroMQ

/// A transport within the process: for applications that embed a broker, and for tests. It behaves as the sockets do:
/// subscriptions are prefixes, and who is behind loses messages.
public final class InProcessTransport: Transport, Sendable {
    /// How many messages are kept at most.
    public struct Queues: Sendable, Hashable {
        /// Sent by clients and not yet taken by the broker: beyond it a client's send is refused.
        public var received = 10_000
        /// Published and not yet taken by a client: beyond it that client loses the newest.
        public var sent = 10_000

        /// The defaults.
        public init() {}
    }

    private struct State {
        var messages: [[[UInt8]]] = []
        var subscriptions: [(client: Int, change: SubscriptionChange, prefix: [UInt8])] = []
        var cuts: [CutConnection] = []
        var clients: [Int: InProcessClient.Mailbox] = [:]
        var madeClients = 0
    }

    private let queues: Queues
    private let wakeup: Wakeup
    private let state = Mutex(State())

    /// A transport without clients.
    ///
    /// - Throws: `ZeroMQError` when the process has no file descriptors left.
    public init(queues: Queues = Queues()) throws(ZeroMQError) {
        self.queues = queues
        wakeup = try Wakeup()
    }

    /// A new client: a publisher and a subscriber in one.
    ///
    /// - Throws: `ZeroMQError` when the process has no file descriptors left.
    public func makeClient() throws(ZeroMQError) -> InProcessClient {
        let mailbox = InProcessClient.Mailbox(capacity: queues.sent, bell: try Wakeup())
        let id = state.withLock { state in
            state.madeClients += 1
            state.clients[state.madeClients] = mailbox
            return state.madeClients
        }
        return InProcessClient(id: id, transport: self, mailbox: mailbox)
    }

    /// Ends the present or the next wait.
    public var wake: @Sendable () -> Void {
        let wakeup = wakeup
        return { wakeup.signal() }
    }

    /// Nothing to bind: clients come by `makeClient`.
    public func open() throws -> BrokerEndpoints {
        BrokerEndpoints(ingress: "in-process", egress: "in-process")
    }

    /// Waits for a message, a subscription or a wake-up.
    public func wait(milliseconds: Int?) throws {
        var poller = Poller()
        _ = poller.add(wakeup)
        _ = try poller.wait(timeoutMilliseconds: milliseconds)
        wakeup.drain()
    }

    /// Takes the next command: a message's only frame, or the second of two.
    public func receive(_ take: (RawSpan) -> Void) throws -> Reception {
        let message = state.withLock { $0.messages.isEmpty ? nil : $0.messages.removeFirst() }
        guard let message, let frame = message.last else { return .nothing }
        guard message.count <= 2 else { return .tooManyFrames }
        take(frame.span.bytes)
        return .frame
    }

    /// Takes the next subscription, withdrawal or end of a client.
    public func receiveSubscription(
        _ take: (_ connection: ConnectionID, _ change: SubscriptionChange, _ prefix: RawSpan) -> Void
    ) throws -> Bool {
        let next = state.withLock { $0.subscriptions.isEmpty ? nil : $0.subscriptions.removeFirst() }
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
        wakeup.signal()
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
        for client in state.withLock({ Array($0.clients.values) }) { client.offer(topic, body) }
    }

    /// Nothing to unbind.
    public func close() {}

    func send(_ message: [[UInt8]]) -> Bool {
        let isTaken = state.withLock { state in
            guard state.messages.count < queues.received else { return false }
            state.messages.append(message)
            return true
        }
        wakeup.signal()
        return isTaken
    }

    func tell(_ change: SubscriptionChange, _ prefix: [UInt8], of client: Int) {
        state.withLock { state in
            if state.clients[client] != nil { state.subscriptions.append((client, change, prefix)) }
        }
        wakeup.signal()
    }

    func remove(client id: Int) {
        state.withLock { state in
            guard state.clients.removeValue(forKey: id) != nil else { return }
            state.subscriptions.append((id, .ended, []))
        }
        wakeup.signal()
    }
}
