import PopupProtocol
import Testing
import TestSupport

@testable import PopupBroker

@Suite("Subscriptions by connection")
struct SubscriptionCountsTests {
    /// What is tested, with prefixes as texts.
    private final class Table {
        private var subscriptionCounts: SubscriptionCounts

        init(perConnection: Int = 100, bytesPerConnection: Int = 1000, bytes: Int = 2000) {
            var limits = BrokerLimits()
            limits.subscriptionsPerConnection = perConnection
            limits.subscriptionBytesPerConnection = bytesPerConnection
            limits.subscriptionBytes = bytes
            subscriptionCounts = SubscriptionCounts(SubscriptionCounts.Bounds(limits))
        }

        var channels: SubscriptionCounts.Channels { subscriptionCounts.channels }
        var subscriptions: Int { subscriptionCounts.subscriptions }

        @discardableResult
        func add(_ prefix: String, of connection: ConnectionID) -> SubscriptionCounts.Outcome {
            subscriptionCounts.add(Array(prefix.utf8), of: connection)
        }

        func remove(_ prefix: String, of connection: ConnectionID) -> Bool {
            subscriptionCounts.remove(Array(prefix.utf8), of: connection)
        }

        @discardableResult
        func removeAll(of connection: ConnectionID) -> [String] {
            subscriptionCounts.removeAll(of: connection).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private let one = ConnectionID(1)
    private let two = ConnectionID(2)
    private let three = ConnectionID(3)
    private let subscriptionCounts = Table()

    @Test(
        "a prefix matches the channels of which it is the beginning, or a topic's",
        arguments: [
            ("", 12), ("s", 4), ("state", 2), ("state/", 1), ("state/lobby/", 1), ("state+json/", 1), ("sync/a/b/", 1),
            ("acks/x/", 1), ("nothing", 0),
        ])
    func channels(prefix: String, count: Int) {
        guard case .counted(let channels) = subscriptionCounts.add(prefix, of: one) else {
            Issue.record("refused")
            return
        }
        #expect(Channel.allCases.count { channels.contains(SubscriptionCounts.Channels($0)) } == count)
        #expect(subscriptionCounts.channels == channels)
    }

    @Test("a withdrawal is believed only from the connection that subscribed")
    func forged() {
        subscriptionCounts.add("state/lobby/", of: one)
        for prefix in ["state/lobby/", "state/", "", "events/"] {
            for _ in 1...3 { #expect(!subscriptionCounts.remove(prefix, of: two)) }
        }
        #expect(subscriptionCounts.channels == .state)
        #expect(subscriptionCounts.subscriptions == 1)
        #expect(subscriptionCounts.remove("state/lobby/", of: one))
        #expect(subscriptionCounts.channels == [])
        #expect(!subscriptionCounts.remove("state/lobby/", of: one))
        #expect(subscriptionCounts.subscriptions == 0)
    }

    @Test("a subscription that a connection repeats is counted once, that of another beside it")
    func repeated() {
        for _ in 1...3 { #expect(subscriptionCounts.add("feed/", of: one) == .counted(.feed)) }
        subscriptionCounts.add("feed/", of: two)
        #expect(subscriptionCounts.subscriptions == 2)
        #expect(subscriptionCounts.remove("feed/", of: one))
        #expect(subscriptionCounts.channels == .feed)
        #expect(subscriptionCounts.remove("feed/", of: two))
        #expect(subscriptionCounts.channels == [])
    }

    @Test("with a connection end its subscriptions, and nobody else's")
    func end() {
        for prefix in ["state/", "events/", "sync/c/n/*/", "sync+json/c/m/*/"] {
            subscriptionCounts.add(prefix, of: one)
        }
        subscriptionCounts.add("events/g/", of: two)
        #expect(subscriptionCounts.removeAll(of: one) == ["sync/c/n/*/", "sync+json/c/m/*/"])
        #expect(subscriptionCounts.channels == .events)
        #expect(subscriptionCounts.subscriptions == 1)
        #expect(subscriptionCounts.removeAll(of: one) == [])
        #expect(subscriptionCounts.removeAll(of: three) == [])
    }

    @Test("one subscription more than a connection may have is one too many of its own")
    func limits() {
        let subscriptionCounts = Table(perConnection: 2)
        for prefix in ["x", "y"] { #expect(subscriptionCounts.add(prefix, of: one) == .counted([])) }
        #expect(subscriptionCounts.add("z", of: one) == .excessive(one, limit: "limits.subscriptionsPerConnection"))
        #expect(subscriptionCounts.add("x", of: one) == .counted([]))
        #expect(subscriptionCounts.add("z", of: two) == .counted([]))

        let small = Table(bytesPerConnection: 10)
        #expect(small.add("123456", of: one) == .counted([]))
        #expect(small.add("12345", of: one) == .excessive(one, limit: "limits.subscriptionBytesPerConnection"))
    }

    @Test("when all together hold too much, whoever holds most pays")
    func fair() {
        let subscriptionCounts = Table(bytes: 20)
        subscriptionCounts.add("123456789012345", of: one)
        subscriptionCounts.add("1234", of: two)
        let limit = "limits.subscriptionBytes"
        #expect(subscriptionCounts.add("1234", of: three) == .excessive(one, limit: limit))
        #expect(subscriptionCounts.removeAll(of: one) == [])
        #expect(subscriptionCounts.add("1234", of: three) == .counted([]))
        #expect(subscriptionCounts.add("1234567890123", of: three) == .excessive(three, limit: limit))
    }

    @Test("in a channel begins and ends with its subscriptions, also with prefixes of it")
    func published() throws {
        let broker = try Harness()
        func published(after prefix: String) throws -> [String] {
            broker.client.subscribe(to: prefix)
            try broker.turn()
            _ = try broker.received()
            try broker.send(#"{"show":{"id":"\#(prefix)","group":"g","exclusive":"GROUP"}}"#)
            let topics = Set(broker.receivedMessages(of: broker.client).map(\.topic)).sorted()
            broker.client.unsubscribe(from: prefix)
            try broker.turn()
            return topics
        }
        #expect(try published(after: "state/") == ["state/g/"])
        #expect(try published(after: "sta") == ["state+json/g/", "state/g/"])
        #expect(try published(after: "events+json/g/") == ["events+json/g/"])
        #expect(try published(after: "") == ["events+json/g/", "events/g/", "feed/", "state+json/g/", "state/g/"])
        #expect(try published(after: "nothing/") == [])
        #expect(broker.stats.subscriptions == 0)
    }

    @Test("beyond the limit those are answered that hold no more than their equal part of it")
    func answered() {
        var limits = BrokerLimits()
        limits.subscriptions = 12
        var subscriptionCounts = SubscriptionCounts(SubscriptionCounts.Bounds(limits))
        for number in 1...12 as ClosedRange<UInt64> {
            _ = subscriptionCounts.add(Array("state/\(number)/".utf8), of: ConnectionID(1 + number % 2))
        }
        #expect(subscriptionCounts.isAnswered(ConnectionID(1)) && subscriptionCounts.isAnswered(ConnectionID(2)))
        _ = subscriptionCounts.add(Array("state/mine/".utf8), of: ConnectionID(3))
        #expect(subscriptionCounts.isAnswered(ConnectionID(3)))
        #expect(!subscriptionCounts.isAnswered(ConnectionID(1)) && !subscriptionCounts.isAnswered(ConnectionID(2)))
        for number in 1...4 { _ = subscriptionCounts.add(Array("state/mine/\(number)/".utf8), of: ConnectionID(3)) }
        #expect(!subscriptionCounts.isAnswered(ConnectionID(3)))
    }

    @Test("any sequence of changes leaves what a plain table of pairs says")
    func random() {
        struct Pair: Hashable {
            var connection: UInt64
            var prefix: String
        }
        let prefixes = [
            "", "s", "state/", "state+json/g/", "state+frame/g/", "events/", "sync/c/n/*/", "acks/p/", "feed/", "junk",
        ]
        for seed in 1...200 as ClosedRange<UInt64> {
            var generator = SplitMix64(seed: seed)
            let subscriptionCounts = Table()
            var pairs: Set<Pair> = []
            for _ in 1...200 {
                let connection = UInt64.random(in: 1...4, using: &generator)
                let prefix = prefixes.randomElement(using: &generator)!
                let pair = Pair(connection: connection, prefix: prefix)
                switch Int.random(in: 0..<8, using: &generator) {
                case 0...3:
                    subscriptionCounts.add(prefix, of: ConnectionID(connection))
                    pairs.insert(pair)
                case 4...6:
                    #expect(
                        subscriptionCounts.remove(prefix, of: ConnectionID(connection)) == (pairs.remove(pair) != nil))
                default:
                    subscriptionCounts.removeAll(of: ConnectionID(connection))
                    pairs = pairs.filter { $0.connection != connection }
                }
                let matching = Channel.allCases.filter { channel in
                    pairs.contains {
                        $0.prefix.hasPrefix(channel.prefix)
                            || channel != .stateFrame && channel.prefix.hasPrefix($0.prefix)
                    }
                }
                #expect(subscriptionCounts.subscriptions == pairs.count)
                #expect(
                    Channel.allCases.filter { subscriptionCounts.channels.contains(SubscriptionCounts.Channels($0)) }
                        == matching)
            }
        }
    }
}
