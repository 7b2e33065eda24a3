import PopupAccess
import PopupBroker
import PopupProtocol

/// The broker's end of the network. A subscription is in force when the broker has taken it, as with XPUB.
final class SimulatedTransport: Transport {
    private let fuse: Fuse
    private let send: (_ client: String, Message) -> Void
    private let onPublish: (Message) -> Void
    private let onSend: (Message, [ConnectionID]) -> Void
    private let onChange: (ConnectionID, SubscriptionChange, _ prefix: [UInt8]) -> Void
    private let onTake: ([UInt8]) -> Void
    private let maySend: () -> Bool
    /// What was published and may not be sent yet.
    private var kept: [Message] = []
    private var messages: [(user: UserName?, frames: [[UInt8]])] = []
    private var told: [(connection: ConnectionID, user: UserName?, change: SubscriptionChange, prefix: [UInt8])] = []
    private var madeConnections: UInt64 = 0
    // In the order of their coming: never that of a hash table.
    private var subscribers: [(client: String, user: UserName?, connection: ConnectionID, prefixes: [[UInt8]])] = []

    struct Message: Hashable {
        var topic: [UInt8]
        var body: [UInt8]
    }

    /// - Parameters:
    ///   - send: Gives a message to a subscriber's queue.
    ///   - onPublish: Sees every message that leaves, before anybody gets it.
    ///   - onSend: Sees every message that leaves, with the subscribers to which it is given.
    ///   - onChange: Sees every change of subscriptions that the broker takes, and ends of connections at once.
    ///   - onTake: Sees every frame that the broker takes.
    ///   - maySend: Whether messages may leave, asked before they do. Those that may not are kept until they may.
    init(
        fuse: Fuse, send: @escaping (_ client: String, Message) -> Void = { _, _ in },
        onPublish: @escaping (Message) -> Void = { _ in },
        onSend: @escaping (Message, [ConnectionID]) -> Void = { _, _ in },
        onChange: @escaping (ConnectionID, SubscriptionChange, _ prefix: [UInt8]) -> Void = { _, _, _ in },
        onTake: @escaping ([UInt8]) -> Void = { _ in }, maySend: @escaping () -> Bool = { true }
    ) {
        self.fuse = fuse
        self.send = send
        self.onPublish = onPublish
        self.onSend = onSend
        self.onChange = onChange
        self.onTake = onTake
        self.maySend = maySend
    }

    /// Whether the broker has something to take.
    var isPending: Bool { !messages.isEmpty || !told.isEmpty }

    /// A message of a user comes in; `nil`: of a client without a key.
    func arrive(_ frames: [[UInt8]], of user: UserName? = nil) { messages.append((user, frames)) }

    @discardableResult
    func connect(_ client: String, of user: UserName? = nil, prefixes: [String]) -> ConnectionID {
        madeConnections += 1
        let connection = ConnectionID(madeConnections)
        subscribers.append((client, user, connection, []))
        // As libzmq does on reconnection.
        for prefix in prefixes.sorted() { told.append((connection, user, .subscribed, Array(prefix.utf8))) }
        // A stranger withdraws what is not its own; nobody else may notice.
        madeConnections += 1
        let stranger = ConnectionID(madeConnections)
        for prefix in prefixes.sorted() + [""] { told.append((stranger, nil, .withdrawn, Array(prefix.utf8))) }
        return connection
    }

    /// A connected client subscribes to a topic, or does so no more.
    func tell(_ client: String, _ topic: String, isSubscription: Bool) {
        guard let subscriber = subscribers.first(where: { $0.client == client }) else { return }
        let change = isSubscription ? SubscriptionChange.subscribed : .withdrawn
        told.append((subscriber.connection, subscriber.user, change, Array(topic.utf8)))
    }

    func disconnect(_ client: String) {
        for subscriber in subscribers where subscriber.client == client {
            disconnect(subscriber.connection, because: "")
        }
    }

    func disconnect(_ connection: ConnectionID, because reason: String) {
        guard let index = subscribers.firstIndex(where: { $0.connection == connection }) else { return }
        subscribers.remove(at: index)
        told.removeAll { $0.connection == connection }
        told.append((connection, nil, .ended, []))
        onChange(connection, .ended, [])
    }

    func takeCutConnections() -> [CutConnection] { [] }

    // MARK: - Transport

    var wake: @Sendable () -> Void { {} }

    func open() throws -> BrokerEndpoints { BrokerEndpoints(ingress: "simulated", egress: "simulated") }

    func wait(milliseconds: Int?) throws { try flush() }

    func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception {
        guard !messages.isEmpty else { return .nothing }
        try fuse.pass(.receive)
        let (user, message) = messages.removeFirst()
        guard message.count <= 2, let frame = message.last else { return .tooManyFrames(user: user) }
        onTake(frame)
        take(user, frame.span.bytes)
        return .frame
    }

    func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool {
        guard !told.isEmpty else { return false }
        let next = told.removeFirst()
        let takesEffect = take(next.connection, next.user, next.change, next.prefix.span.bytes)
        if let index = subscribers.firstIndex(where: { $0.connection == next.connection }) {
            switch next.change {
            case .subscribed where takesEffect: subscribers[index].prefixes.append(next.prefix)
            case .withdrawn: subscribers[index].prefixes.removeAll { $0 == next.prefix }
            case .subscribed, .ended: break
            }
            onChange(next.connection, next.change, next.prefix)
        }
        return true
    }

    func publish(topic: RawSpan, body: RawSpan) throws {
        try publish(Message(topic: topic.withUnsafeBytes { Array($0) }, body: body.withUnsafeBytes { Array($0) }))
    }

    func publish(frame: RawSpan) throws {
        guard let (topic, body) = StateFrame.split(frame.withUnsafeBytes { Array($0) }) else { return }
        try publish(Message(topic: Array(topic), body: Array(body)))
    }

    private func publish(_ message: Message) throws {
        kept.append(message)
        try flush()
    }

    func flush() throws {
        while !kept.isEmpty, maySend() { try send(kept.removeFirst()) }
    }

    private func send(_ message: Message) throws {
        try fuse.pass(.publish)
        onPublish(message)
        let receivers = subscribers.filter { $0.prefixes.contains(where: message.topic.starts) }
        onSend(message, receivers.map(\.connection))
        for receiver in receivers { send(receiver.client, message) }
    }

    func close() {}
}
