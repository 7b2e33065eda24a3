import Foundation
import PopupProtocol
import Testing

@testable import PopupClient

@Suite("A producer for several shards", .timeLimit(.minutes(5)))
struct ShardedProducerTests {
    private let east: FakeBroker
    private let west: FakeBroker
    private let directory: ShardDirectory

    init() throws {
        east = try FakeBroker()
        west = try FakeBroker()
        directory = try ShardDirectory(
            shards: ["east": east.endpoints, "west": west.endpoints], groups: ["store/*": "west", "*": "east"])
    }

    private func popup(_ id: String, in group: String) -> Popup { Popup(id: id, group: group, text: "Hello") }

    /// The next commands of a broker as they came, with their producer and sequence.
    private func numbered(_ broker: FakeBroker, _ count: Int) async -> [WireCommand] {
        var commands: [WireCommand] = []
        for await frame in broker.frames {
            commands += Ingress.commands(in: frame).compactMap { try? $0.get() }
            if commands.count >= count { break }
        }
        return commands
    }

    @Test("asks the shard of the group, with a producer name and sequences of each shard")
    func shows() async throws {
        let producer = try ShardedProducer(directory, limits: .patient)
        try await producer.connected(timeout: .seconds(50))
        #expect(try await producer.show(popup("A", in: "lobby")) == "A")
        #expect(try await producer.show(popup("B", in: "store/1")) == "B")
        #expect(
            try producer.enqueue([popup("C", in: "store/2"), popup("D", in: "hall"), popup("E", in: "store/1")])
                == ["C", "D", "E"])
        try await producer.flush()

        let (eastern, western) = (await numbered(east, 2), await numbered(west, 3))
        #expect(eastern.map(\.show.id) == ["A", "D"])
        #expect(eastern.map(\.sequence) == [1, 2])
        #expect(western.map(\.show.id) == ["B", "C", "E"])
        #expect(western.map(\.sequence) == [1, 2, 3])
        #expect(Set(eastern.map(\.producer)).count == 1)
        #expect(Set((eastern + western).map(\.producer)).count == 2)
        await producer.close()
    }

    @Test("changes and closes a popup at the shard of its group, and needs the group or the shard")
    func changes() async throws {
        let producer = try ShardedProducer(directory, limits: .patient)
        var update = PopupUpdate()
        update.id = "A"
        update.text = "Bye"
        let refusal = await #expect(throws: ShardDirectoryError.self) { try await producer.update(update) }
        #expect(
            refusal?.description
                == "the update of `A` names no group; set its group, or call `producer(named:)`")
        try await producer.producer(named: "east").update(update)
        update.group = "store/1"
        try await producer.update(update)
        try await producer.cancel("B", of: "store/1", action: "gone")

        #expect(await east.commands(1).commands.map(\.update.group) == [""])
        let western = await west.commands(2).commands
        #expect(western.map(\.update.group) == ["store/1", ""])
        #expect(
            western.map { [$0.dismiss.id, $0.dismiss.group, $0.dismiss.action] } == [
                ["", "", ""], ["B", "store/1", "gone"],
            ])
        #expect(throws: ShardDirectoryError(nil, "there is no shard `north`; there is `east`, `west`")) {
            try producer.producer(named: "north")
        }
        await producer.close()
    }

    @Test("has an outbox for each shard: what one could not settle waits there for its next run")
    func outboxes() async throws {
        let place = FakeBroker.unusedEndpoints()
        let directory = try ShardDirectory(
            shards: ["east": east.endpoints, "west": place], groups: ["store/*": "west", "*": "east"])
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).outbox").path
        defer {
            for name in ["-east", "-west"] {
                for suffix in ["", ".lock"] { try? FileManager.default.removeItem(atPath: path + name + suffix) }
            }
        }
        let first = try ShardedProducer(directory, outbox: path, limits: .patient)
        #expect(
            try await first.submit([popup("A", in: "store/1"), popup("B", in: "lobby"), popup("C", in: "store/1")])
                == ["A", "B", "C"])
        try await first.producer(named: "east").flush()
        await first.close()

        // The directory names another shard for the group now: what was submitted stays with its shard.
        let moved = try ShardDirectory(shards: directory.shards, groups: ["*": "east"])
        let second = try ShardedProducer(moved, outbox: path, limits: .patient)
        #expect(try second.producer(named: "east").connection.outbox?.recovered == 0)
        #expect(try second.producer(named: "west").connection.outbox?.recovered == 2)
        let late = try FakeBroker(at: place)
        try await second.flush()
        #expect(await late.commands(2).commands.map(\.show.id) == ["A", "C"])
        #expect(await east.commands(1).commands.map(\.show.id) == ["B"])
        await second.close()
    }

    @Test("goes on with the other shards while one is not there, and says which one that is")
    func missingShard() async throws {
        let place = FakeBroker.unusedEndpoints()
        let directory = try ShardDirectory(
            shards: ["east": place, "west": west.endpoints], groups: ["store/*": "west", "*": "east"])
        var limits = ClientLimits.patient
        // Enough for the shard that is there, to which it is connected before.
        limits.sendTimeout = .seconds(3)
        let producer = try ShardedProducer(directory, limits: limits)
        try await producer.producer(named: "west").connected(timeout: .seconds(50))
        try producer.enqueue([popup("A", in: "lobby"), popup("B", in: "store/1")])
        await #expect(throws: ClientError.notConnected(endpoint: place.ingress, after: .seconds(3))) {
            try await producer.flush()
        }
        #expect(await west.commands(1).commands.map(\.show.id) == ["B"])
        await producer.close()
    }
}
