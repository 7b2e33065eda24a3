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

    /// Waits until a broker has received the subscriptions of all groups.
    ///
    /// - Returns: The groups whose subscription has not come before the broker ended.
    private static func missing(at broker: FakeBroker) async -> Set<String> {
        var missing = Set(groups.map { "state+frame/\($0)/" })
        for await topic in broker.subscriptions {
            missing.remove(topic)
            if missing.isEmpty { break }
        }
        return missing
    }

    @Test("follows all groups, and again after a restart of the broker")
    func allGroups() async throws {
        let place = FakeBroker.unusedEndpoints()
        let connection = try BrokerConnection(place, limits: Self.limits())
        let streams = try Self.groups.map { try connection.states(of: [$0]) }
        for _ in 0..<2 {
            let broker = try FakeBroker(at: place)
            // Without this, it would wait for what does not come.
            let watchdog = Task {
                try await Task.sleep(for: .seconds(100))
                await broker.stop()
            }
            let missing = await Self.missing(at: broker)
            #expect(missing.isEmpty, "such as \(missing.prefix(3))")
            watchdog.cancel()
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

    /// Returns the number of the last question of the first stream, until some subscription, or until the broker ended.
    private static func lastQuestion(to broker: FakeBroker, before end: String? = nil) async -> Int {
        var last = 0
        for await topic in broker.subscriptions {
            if topic == end { break }
            if topic.hasPrefix("sync/"), topic.hasSuffix("/lobby/") { last = max(last, number(of: topic)) }
        }
        return last
    }

    @Test("asks for no states while the broker is away: what it asks would pile up")
    func away() async throws {
        let place = FakeBroker.unusedEndpoints()
        var limits = ClientLimits.patient
        limits.syncTimeout = .milliseconds(100)
        let connection = try BrokerConnection(place, limits: limits)
        let stream = try connection.states(of: ["lobby"])
        let first = try FakeBroker(at: place)
        _ = await first.subscribed(below: "sync/")
        await first.stop()
        let before = await Self.lastQuestion(to: first)
        while connection.isConnected { try await Task.sleep(for: .milliseconds(5)) }
        // Long enough for six questions, each after twice the time of the one before.
        try await Task.sleep(for: .seconds(7))
        let second = try FakeBroker(at: place)
        // It comes behind all that has piled up.
        let last = try connection.states(of: ["last"])
        let after = await Self.lastQuestion(to: second, before: "state+frame/last/")
        // It may have asked while the broker went, and asks again now.
        #expect(after - before <= 3)
        await connection.close()
        withExtendedLifetime((stream, last)) {}
    }

    @Test("drops what waits for a node that is not there: it begins with the present subscriptions")
    func missingNode() async throws {
        var first = try FakeBroker()
        let place = FakeBroker.unusedEndpoints()
        let connection = try BrokerConnection(
            BrokerEndpoints(
                ingress: "\(first.endpoints.ingress),\(place.ingress)",
                egress: "\(first.endpoints.egress),\(place.egress)"), limits: .patient)
        let kept = try connection.states(of: ["kept"])
        await first.subscribed(to: "state+frame/kept/")
        // libzmq reports a node's second connection by another name.
        await first.stop()
        first = try FakeBroker(at: first.endpoints)
        var keptAtFirst = 0
        for number in 0..<30_000 {
            _ = try connection.states(of: ["g/\(number)"])
            if number % 500 == 499 {
                // In step with the thread of the connection.
                let step = try connection.states(of: ["step/\(number)"])
                for await topic in first.subscriptions {
                    if topic == "state+frame/kept/" { keptAtFirst += 1 }
                    if topic == "state+frame/step/\(number)/" { break }
                }
                withExtendedLifetime(step) {}
            }
        }
        let second = try FakeBroker(at: place)
        let last = try connection.states(of: ["last"])
        var isKept = false
        var others = 0
        for await topic in second.subscriptions {
            if topic == "state+frame/last/" { break }
            if topic == "state+frame/kept/" { isKept = true } else { others += 1 }
        }
        #expect(isKept)
        #expect(others < 20_000)
        // Its connection was left alone.
        #expect(keptAtFirst == 1)
        await connection.close()
        withExtendedLifetime((kept, last)) {}
    }
}
