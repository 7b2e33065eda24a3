@testable import PopupBroker
import PopupAccess
import PopupJournal
import PopupProtocol
import SwiftProtobuf
import Testing
import TestSupport

@Suite("A broker whose journal holds batches of a limited size")
struct BatchSizeTests {
    /// As a shared log has it.
    private static let limit = 1 << 20

    private func pipeline(_ configuration: BrokerConfiguration, subscriptions: [String] = []) throws -> Pipeline {
        try Pipeline(
            configuration, subscriptions: subscriptions, isShared: true, batchBytes: 256 << 10,
            maxBatchBytes: Self.limit)
    }

    private func frame(_ commands: [WireCommand]) throws -> [UInt8] {
        try WireBatch.with { $0.commands = commands }.serializedBytes()
    }

    private func kinds(_ pipeline: Pipeline) throws -> [CommandLog.Kind] { try pipeline.journal.kinds().flatMap { $0 } }

    @Test("commits all of a burst of small popups that the defaults enlarge", arguments: [1, 400])
    func defaults(popupsOfFrame count: Int) throws {
        var configuration = BrokerConfiguration()
        configuration.defaults = [
            .with {
                $0.group = "*"
                $0.text = String(repeating: "x", count: 10_000)
            }
        ]
        let pipeline = try pipeline(configuration)
        let shows = (0..<400).map { number in
            WireCommand.with {
                $0.show.id = "p\(number)"
                $0.show.group = "g\(number % 40)"
            }
        }

        for first in stride(from: 0, to: shows.count, by: count) {
            pipeline.broker.client.send(try frame(Array(shows[first..<first + count])))
        }
        try pipeline.broker.turn()
        try pipeline.flow()

        #expect((pipeline.broker.stats.popups, pipeline.broker.stats.refused) == (400, 0))
        #expect(pipeline.journal.batches.allSatisfy { $0.count <= Self.limit })
        #expect(pipeline.journal.batches.count >= 5)
    }

    @Test("commits all commands of a frame to which a long name of its user is added thousands of times")
    func users() throws {
        let name = String(repeating: "u", count: 64)
        var configuration = BrokerConfiguration()
        configuration.access = try GuardedBroker.rules([name: [.everything]])
        let pipeline = try pipeline(configuration)
        let client = pipeline.broker.makeClient(user: UserName(name))
        let dismissals = [WireCommand](repeating: .with { $0.dismiss.id = "a" }, count: 15_000)

        let frame = try frame(dismissals)
        #expect(frame.count <= Ingress.maxFrameBytes)
        client.send(frame)
        try pipeline.broker.turn()
        try pipeline.flow()

        #expect(try kinds(pipeline).count { $0 == .command } == dismissals.count)
        #expect(pipeline.journal.batches.allSatisfy { $0.count <= Self.limit })
    }

    // MARK: - Time zones

    /// Zones with data of some 45 KB each.
    private static func largeZones(_ count: Int) throws -> ZoneFolder {
        let changes = (0..<5000).map { (at: Int64($0) * 86_400, type: UInt8($0 % 2)) }
        let bytes = TimeZoneBytes(version: 0x32, offsets: [3600, 7200], changes: changes, footer: "").bytes
        return try ZoneFolder(Dictionary(uniqueKeysWithValues: (0..<count).map { ("Zone\($0)", bytes) }))
    }

    private func policy(_ group: String, zones: Range<Int>) -> WireSetPolicy {
        .with {
            $0.group = group
            $0.quiet = zones.map { number in
                .with {
                    $0.from = "22:00"
                    $0.to = "07:00"
                    $0.timeZone = "Zone\(number)"
                }
            }
        }
    }

    @Test("commits policies of one frame in several batches if the data of their time zones needs them")
    func zones() throws {
        let folder = try Self.largeZones(30)
        var configuration = BrokerConfiguration()
        configuration.timeZones = TimeZoneDirectory(path: folder.path)
        let pipeline = try pipeline(configuration)
        let policies = (0..<10).map { number in
            WireCommand.with { $0.setPolicy = policy("g\(number)", zones: number * 3..<number * 3 + 3) }
        }

        pipeline.broker.client.send(try frame(policies))
        try pipeline.broker.turn()
        try pipeline.flow()

        #expect(try kinds(pipeline).count { $0 == .timeZone } == 30)
        #expect(try kinds(pipeline).count { $0 == .command } == 10)
        #expect(pipeline.journal.batches.allSatisfy { $0.count <= Self.limit })
    }

    @Test("refuses a policy that no batch can hold with its time zones, and nothing else with it")
    func policyWithoutRoom() throws {
        let folder = try Self.largeZones(8)
        var configuration = BrokerConfiguration()
        configuration.timeZones = TimeZoneDirectory(path: folder.path)
        let pipeline = try pipeline(configuration, subscriptions: ["events/"])
        let commands = [
            WireCommand.with { $0.setPolicy = policy("before", zones: 0..<2) },
            WireCommand.with { $0.setPolicy = policy("large", zones: 0..<8) },
            WireCommand.with {
                $0.show.id = "A"
                $0.show.group = "g"
            },
        ]

        pipeline.broker.client.send(try frame(commands))
        try pipeline.broker.turn()
        try pipeline.flow()

        #expect(
            try pipeline.broker.receivedEvents().filter { !$0.hasSuffix("shown 1") } == ["0 large  refused TOO_LARGE"])
        #expect(pipeline.broker.stats.popups == 1)
        #expect(try kinds(pipeline) == [.timeZone, .timeZone, .command, .command])
        // A journal without a limit takes it.
        let broker = try Harness(configuration)
        broker.client.send(try frame(commands))
        try broker.turn()
        #expect(broker.stats.refused == 0)
    }
}
