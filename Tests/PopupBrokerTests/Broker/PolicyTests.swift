import PopupBroker
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("The configuration's policies")
struct ConfiguredPolicyTests {
    private func policy(_ group: String, _ preset: WirePreset.Name) -> WireSetPolicy {
        .with {
            $0.group = group
            $0.preset = preset
        }
    }

    private func order(_ broker: Harness, group: String) throws -> [String] {
        for (id, priority) in [("A", 1), ("B", 5), ("C", 9)] {
            try broker.send(
                #"{"show":{"id":"\#(group)-\#(id)","group":"\#(group)","priority":\#(priority),"durationMs":10}}"#)
        }
        try broker.advance(by: 10_000)
        return try broker.receivedEvents().filter { $0.contains("shown") }.compactMap {
            $0.split(separator: " ")[2].split(separator: "-").last.map(String.init)
        }
    }

    @Test("hold from the start, the most specific for each group")
    func fromStart() throws {
        var configuration = BrokerConfiguration()
        configuration.policies = [policy("s/*", .fifo), policy("s/2", .priority), policy("s/*", .polite)]
        let broker = try Harness(configuration, subscriptions: ["events/"])
        #expect(try order(broker, group: "s/1") == ["A", "C", "B"])
    }

    @Test("are put in the place of the former ones")
    func replaced() throws {
        var configuration = BrokerConfiguration()
        configuration.policies = [policy("*", .fifo), policy("b", .polite)]
        let broker = try Harness(configuration, subscriptions: ["events/"])
        try broker.send(#"{"setPolicy":{"group":"c","preset":"POLITE"}}"#)
        try broker.setPolicies([policy("a", .fifo)])
        #expect(try order(broker, group: "a") == ["A", "B", "C"])
        #expect(try order(broker, group: "b") == ["A", "B", "C"])
        #expect(try order(broker, group: "c") == ["A", "C", "B"])
    }

    @Test("are kept when one of the new ones is invalid")
    func invalid() throws {
        var configuration = BrokerConfiguration()
        configuration.policies = [policy("*", .fifo)]
        let broker = try Harness(configuration, subscriptions: ["events/"])
        #expect(throws: CommandRefusal.self) {
            try broker.setPolicies([policy("*", .lifo), .with { $0.group = "a b" }])
        }
        #expect(throws: CommandRefusal.self) {
            try broker.setPolicies([
                policy("*", .lifo),
                .with {
                    $0.group = "g"; $0.caps = [WireCap()]
                },
            ])
        }
        #expect(try order(broker, group: "g") == ["A", "B", "C"])
    }
}
