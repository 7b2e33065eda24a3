import PopupBroker
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("The query for policies in force")
struct PoliciesInForceTests {
    private func policies(_ broker: Harness, _ query: String = "") throws -> WirePoliciesResult {
        _ = try broker.received()
        try broker.send(#"{"query":{"client":"me","nonce":"1","policies":{\#(query)}}}"#)
        let message = try #require(try broker.received().first { $0.hasPrefix("replies+json/me/1/ ") })
        let reply: WireReply = try WireEncoding.json.decode(Array(message.drop { $0 != " " }.dropFirst().utf8))
        guard case .policies(let result) = reply.reply.result else { throw Unexpected(reply: message) }
        return result
    }

    private struct Unexpected: Error { let reply: String }

    private func sources(_ broker: Harness) throws -> [String] {
        try policies(broker).policies.map { "\($0.policy.group) \($0.source) \($0.policy.preset)" }
    }

    private func configuration(_ policies: WireSetPolicy...) -> BrokerConfiguration {
        var configuration = BrokerConfiguration()
        configuration.policies = policies
        return configuration
    }

    private func policy(_ group: String, _ preset: WirePreset.Name) -> WireSetPolicy {
        .with {
            $0.group = group
            $0.preset = preset
        }
    }

    @Test("tells the default where nobody has set one, and the most specific of a group")
    func specific() throws {
        let broker = try Harness(subscriptions: ["replies+json/me/"])
        #expect(try sources(broker) == ["* default priority"])
        try broker.send(
            #"{"setPolicy":{"group":"s/*","preset":"LIFO"}}"#, #"{"setPolicy":{"group":"s/1","lower":"NEVER"}}"#)
        #expect(try sources(broker) == ["* default priority", "s/* client lifo", "s/1 client unspecified"])
        #expect(try policies(broker, #""group":"s/1""#).policies.map(\.policy.group) == ["s/1"])
        #expect(try policies(broker, #""group":"s/2""#).policies.map(\.policy.group) == ["s/*"])
        #expect(try policies(broker, #""group":"s/*""#).policies.map(\.policy.group) == ["s/*"])
        #expect(try policies(broker, #""group":"t""#).policies.map(\.source) == [.default])
    }

    @Test("changes nothing, and its answer sets the same policy again")
    func roundTrip() throws {
        let broker = try Harness(subscriptions: ["replies+json/me/"])
        try broker.send(
            #"{"setPolicy":{"group":"g","preset":"STACKED","lower":"NEVER","ignorePriority":true,"gapMinMs":5,"gapMaxMs":9,"gatherMs":3,"defaultDurationMs":4,"maxDurationMs":6,"clock":"VISIBLE","offerMs":7,"offerDefault":"CLOSE","retryMs":8,"displayTimeoutMs":2000,"undisplayed":"SKIP","rendererLost":"REQUEUE","maxAttempts":2,"quorumAll":true,"caps":[{"capKey":"k","most":3,"perMs":9}],"maxWaiting":4,"overflow":"DROP_OLDEST","agingMs":11,"pageTree":"app"}}"#
        )
        let first = try policies(broker, #""group":"g""#)
        let rules = try #require(first.policies.first?.policy)
        #expect(rules.higher == .pause && rules.resume == .restart && rules.caps.map(\.most) == [3])
        #expect(rules.gapMinMs == 5 && rules.gapMaxMs == 9 && rules.quorumAll && rules.pageTree == "app")
        try broker.send(#"{"unsetPolicy":{"group":"g"}}"#)
        #expect(try policies(broker, #""group":"g""#).policies.map(\.source) == [.default])
        try broker.send(WireCommand.with { $0.setPolicy = rules })
        #expect(try policies(broker, #""group":"g""#) == first)
        #expect(broker.stats.refused == 0)
    }

    @Test("tells the configuration's policy, which comes back when the one of a client is removed")
    func configured() throws {
        let broker = try Harness(configuration(policy("a", .fifo)), subscriptions: ["replies+json/me/"])
        #expect(try sources(broker) == ["* default priority", "a configuration fifo"])
        try broker.send(#"{"setPolicy":{"group":"a","preset":"LIFO"}}"#)
        #expect(try sources(broker) == ["* default priority", "a client lifo"])
        // A configuration that says the same changes nothing.
        try broker.reconfigure(configuration(policy("a", .fifo)))
        #expect(try sources(broker) == ["* default priority", "a client lifo"])
        try broker.send(#"{"unsetPolicy":{"group":"a"}}"#, #"{"unsetPolicy":{"group":"nothing/*"}}"#)
        #expect(try sources(broker) == ["* default priority", "a configuration fifo"])
        #expect(broker.stats.refused == 0)
    }

    @Test("answers with 100 policies at most, and goes on after one")
    func pages() throws {
        let broker = try Harness(subscriptions: ["replies+json/me/"])
        for number in 100..<250 { try broker.send(#"{"setPolicy":{"group":"g\#(number)","preset":"FIFO"}}"#) }
        let first = try policies(broker)
        #expect(first.policies.count == 100 && first.truncated)
        let rest = try policies(broker, #""after":"g198""#)
        #expect(first.policies.last?.policy.group == "g198")
        #expect(rest.policies.map(\.policy.group) == (199..<250).map { "g\($0)" })
        #expect(!rest.truncated)
    }
}
