import PopupProtocol
import Testing
import TestSupport

@testable import PopupBroker

@Suite("Groups to whose topics somebody subscribes")
struct TopicFilterTests {
    private typealias Channels = SubscriptionCounts.Channels

    private static let one = ConnectionID(1)
    private static let two = ConnectionID(2)
    private var counts = SubscriptionCounts()

    private mutating func add(_ prefix: String, of connection: ConnectionID = one, isDenied: Bool = false) {
        _ = counts.add(Array(prefix.utf8), of: connection, isDenied: isDenied)
    }

    private mutating func remove(_ prefix: String, of connection: ConnectionID = one) {
        counts.remove(Array(prefix.utf8), of: connection)
    }

    private func channels(of group: String, among channels: Channels = [.state, .stateJSON, .events, .eventsJSON])
        -> Channels
    {
        var group = group
        return group.withUTF8 { counts.topics.channels(channels, ofGroup: UnsafeRawBufferPointer($0)) }
    }

    @Test(
        "a subscription matches the topics that begin with it",
        arguments: [
            ("", true), ("sta", true), ("state", true), ("state/", true), ("state/l", true), ("state/lobby", true),
            ("state/lobby/", true), ("state/lobby/a", true), ("state/lobby/a/", true), ("state/lobby/a/b", false),
            ("state/lobby/a//", false), ("state/obby", false), ("state+json/lobby/a/", false), ("events/", false),
        ])
    mutating func prefixes(prefix: String, isMatching: Bool) {
        add(prefix)
        #expect(channels(of: "lobby/a").contains(.state) == isMatching)
    }

    @Test("each channel has its own")
    mutating func ofChannels() {
        add("state/a/")
        add("state+json/b/")
        add("events/")
        #expect(channels(of: "a") == [.state, .events])
        #expect(channels(of: "b") == [.stateJSON, .events])
        #expect(channels(of: "c") == [.events])
        #expect(channels(of: "a", among: [.stateJSON]) == [])
    }

    @Test("messages of one frame and those to everybody are not filtered")
    mutating func others() {
        add("state+frame/a/")
        let others: Channels = [.stateFrame, .feed, .heartbeat]
        #expect(channels(of: "b", among: others) == others)
    }

    @Test("it counts until the last connection has withdrawn it, or has ended")
    mutating func withdrawals() {
        add("state/a/")
        add("state/a/", of: Self.two)
        add("state/", of: Self.two)
        add("state/")
        remove("state/")
        #expect(channels(of: "b") == [.state])
        _ = counts.removeAll(of: Self.two)
        #expect(channels(of: "b") == [])
        #expect(channels(of: "a") == [.state])
        remove("state/a/")
        #expect(channels(of: "a") == [])
    }

    @Test("a denied one matches nothing, and its end changes nothing")
    mutating func denied() {
        add("state/a/", isDenied: true)
        add("state/b/")
        #expect(channels(of: "a") == [])
        add("state/a/", of: Self.two)
        _ = counts.removeAll(of: Self.one)
        #expect(channels(of: "a") == [.state])
        #expect(channels(of: "b") == [])
    }

    @Test("with subscriptions of very many lengths, every group matches until there are fewer again")
    mutating func manyLengths() {
        for length in 1...24 { add("state/" + String(repeating: "x", count: length)) }
        #expect(channels(of: "a") == [])
        add("state/" + String(repeating: "x", count: 25))
        #expect(channels(of: "a") == [.state])
        remove("state/x")
        #expect(channels(of: "a") == [])
        #expect(channels(of: "x") == [])
        #expect(channels(of: "xxxxx") == [.state])
    }

    /// Compares with the plain rule over random subscriptions of several connections.
    @Test("no message is left out that a subscription matches, and none is encoded for nobody", arguments: 1...20)
    mutating func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let prefixes = [
            "", "state", "state/", "state/a", "state/a/", "state/a/b/", "state/ab/", "state+json/a", "events/b/",
        ]
        let groups = ["a", "b", "a/b", "ab", "a/b/c", "abc"]
        var held: [ConnectionID: Set<String>] = [:]
        for _ in 0..<300 {
            let connection = ConnectionID(UInt64.random(in: 1...4, using: &random))
            let prefix = prefixes.randomElement(using: &random)!
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                _ = counts.removeAll(of: connection)
                held[connection] = nil
            case 1...3:
                add(prefix, of: connection)
                held[connection, default: []].insert(prefix)
            default:
                remove(prefix, of: connection)
                held[connection]?.remove(prefix)
            }
            let all = held.values.reduce(into: Set<String>()) { $0.formUnion($1) }
            for group in groups {
                var expected: Channels = []
                for channel in [Channel.state, .stateJSON, .events, .eventsJSON]
                where all.contains(where: { "\(channel.prefix)\(group)/".hasPrefix($0) }) {
                    expected.insert(Channels(channel))
                }
                #expect(channels(of: group) == expected)
            }
        }
    }
}
