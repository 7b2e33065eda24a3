@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("A sync")
struct SyncTests {
    /// The parts of an answer in short: its states, or `end of epoch, states`.
    private func answer(_ broker: Harness, _ topic: String) throws -> [String] {
        try broker.receivedMessages(of: broker.client).filter { $0.topic == topic }.flatMap { message in
            let encoding: WireEncoding = topic.hasPrefix("sync+json/") ? .json : .binary
            let sync = try encoding.decode(message.body, as: WireSync.self)
            return sync.states.map(Harness.short)
                + (sync.hasEnd ? ["end of \(sync.end.epoch), \(sync.end.states)"] : [])
        }
    }

    private func subscribe(_ broker: Harness, _ topic: String) throws -> [String] {
        broker.client.subscribe(to: topic)
        try broker.turn()
        return try answer(broker, topic)
    }

    private func lobbies() throws -> Harness {
        let broker = try Harness()
        try broker.send(
            #"{"show":{"id":"A","group":"lobby","durationMs":5000}}"#, #"{"show":{"id":"B","group":"lobby/left"}}"#,
            #"{"show":{"id":"C","group":"lobby2"}}"#, #"{"show":{"id":"D","group":"gone"}}"#,
            #"{"dismiss":{"id":"D"}}"#)
        try broker.advance(to: 1000)
        return broker
    }

    @Test("sends the states of a group and of those below it, then the end", arguments: ["sync", "sync+json"])
    func group(channel: String) throws {
        let broker = try lobbies()
        #expect(
            try subscribe(broker, "\(channel)/me/1/lobby/") == ["lobby#1 A 4000ms", "lobby/left#1 B", "end of 1, 2"])
    }

