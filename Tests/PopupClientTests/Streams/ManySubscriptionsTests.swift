import Testing

@testable import PopupClient

@Suite("A connection with many streams", .timeLimit(.minutes(5)))
struct ManySubscriptionsTests {
    /// More than the queue of a socket holds by default: libzmq then drops subscriptions, and says nothing.
    private static let groups = Set((0..<3000).map { "g/\($0)" })

    private static func limits() -> ClientLimits {
        var limits = ClientLimits.patient
        limits.streams = groups.count
        return limits
    }

    /// The subscriptions that a broker has received, once there are those of all groups.
    private static func followed(_ broker: FakeBroker) async -> Set<String> {
        var topics: Set<String> = []
        for await topic in broker.subscriptions {
            topics.insert(topic)
            if topics.isSuperset(of: groups.map { "state+frame/\($0)/" }) { break }
        }
        return topics
    }

    @Test("follows all groups, and again after a restart of the broker")
    func allGroups() async throws {
        let place = FakeBroker.unusedEndpoints()
        let connection = try BrokerConnection(place, limits: Self.limits())
        let streams = try Self.groups.map { try connection.states(of: [$0]) }
        for _ in 0..<2 {
            let broker = try FakeBroker(at: place)
            let topics = await Self.followed(broker)
            #expect(topics.filter { $0.hasPrefix("state+frame/") }.count == Self.groups.count)
            await broker.stop()
        }
        await connection.close()
        withExtendedLifetime(streams) {}
    }

    /// The number of a question in its topic, `sync/CLIENT/STREAM-NUMBER/GROUP/`.
    private static func number(of topic: String) -> Int {
        let parts = topic.split(separator: "/")
        return Int(parts[2].split(separator: "-")[1]) ?? 0
    }

    @Test("asks for no states while the broker is away: what it asks would pile up")
    func away() async throws {
        let place = FakeBroker.unusedEndpoints()
        var limits = ClientLimits.patient
        limits.syncTimeout = .milliseconds(20)
        let connection = try BrokerConnection(place, limits: limits)
        let stream = try connection.states(of: ["lobby"])
        let first = try FakeBroker(at: place)
        let before = Self.number(of: await first.subscribed(below: "sync/"))
        await first.stop()
        while connection.isConnected { try await Task.sleep(for: .milliseconds(5)) }
        // Long enough for six questions.
        try await Task.sleep(for: .seconds(2))
        let second = try FakeBroker(at: place)
        // It comes behind all that has piled up.
        let last = try connection.states(of: ["last"])
        var after = before
        for await topic in second.subscriptions {
            if topic == "state+frame/last/" { break }
            if topic.hasSuffix("/lobby/"), topic.hasPrefix("sync/") { after = max(after, Self.number(of: topic)) }
        }
        // It may have asked again before the broker went, and asks again now.
        #expect(after - before <= 3)
        await connection.close()
        withExtendedLifetime((stream, last)) {}
    }
}
