@testable import PopupBroker
import PopupJournal
import PopupProtocol
import Testing

@Suite("A query while a batch is in flight")
struct PipelineQueryTests {
    private let count = #"{"query":{"client":"c","nonce":"1","count":{}}}"#
    private let none = #"replies/c/1/ {"client":"c","nonce":"1","reply":{"count":{}},"epoch":"1"}"#
    private let one = #"replies/c/1/ {"client":"c","nonce":"1","reply":{"count":{"popups":1}},"epoch":"1"}"#

    private func numbered(_ sequence: Int) -> String {
        #"{"producer":"\#(alice)","sequence":"\#(sequence)","query":{"client":"c","nonce":"1","count":{}}}"#
    }

    @Test("is answered at once, from what is committed and applied")
    func atOnce() throws {
        let pipeline = try Pipeline(subscriptions: ["replies/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        try broker.send(count)
        let before = try broker.received()
        #expect(before == [none])
        try pipeline.complete()
        try broker.send(count)
        let after = try broker.received()
        #expect(after == [one])
    }

    @Test("or in the batch that is submitted is answered before it is committed")
    func handedOver() throws {
        let pipeline = try Pipeline(subscriptions: ["replies/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1), count)
        #expect(pipeline.committer.isInFlight)
        let seen = try broker.received()
        #expect(seen == [none])
        try pipeline.flow()
        let later = try broker.received()
        #expect(later == [])
    }

    @Test("is answered once, and after the commands before it, when its batch is committed at once")
    func committedAtOnce() throws {
        let pipeline = try Pipeline(leastEntries: 10, subscriptions: ["replies/"])
        try pipeline.broker.send(show("A", 1), count)
        let seen = try pipeline.broker.received()
        #expect(seen == [one])
    }

    @Test("that is numbered is answered at once and acknowledged when its batch is committed")
    func acknowledgement() throws {
        let pipeline = try Pipeline(subscriptions: ["replies/", "acks/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        try broker.send(numbered(2))
        let before = try broker.received()
        #expect(before == [none])
        try pipeline.complete()
        let first = try broker.acks()
        #expect(first == ["alice: 1"])
        try pipeline.complete()
        let second = try broker.acks()
        #expect(second == ["alice: 2"])
        // It comes again: answered again.
        try broker.send(numbered(2))
        let again = try broker.received()
        #expect(again.contains(one))
        #expect(try pipeline.journal.kinds() == [[.command], [.command]])
    }

    @Test("that is numbered and whose batch can't be committed is not acknowledged")
    func failure() throws {
        let pipeline = try Pipeline(subscriptions: ["acks/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        try broker.send(numbered(2))
        try pipeline.complete()
        pipeline.journal.isFull = true
        try pipeline.complete()
        let seen = try broker.acks()
        #expect(seen == ["alice: 1", "alice: 1 !2 OVERLOAD after 1000"])
    }

    @Test("that is refused is told so at once, and once")
    func refused() throws {
        let pipeline = try Pipeline(subscriptions: ["replies/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        try broker.send(#"{"query":{"client":"c","nonce":"1"}}"#)
        let seen = broker.receivedMessages(of: broker.client).map(\.topic)
        #expect(seen == ["replies/c/1/"])
        try pipeline.flow()
        let later = broker.receivedMessages(of: broker.client).map(\.topic)
        #expect(later == [])
    }

    @Test("takes none of the room for commands that the next batch has")
    func room() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.batchMessages = 2
        let pipeline = try Pipeline(configuration, subscriptions: ["replies/"])
        let broker = pipeline.broker
        try broker.send(show("A", 1))
        try broker.send(count, count, count, count, count)
        let seen = try broker.received()
        #expect(seen == [none, none, none, none, none])
        try broker.send(show("B", 2), show("C", 3))
        try pipeline.complete()
        try pipeline.complete()
        #expect(try pipeline.journal.kinds() == [[.command], [.command, .command]])
    }
}
