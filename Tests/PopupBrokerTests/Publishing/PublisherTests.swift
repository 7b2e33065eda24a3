import Logging
@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("The publisher, without a loop")
struct PublisherTests {
    private let transport = InProcessTransport()
    private let client: InProcessClient

    init() { client = transport.makeClient() }

    private func publisher(over other: (any Transport)? = nil) -> Publisher {
        Publisher(
            BrokerConfiguration(), transport: other ?? transport,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, epoch: 1, at: 0)
    }

    private func state() -> BrokerState { BrokerState(JournaledSettings(limits: Limits(), seed: 0)) }

    private func show(_ id: String, in state: inout BrokerState, _ output: inout EventBuffer) {
        let command = WireCommand.with {
            $0.show = .with {
                $0.id = id
                $0.group = "g"
            }
        }
        _ = state.apply(.command(command), at: 0, into: &output)
    }

    private func topics() -> [String] {
        var topics: [String] = []
        while let message = client.receive() { topics.append(message.topic) }
        return topics
    }

    @Test("tells each change once, on the channels to which somebody subscribes")
    func changes() throws {
        var publisher = publisher()
        var state = state()
        var output = EventBuffer()
        var requests = SubscriptionRequests()
        var access = AccessControl(.open)
        client.subscribe(to: "state/")
        _ = try publisher.takeSubscriptions(in: &state, at: 0, &access, &requests)
        show("A", in: &state, &output)
        try publisher.publishChanges(of: output, in: state, at: 0)
        try publisher.publishChanges(of: output, in: state, at: 0)
        #expect(topics() == ["state/g/"])
        output.removeAll()
        publisher.forgetOutput()
        client.subscribe(to: "events/")
        _ = try publisher.takeSubscriptions(in: &state, at: 0, &access, &requests)
        show("B", in: &state, &output)
        try publisher.publishChanges(of: output, in: state, at: 0)
        #expect(topics() == ["state/g/", "events/g/"])
    }

    @Test("encodes nothing for groups to which nobody subscribes, and all for somebody who subscribes to all")
    func followedGroups() throws {
        let transport = PublishedTopics()
        var publisher = publisher(over: transport)
        var state = state()
        var output = EventBuffer()
        var requests = SubscriptionRequests()
        var access = AccessControl(.open)
        transport.subscriptions = ["state/other/", "events+json/other/"]
        _ = try publisher.takeSubscriptions(in: &state, at: 0, &access, &requests)
        show("A", in: &state, &output)
        try publisher.publishChanges(of: output, in: state, at: 0)
        #expect(transport.topics == [])
        // Neither is anything repeated.
        let nextDue = publisher.nextDue(in: state)
        let due = try #require(nextDue)
        for time in stride(from: due, through: due + 10_000, by: 100) {
            while try publisher.republishDue(in: state, at: time) {}
        }
        #expect(transport.topics == [])
        transport.subscriptions = ["state/g", "events+json/"]
        _ = try publisher.takeSubscriptions(in: &state, at: 20_000, &access, &requests)
        #expect(transport.topics == ["state/g/"])
        output.removeAll()
        publisher.forgetOutput()
        show("B", in: &state, &output)
        try publisher.publishChanges(of: output, in: state, at: 20_000)
        #expect(transport.topics == ["state/g/", "state/g/", "events+json/g/"])
    }

    @Test("sends the present state to whoever subscribes, and again once an interval")
    func repetition() throws {
        var publisher = publisher()
        var state = state()
        var output = EventBuffer()
        var requests = SubscriptionRequests()
        var access = AccessControl(.open)
        show("A", in: &state, &output)
        try publisher.publishChanges(of: output, in: state, at: 0)
        #expect(topics() == [])
        client.subscribe(to: "state/g/")
        _ = try publisher.takeSubscriptions(in: &state, at: 0, &access, &requests)
        #expect(topics() == ["state/g/"])
        let nextDue = publisher.nextDue(in: state)
        let due = try #require(nextDue)
        var repeated = 0
        for time in stride(from: due, through: due + 10_000, by: 10) {
            while try publisher.republishDue(in: state, at: time) {}
            repeated += topics().count
        }
        #expect(repeated == 2)
    }

    @Test("hands on what subscribers ask of others: an acknowledgement, and topics of sync that are none")
    func requests() throws {
        var publisher = publisher()
        var state = state()
        var requests = SubscriptionRequests()
        var access = AccessControl(.open)
        let producer = ProducerName(high: 1, low: 2)
        client.subscribe(to: "acks/\(producer)/")
        client.subscribe(to: "sync/me/1/no group!/")
        _ = try publisher.takeSubscriptions(in: &state, at: 0, &access, &requests)
        #expect(requests.acks.map(\.producer) == [producer])
        #expect(requests.invalidSyncs.map { String(decoding: $0, as: UTF8.self) } == ["sync/me/1/no group!/"])
        let wantsAcks = publisher.wantsAcks
        #expect(wantsAcks)
    }
}

/// A transport that keeps the topic of each published message, whoever subscribes to it.
private final class PublishedTopics: Transport {
    /// The prefixes of the next subscriptions of one connection.
    var subscriptions: [String] = []
    private(set) var topics: [String] = []

    var wake: @Sendable () -> Void { {} }
    func open() -> BrokerEndpoints { BrokerEndpoints(ingress: "", egress: "") }
    func wait(milliseconds: Int?) {}
    func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) -> Reception { .nothing }
    func receiveSubscription(_ take: SubscriptionTaker) -> Bool {
        guard !subscriptions.isEmpty else { return false }
        _ = take(ConnectionID(1), nil, .subscribed, Array(subscriptions.removeFirst().utf8).span.bytes)
        return true
    }
    func disconnect(_ connection: ConnectionID, because reason: String) {}
    func takeCutConnections() -> [CutConnection] { [] }
    func publish(topic: RawSpan, body: RawSpan) {
        topic.withUnsafeBytes { topics.append(String(decoding: $0, as: UTF8.self)) }
    }
    func publish(frame: RawSpan) { topics.append("") }
    func close() {}
}
