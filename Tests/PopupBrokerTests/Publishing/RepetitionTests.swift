import PopupBroker
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("A late subscriber")
struct RepetitionTests {
    @Test("is sent the states of the groups that it subscribes to at once")
    func lateJoin() throws {
        let broker = try Harness()
        try broker.send(
            #"{"show":{"id":"A","group":"lobby","durationMs":5000}}"#, #"{"show":{"id":"B","group":"lobby/left"}}"#,
            #"{"show":{"id":"C","group":"lobby2"}}"#)
        try broker.advance(to: 2000)
        broker.client.subscribe(to: "state/lobby/")
        try broker.turn()
        #expect(try broker.receivedStates() == ["lobby#1 A 3000ms", "lobby/left#1 B"])
    }

    @Test("is sent them in the encoding that it subscribes to")
    func encodings() throws {
        let broker = try Harness()
        try broker.send(#"{"show":{"id":"A","group":"g"}}"#)
        broker.client.subscribe(to: "state+json/g/")
        try broker.turn()
        #expect(broker.receivedMessages(of: broker.client).map(\.topic) == ["state+json/g/"])
        broker.client.subscribe(to: "")
        try broker.turn()
        #expect(broker.receivedMessages(of: broker.client).map(\.topic) == ["state/g/"])
        try broker.advance(to: 100)
        #expect(broker.receivedMessages(of: broker.client).map(\.topic) == ["state+json/g/"])
    }

    @Test("is sent messages of one frame only by the name of their channel")
    func oneFrame() throws {
        let broker = try Harness()
        try broker.send(#"{"show":{"id":"A","group":"g"}}"#)
        for prefix in ["", "state", "state+"] {
            let client = broker.makeClient()
            client.subscribe(to: prefix)
            try broker.turn()
            try broker.advance(by: 200)
            #expect(!broker.receivedMessages(of: client).contains { $0.topic.hasPrefix("state+frame") }, "\(prefix)")
        }
        broker.client.subscribe(to: "state+frame/g/")
        try broker.turn()
        try broker.send(#"{"show":{"id":"B","group":"g","priority":1}}"#)
        let messages = broker.receivedMessages(of: broker.client)
        #expect(messages.map(\.topic) == ["state+frame/g/", "state+frame/g/"])
        #expect(try messages.map { Harness.short(try Harness.state($0)) } == ["g#1 A", "g#2 B ~1 (paused A)"])
    }

    @Test("is sent an empty group's state too")
    func emptyGroup() throws {
        let broker = try Harness()
        try broker.send(#"{"show":{"id":"A","group":"g"}}"#, #"{"dismiss":{"id":"A"}}"#)
        broker.client.subscribe(to: "state/g/")
        try broker.turn()
        #expect(try broker.receivedStates() == ["g#2"])
    }

    @Test("shares a repetition with all others that subscribe within 100 ms")
    func coalesced() throws {
        let broker = try Harness()
        try broker.send(#"{"show":{"id":"A","group":"g"}}"#)
        let others = (1...20).map { _ in broker.makeClient() }
        broker.client.subscribe(to: "state/g/")
        try broker.turn()
        for (index, other) in others.enumerated() {
            other.subscribe(to: "state/g/")
            try broker.advance(to: Int64(index))
        }
        try broker.advance(to: 99)
        #expect(try broker.receivedStates() == ["g#1 A"])
        try broker.advance(to: 1000)
        #expect(try broker.receivedStates() == ["g#1 A"])
        for other in others { #expect(broker.receivedMessages(of: other).count == 1) }
    }

    @Test("to more than 64 groups is served by the refresh")
    func many() throws {
        let broker = try Harness()
        for index in 0..<65 { try broker.send(#"{"show":{"id":"p\#(index)","group":"all/g\#(index)"}}"#) }
        broker.client.subscribe(to: "state/all/")
        try broker.turn()
        #expect(try broker.receivedStates() == [])
        try broker.advance(to: 5000)
        #expect(try broker.receivedStates().count == 65)
        broker.client.subscribe(to: "state/all/g6")
        try broker.turn()
        #expect(try broker.receivedStates() == ["all/g6#1 p6"] + (60...64).map { "all/g\($0)#1 p\($0)" })
    }

    @Test("beyond the limit of subscriptions is served by the refresh")
    func subscriptionLimit() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.subscriptions = 1
        let broker = try Harness(configuration, subscriptions: ["heartbeat/"])
        try broker.send(#"{"show":{"id":"A","group":"g"}}"#)
        broker.client.subscribe(to: "state/")
        try broker.turn()
        #expect(try broker.receivedStates() == [])
        try broker.advance(to: 5000)
        #expect(broker.receivedMessages(of: broker.client).contains { $0.topic == "state/g/" })
    }
}

@Suite("The refresh")
struct RefreshTests {
    @Test("sends each group with an active popup once an interval, spread out")
    func interval() throws {
        let broker = try Harness(subscriptions: ["state/"])
        for name in ["a", "b", "c"] {
            try broker.send(#"{"show":{"id":"\#(name)","group":"\#(name)","durationMs":60000}}"#)
        }
        _ = try broker.receivedStates()
        var times: [String: [Int64]] = [:]
        for time in stride(from: Int64(0), through: 20_000, by: 10) {
            try broker.advance(to: time)
            for state in try broker.receivedMessages(of: broker.client).map(Harness.state) {
                times[state.group, default: []].append(time)
            }
        }
        #expect(
            times == [
                "a": [5000, 10000, 15000, 20000], "b": [50, 5050, 10050, 15050], "c": [100, 5100, 10100, 15100],
            ])
    }

    @Test("sends an emptied group's state three times")
    func emptied() throws {
        let broker = try Harness(subscriptions: ["state/"])
        try broker.send(#"{"show":{"id":"A","group":"g","durationMs":1000}}"#)
        try broker.advance(to: 60_000)
        #expect(try broker.receivedStates() == ["g#1 A 1000ms (shown A)", "g#2 (closed A)", "g#2", "g#2", "g#2"])
    }

    @Test("wakes the broker only while somebody subscribes")
    func idle() throws {
        let broker = try Harness()
        try broker.send(#"{"show":{"id":"A","group":"g"}}"#)
        #expect(broker.nextDeadline == nil)
        broker.client.subscribe(to: "state/")
        try broker.turn()
        try broker.advance(to: 200)
        #expect(broker.nextDeadline == 5000)
        broker.client.unsubscribe(from: "state/")
        try broker.turn()
        #expect(broker.nextDeadline == nil)
    }
}

@Suite("Heartbeat")
struct HeartbeatTests {
    @Test("tell every second what changed in the last ten")
    func heartbeat() throws {
        let broker = try Harness(subscriptions: ["heartbeat/"])
        try broker.advance(to: 1500)
        try broker.send(#"{"show":{"id":"A","group":"g"}}"#, #"{"show":{"id":"B","group":"h"}}"#)
        try broker.advance(to: 3500)
        try broker.send(#"{"dismiss":{"id":"A"}}"#)
        try broker.advance(to: 13_999)
        let g = #"{"group":"g","revision":"1"}"#
        let h = #"{"group":"h","revision":"1"}"#
        let g2 = #"{"group":"g","revision":"2"}"#
        func message(_ heartbeat: String...) -> String {
            heartbeat.isEmpty
                ? #"heartbeat/ {"epoch":"1"}"#
                : #"heartbeat/ {"epoch":"1","groups":[\#(heartbeat.joined(separator: ","))]}"#
        }
        #expect(
            try broker.received() == [message(), message(g, h), message(g, h)]
                + [String](repeating: message(h, g2), count: 8) + [message(g2), message(g2)])
    }

    @Test("come in parts when many groups changed")
    func parts() throws {
        let broker = try Harness(subscriptions: ["heartbeat/"])
        for index in 0..<1200 { try broker.send(#"{"show":{"id":"p\#(index)","group":"g\#(index)"}}"#) }
        try broker.advance(to: 1000)
        let parts = try broker.receivedMessages(of: broker.client).map { try WireHeartbeat(serializedBytes: $0.body) }
        #expect(parts.map(\.groups.count) == [500, 500, 200])
        #expect(Set(parts.flatMap(\.groups).map(\.group)) == Set((0..<1200).map { "g\($0)" }))
    }
}