    @Test("sends all groups for `*`, those that show nothing with their revision")
    func everything() throws {
        let broker = try lobbies()
        #expect(
            try subscribe(broker, "sync/me/1/*/") == [
                "lobby#1 A 4000ms", "lobby/left#1 B", "lobby2#1 C", "gone#2", "end of 1, 4",
            ])
    }

    @Test("sends the end alone when there is no such group")
    func nothing() throws {
        #expect(try subscribe(lobbies(), "sync/me/1/other/") == ["end of 1, 0"])
    }

    @Test("answers each topic once, and a new nonce anew")
    func nonces() throws {
        let broker = try lobbies()
        #expect(try subscribe(broker, "sync/me/1/gone/") == ["gone#2", "end of 1, 1"])
        try broker.send(#"{"show":{"id":"E","group":"gone"}}"#)
        try broker.advance(by: 20_000)
        #expect(try answer(broker, "sync/me/1/gone/") == [])
        #expect(try subscribe(broker, "sync/me/2/gone/") == ["gone#3 E", "end of 1, 1"])
    }

    @Test(
        "is nothing that other topics ask for",
        arguments: ["sync/", "sync", "sync/me/", "sync/me/1/", "sync/me/1/lobby", "sync/me/1/a b/", "sync/me/1/*/x/"])
    func malformed(topic: String) throws {
        let broker = try lobbies()
        broker.client.subscribe(to: topic)
        try broker.turn()
        #expect(broker.receivedMessages(of: broker.client).isEmpty)
    }

    @Test("comes in parts of 256 states, whichever way the groups are found")
    func parts() throws {
        let broker = try Harness()
        try broker.fill("all", 5000)
        for (topic, count) in [("sync/me/1/*/", 5000), ("sync/me/1/all/", 5000), ("sync/me/1/all/7/", 1)] {
            broker.client.subscribe(to: topic)
            try broker.turn()
            let parts = try broker.receivedMessages(of: broker.client).map { try WireSync(serializedBytes: $0.body) }
            #expect(parts.allSatisfy { $0.states.count <= 256 })
            #expect(parts.last?.end.states == UInt64(count))
            #expect(parts.dropLast().allSatisfy { !$0.hasEnd })
            let groups = parts.flatMap(\.states).map(\.group)
            #expect(groups.count == count)
            #expect(Set(groups).count == count)
        }
    }

    @Test("comes in parts of 64 KiB, a larger state alone")
    func largeStates() throws {
        let broker = try Harness()
        for (index, bytes) in [30_000, 30_000, 30_000, 65_536, 10].enumerated() {
            let text = String(repeating: "x", count: bytes)
            try broker.send(#"{"show":{"id":"p\#(index)","group":"g\#(index)","text":"\#(text)"}}"#)
        }
        broker.client.subscribe(to: "sync/me/1/*/")
        try broker.turn()
        let parts = broker.receivedMessages(of: broker.client)
        #expect(try parts.map { try WireSync(serializedBytes: $0.body).states.count } == [2, 1, 1, 1, 0])
        #expect(parts.allSatisfy { $0.body.count <= Syncs.bytesInPart + 300 })
    }

    @Test("leaves room for commands between its turns, and tells each group that was there once")
    func between() throws {
        let broker = try Harness()
        try broker.fill("all", 10_000)
        broker.client.subscribe(to: "state/")
        broker.client.subscribe(to: "sync/me/1/*/")
        #expect(try broker.turnOnce())
        #expect(try answer(broker, "sync/me/1/*/").count == 4096)
        try broker.send(#"{"show":{"id":"new","group":"all/9999","priority":9}}"#, #"{"show":{"id":"n","group":"n"}}"#)
        let messages = broker.receivedMessages(of: broker.client)
        let late = try messages.filter { $0.topic.hasPrefix("sync/") }.flatMap {
            try WireSync(serializedBytes: $0.body).states
        }
        #expect(late.count == 10_000 - 4096)
        #expect(late.last.map(Harness.short) == "all/9999#2 new ~1")
        #expect(messages.contains { $0.topic == "state/n/" })
    }

    @Test("ends when its subscription is withdrawn")
    func withdrawn() throws {
        let broker = try Harness()
        try broker.fill("all", 10_000)
        broker.client.subscribe(to: "sync/me/1/*/")
        #expect(try broker.turnOnce())
        broker.client.unsubscribe(from: "sync/me/1/*/")
        #expect(try !broker.turnOnce())
        #expect(broker.receivedMessages(of: broker.client).count == 16)
    }

    @Test("takes turns with others; beyond its limits it waits, beyond those it is not answered")
    func limits() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.activeSyncs = 2
        configuration.limits.queuedSyncs = 1
        let broker = try Harness(configuration)
        try broker.fill("all", 6000)
        for client in ["a", "b", "c", "d"] { broker.client.subscribe(to: "sync/\(client)/1/*/") }
        _ = try broker.turnOnce()
        func count() -> [Int] {
            let topics = broker.receivedMessages(of: broker.client).map(\.topic)
            return ["a", "b", "c", "d"].map { client in topics.count { $0 == "sync/\(client)/1/*/" } }
        }
        #expect(count() == [8, 8, 0, 0])
        try broker.turn()
        #expect(count() == [17, 17, 26, 0])
    }
}

extension Harness {
    /// Shows a popup in each of so many groups below `name`.
    fileprivate func fill(_ name: String, _ groups: Int) throws {
        for start in stride(from: 0, to: groups, by: 500) {
            let batch = WireBatch.with { batch in
                batch.commands = (start..<min(groups, start + 500)).map { index in
                    .with {
                        $0.show.id = "\(name)\(index)"
                        $0.show.group = "\(name)/\(index)"
                    }
                }
            }
            client.send(try batch.serializedBytes())
        }
        try turn()
    }
}

@Suite("Syncs of several connections")
struct SyncShareTests {
    private func answer(_ topic: String, of connection: UInt64) -> Syncs.Answer {
        Syncs.Answer(topic: Array(topic.utf8), connection: ConnectionID(connection), isJSON: false, prefix: [])
    }

    /// Ends what is under way, and returns what comes next.
    private func next(_ syncs: inout Syncs) -> String? {
        guard let answer = syncs.takeNext() else { return nil }
        syncs.fill()
        return String(decoding: answer.topic, as: UTF8.self)
    }

    @Test("one that asks for many is answered between others, not before them")
    func turns() {
        var syncs = Syncs(maxActive: 2, maxWaiting: 10)
        let added = (1...6).map { syncs.add(answer("a\($0)", of: 1)) }
        let others = [syncs.add(answer("b1", of: 2)), syncs.add(answer("c1", of: 3))]
        #expect(!added.contains(false) && !others.contains(false))
        let order = (1...8).map { _ in next(&syncs) }
        #expect(order == ["a1", "a2", "b1", "a3", "c1", "a4", "a5", "a6"])
        #expect(syncs.isEmpty)
    }

    @Test("where too many wait, the latest of whoever has most gives way: nobody fills the table for others")
    func room() {
        var syncs = Syncs(maxActive: 1, maxWaiting: 6)
        for number in 0...3 { _ = syncs.add(answer("a\(number)", of: 1)) }
        for number in 1...3 { _ = syncs.add(answer("b\(number)", of: 2)) }
        // One that has as many waiting as any other gets no more.
        let added = [("a4", 1), ("c1", 3), ("c2", 3), ("c3", 3)].map { syncs.add(answer($0.0, of: $0.1)) }
        #expect(added == [false, true, true, false])
        syncs.withdraw(Array("b1".utf8), of: ConnectionID(1))
        syncs.withdraw(Array("a1".utf8), of: ConnectionID(1))
        let left = (1...6).map { _ in next(&syncs) }
        #expect(Set(left.compactMap { $0 }) == ["a0", "a2", "b1", "b2", "c1", "c2"])
    }
}
