import PopupBroker

/// The broker's end of the network. A subscription is in force when the broker has taken it, as with XPUB.
final class SimulatedTransport: Transport {
    private let fuse: Fuse
    private let send: (_ client: String, Message) -> Void
    private let onPublish: (Message) -> Void
    private let onTake: ([UInt8]) -> Void
    private var messages: [[[UInt8]]] = []
    private var told: [(client: String, prefix: [UInt8], isSubscription: Bool)] = []
    // In the order of their coming: never that of a hash table.
    private var subscribers: [(client: String, prefixes: [[UInt8]])] = []

    struct Message: Equatable {
        var topic: [UInt8]
        var body: [UInt8]
    }

    /// - Parameters:
    ///   - send: gives a message to a subscriber's queue.
    ///   - onPublish: sees every message that leaves, before anybody gets it.
    ///   - onTake: sees every frame that the broker takes.
    init(
        fuse: Fuse, send: @escaping (_ client: String, Message) -> Void = { _, _ in },
        onPublish: @escaping (Message) -> Void = { _ in }, onTake: @escaping ([UInt8]) -> Void = { _ in }
    ) {
        self.fuse = fuse
        self.send = send
        self.onPublish = onPublish
        self.onTake = onTake
    }

    /// Whether the broker has something to take.
    var isPending: Bool { !messages.isEmpty || !told.isEmpty }

    func arrive(_ frames: [[UInt8]]) { messages.append(frames) }

    func connect(_ client: String, prefixes: [String]) {
        subscribers.append((client, []))
        // As libzmq does on reconnection.
        for prefix in prefixes.sorted() { told.append((client, Array(prefix.utf8), true)) }
    }

    /// A connected client subscribes to a topic, or does so no more.
    func tell(_ client: String, _ topic: String, isSubscription: Bool) {
        guard subscribers.contains(where: { $0.client == client }) else { return }
        told.append((client, Array(topic.utf8), isSubscription))
    }

    func disconnect(_ client: String) {
        told.removeAll { $0.client == client }
        for index in subscribers.indices.reversed() where subscribers[index].client == client {
            told += subscribers.remove(at: index).prefixes.map { (client, $0, false) }
        }
    }

    // MARK: - Transport

    var wake: @Sendable () -> Void { {} }

    func open() throws -> BrokerEndpoints { BrokerEndpoints(ingress: "simulated", egress: "simulated") }

    func wait(milliseconds: Int?) throws {}

    func receive(_ take: (RawSpan) -> Void) throws -> Reception {
        guard !messages.isEmpty else { return .nothing }
        try fuse.pass(.receive)
        let message = messages.removeFirst()
        guard message.count <= 2, let frame = message.last else { return .tooManyFrames }
        onTake(frame)
        take(frame.span.bytes)
        return .frame
    }

    func receiveSubscription(_ take: (_ prefix: RawSpan, _ isSubscription: Bool) -> Void) throws -> Bool {
        guard !told.isEmpty else { return false }
        let next = told.removeFirst()
        if let index = subscribers.firstIndex(where: { $0.client == next.client }) {
            if next.isSubscription {
                subscribers[index].prefixes.append(next.prefix)
            } else if let place = subscribers[index].prefixes.firstIndex(of: next.prefix) {
                subscribers[index].prefixes.remove(at: place)
            }
        }
        take(next.prefix.span.bytes, next.isSubscription)
        return true
    }

    func publish(topic: RawSpan, body: RawSpan) throws {
        try fuse.pass(.publish)
        let message = Message(topic: topic.withUnsafeBytes { Array($0) }, body: body.withUnsafeBytes { Array($0) })
        onPublish(message)
        for subscriber in subscribers where subscriber.prefixes.contains(where: message.topic.starts) {
            send(subscriber.client, message)
        }
    }

    func close() {}
}
