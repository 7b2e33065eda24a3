import PopupAccess
import PopupBroker
import Testing

@Suite("Within the process")
struct InProcessTransportTests {
    private func published(_ client: InProcessClient) -> [String] {
        var topics: [String] = []
        while let message = client.receive() { topics.append(message.topic) }
        return topics
    }

    private func publish(_ topic: String, on transport: InProcessTransport) throws {
        try transport.publish(topic: Array(topic.utf8).span.bytes, body: [1, 2].span.bytes)
    }

    private func takeSubscriptions(of transport: InProcessTransport) throws {
        while try transport.receiveSubscription({ _, _, _, _ in true }) {}
    }

    @Test("messages go to those whose subscription is a prefix of the topic")
    func prefixes() throws {
        let transport = InProcessTransport()
        let (one, two) = (transport.makeClient(), transport.makeClient())
        one.subscribe(to: "state/")
        two.subscribe(to: "state/lobby/")
        try takeSubscriptions(of: transport)
        for topic in ["state/lobby/", "state/lobby2/", "events/lobby/"] { try publish(topic, on: transport) }
        #expect(published(one) == ["state/lobby/", "state/lobby2/"])
        #expect(published(two) == ["state/lobby/"])
        two.unsubscribe(from: "state/lobby/")
        try publish("state/lobby/", on: transport)
        #expect(published(two) == [])
    }

    @Test("who is behind loses the newest messages, and holds nobody up")
    func capacity() throws {
        var queues = InProcessTransport.Queues()
        queues.sent = 2
        queues.received = 1
        let transport = InProcessTransport(queues: queues)
        let client = transport.makeClient()
        client.subscribe(to: "")
        try takeSubscriptions(of: transport)
        for topic in ["a", "b", "c"] { try publish(topic, on: transport) }
        #expect(published(client) == ["a", "b"])
        #expect(client.send([1]))
        #expect(!client.send([2]))
    }

    @Test("a client's first subscription and last withdrawal of a prefix are told, and its end")
    func changes() throws {
        let transport = InProcessTransport()
        var seen: [String] = []
        do {
            let client = transport.makeClient()
            for prefix in ["a", "b", "b"] { client.subscribe(to: prefix) }
            for prefix in ["a", "b", "never"] { client.unsubscribe(from: prefix) }
        }
        while try transport.receiveSubscription({ connection, user, change, prefix in
            #expect(connection == ConnectionID(1))
            #expect(user == nil)
            seen.append("\(change) " + String(decoding: prefix.withUnsafeBytes { Array($0) }, as: UTF8.self))
            return true
        }) {}
        #expect(seen == ["subscribed a", "subscribed b", "withdrawn a", "ended "])
    }

    @Test("a subscription that is denied delivers nothing, and one that is not delivers from when it is taken")
    func denied() throws {
        let transport = InProcessTransport()
        let client = transport.makeClient(user: UserName("clerk"))
        for prefix in ["state/lobby/", "events/"] { client.subscribe(to: prefix) }
        try publish("state/lobby/", on: transport)
        #expect(published(client) == [])
        while try transport.receiveSubscription({ _, user, _, prefix in
            #expect(user == UserName("clerk"))
            return prefix.withUnsafeBytes { $0.starts(with: "state/lobby/".utf8) }
        }) {}
        for topic in ["state/lobby/", "events/lobby/"] { try publish(topic, on: transport) }
        #expect(published(client) == ["state/lobby/"])
    }

    @Test("each frame comes with the user of its client")
    func users() throws {
        let transport = InProcessTransport()
        transport.makeClient(user: UserName("clerk")).send([1])
        transport.makeClient().send(frames: [[], [2]])
        var seen: [(UserName?, UInt8)] = []
        func take(_ user: UserName?, _ frame: RawSpan) { seen.append((user, frame.unsafeLoad(as: UInt8.self))) }
        while case .frame = try transport.receive(take) {}
        #expect(seen.map(\.0) == [UserName("clerk"), nil])
        #expect(seen.map(\.1) == [1, 2])
    }

    @Test("a client that is cut off receives nothing any more")
    func cutOff() throws {
        let transport = InProcessTransport()
        let client = transport.makeClient()
        client.subscribe(to: "")
        try takeSubscriptions(of: transport)
        transport.disconnect(ConnectionID(1), because: "it asks for too much")
        try publish("a", on: transport)
        #expect(published(client) == [])
        #expect(
            transport.takeCutConnections() == [
                CutConnection(socket: "in-process", peer: "client 1", reason: "it asks for too much")
            ])
        #expect(transport.takeCutConnections() == [])
    }

    @Test("a client whose subscriptions the broker does not take is refused further ones, until it has taken some")
    func subscriptionsWaiting() throws {
        var queues = InProcessTransport.Queues()
        queues.subscriptions = 2
        let transport = InProcessTransport(queues: queues)
        let (client, other) = (transport.makeClient(), transport.makeClient())
        #expect(client.subscribe(to: "a"))
        #expect(client.subscribe(to: "b"))
        #expect(!client.subscribe(to: "c"))
        #expect(client.subscribe(to: "a"), "nothing is to be told of a prefix that has one")
        #expect(other.subscribe(to: "c"), "each client has its own queue")
        try publish("c", on: transport)
        #expect(published(client) == [], "what was refused is no subscription")
        client.unsubscribe(from: "b")
        #expect(!client.subscribe(to: "c"))
        try takeSubscriptions(of: transport)
        #expect(client.subscribe(to: "c"))
        try takeSubscriptions(of: transport)
        try publish("c", on: transport)
        #expect(published(client) == ["c"])
    }

    @Test("a client that took its messages without waiting waits for the next one")
    func waiting() async throws {
        let transport = InProcessTransport()
        let client = transport.makeClient()
        client.subscribe(to: "")
        try takeSubscriptions(of: transport)
        try publish("a", on: transport)
        #expect(client.receive()?.topic == "a")
        let next = Task.detached { client.receive(waitMilliseconds: 60_000)?.topic }
        try publish("b", on: transport)
        #expect(await next.value == "b")
        // Both were taken, one of them without its signal: that one ends no wait early.
        try publish("c", on: transport)
        #expect(client.receive()?.topic == "c")
        let clock = ContinuousClock()
        let start = clock.now
        #expect(client.receive(waitMilliseconds: 30) == nil)
        #expect(clock.now - start >= .milliseconds(30))
    }
}
