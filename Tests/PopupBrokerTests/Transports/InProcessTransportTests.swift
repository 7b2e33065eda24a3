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

    @Test("messages go to those whose subscription is a prefix of the topic")
    func prefixes() throws {
        let transport = try InProcessTransport()
        let (one, two) = (try transport.makeClient(), try transport.makeClient())
        one.subscribe(to: "state/")
        two.subscribe(to: "state/lobby/")
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
        let transport = try InProcessTransport(queues: queues)
        let client = try transport.makeClient()
        client.subscribe(to: "")
        for topic in ["a", "b", "c"] { try publish(topic, on: transport) }
        #expect(published(client) == ["a", "b"])
        #expect(client.send([1]))
        #expect(!client.send([2]))
    }

    @Test("a client's first subscription and last withdrawal of a prefix are told, and its end")
    func changes() throws {
        let transport = try InProcessTransport()
        var seen: [String] = []
        do {
            let client = try transport.makeClient()
            for prefix in ["a", "b", "b"] { client.subscribe(to: prefix) }
            for prefix in ["a", "b", "never"] { client.unsubscribe(from: prefix) }
        }
        while try transport.receiveSubscription({ connection, change, prefix in
            #expect(connection == ConnectionID(1))
            seen.append("\(change) " + String(decoding: prefix.withUnsafeBytes { Array($0) }, as: UTF8.self))
        }) {}
        #expect(seen == ["subscribed a", "subscribed b", "withdrawn a", "ended "])
    }

    @Test("a client that is cut off receives nothing any more")
    func cutOff() throws {
        let transport = try InProcessTransport()
        let client = try transport.makeClient()
        client.subscribe(to: "")
        transport.disconnect(ConnectionID(1), because: "it asks for too much")
        try publish("a", on: transport)
        #expect(published(client) == [])
        #expect(
            transport.takeCutConnections() == [
                CutConnection(socket: "in-process", peer: "client 1", reason: "it asks for too much")
            ])
        #expect(transport.takeCutConnections() == [])
    }
}
