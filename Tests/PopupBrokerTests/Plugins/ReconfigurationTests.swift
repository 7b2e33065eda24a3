import PopupBroker
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("A configuration that is read again")
struct ReconfigurationTests {
    private func show(_ broker: Harness, _ ids: String...) throws {
        for id in ids { try broker.send(#"{"show":{"id":"\#(id)","group":"\#(id)"}}"#) }
    }

    @Test("changes quotas, and what was counted stays counted")
    func quotas() throws {
        var configuration = BrokerConfiguration()
        configuration.quotas.anonymous = .init(livePopups: 1)
        let broker = try Harness(configuration, subscriptions: ["events/"])
        try show(broker, "a", "b")
        configuration.quotas.anonymous = .init(livePopups: 2)
        try broker.reconfigure(configuration)
        try show(broker, "c", "d")
        configuration.quotas.anonymous = .init()
        try broker.reconfigure(configuration)
        try show(broker, "e")
        #expect(
            try broker.receivedEvents() == [
                "0 a a shown 1", "0 b b refused OVERLOAD", "0 c c shown 1", "0 d d refused OVERLOAD", "0 e e shown 1",
            ])
    }

    @Test("ends a quota of live popups, and those that close meanwhile count no more when there is one again")
    func quotasAgain() throws {
        var configuration = BrokerConfiguration()
        configuration.quotas.anonymous = .init(commandsPerSecond: 1000, livePopups: 1)
        let broker = try Harness(configuration, subscriptions: ["events/"])
        try show(broker, "a")
        configuration.quotas.anonymous.livePopups = 0
        try broker.reconfigure(configuration)
        try broker.send(#"{"dismiss":{"id":"a"}}"#)
        configuration.quotas.anonymous.livePopups = 1
        try broker.reconfigure(configuration)
        try show(broker, "b", "c")
        #expect(
            try broker.receivedEvents() == [
                "0 a a shown 1", "0 a a closed dismissed after 0ms", "0 b b shown 1", "0 c c refused OVERLOAD",
            ])
    }

    @Test("changes defaults: they hold for what is asked for from then on")
    func defaults() throws {
        var configuration = BrokerConfiguration()
        let broker = try Harness(configuration, subscriptions: ["events/"])
        try show(broker, "a")
        configuration.defaults = [
            .with {
                $0.group = "*"
                $0.durationMs = 10
            }
        ]
        try broker.reconfigure(configuration)
        try show(broker, "b")
        configuration.defaults = []
        try broker.reconfigure(configuration)
        try show(broker, "c")
        try broker.advance(to: 1000)
        #expect(
            try broker.receivedEvents() == [
                "0 a a shown 1", "0 b b shown 1", "0 c c shown 1", "10 b b closed timedOut after 10ms",
            ])
    }

    @Test("changes nothing when any of it is invalid")
    func invalid() throws {
        var configuration = BrokerConfiguration()
        configuration.quotas.anonymous = .init(livePopups: 1)
        let broker = try Harness(configuration, subscriptions: ["events/"])
        try show(broker, "a")
        configuration.quotas.anonymous = .init()
        configuration.policies = [.with { $0.group = "a b" }]
        #expect(throws: CommandRefusal.self) { try broker.reconfigure(configuration) }
        configuration.policies = []
        configuration.defaults = [.with { $0.group = "a b" }]
        #expect(throws: CommandRefusal.self) { try broker.reconfigure(configuration) }
        try show(broker, "b")
        #expect(try broker.receivedEvents() == ["0 a a shown 1", "0 b b refused OVERLOAD"])
    }
}
