import Foundation
import PopupClient
import PopupProtocol
import Testing

@Suite("A producer with an outbox file", .timeLimit(.minutes(5)))
struct ProducerOutboxTests {
    private func path() -> String {
        FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).outbox").path
    }

    private func remove(_ path: String) {
        for name in [path, path + ".lock"] { try? FileManager.default.removeItem(atPath: name) }
    }

    private func popups(_ ids: [String]) -> [Popup] { ids.map { Popup(id: $0, group: "lobby", text: "Hello") } }

    /// The commands of the next frames, as they are.
    private func numbered(_ broker: FakeBroker, _ count: Int) async -> [WireCommand] {
        var commands: [WireCommand] = []
        for await frame in broker.frames {
            commands += Ingress.commands(in: frame).compactMap { try? $0.get() }
            if commands.count >= count { break }
        }
        return commands
    }

    @Test("has made safe what it submitted, also when it ends before a broker is there")
    func noBroker() async throws {
        let path = path()
        defer { remove(path) }
        let endpoints = FakeBroker.unusedEndpoints()
        let first = try Producer(endpoints, outbox: path, limits: .patient)
        #expect(try await first.submit(popups(["A", "B"])) == ["A", "B"])
        await first.close()

        let second = try Producer(endpoints, outbox: path, limits: .patient)
        #expect(second.connection.outbox?.recovered == 2)
        try await second.submit(popups(["C"]))
        let broker = try FakeBroker(at: endpoints)
        try await second.flush()
        let commands = await numbered(broker, 3)
        #expect(commands.map(\.show.id) == ["A", "B", "C"])
        #expect(commands.map(\.sequence) == [1, 2, 3])
        #expect(Set(commands.map(\.producer)).count == 1)
        await second.close()

        let third = try Producer(endpoints, outbox: path, limits: .patient)
        #expect(third.connection.outbox?.recovered == 0)
        try await third.show(Popup(id: "D", group: "lobby", text: "Hello"))
        await third.close()
    }

    @Test("sends again under the same numbers what an earlier run did not hear of: it counts once")
    func unheard() async throws {
        let path = path()
        defer { remove(path) }
        let deaf = try FakeBroker(at: FakeBroker.unusedEndpoints(), epoch: nil)
        let first = try Producer(deaf.endpoints, outbox: path, limits: .patient)
        try await first.submit(popups(["A", "B"]))
        let heard = await numbered(deaf, 2)
        await first.close()
        await deaf.stop()

        let broker = try FakeBroker(at: deaf.endpoints)
        let second = try Producer(deaf.endpoints, outbox: path, limits: .patient)
        try await second.flush()
        #expect(await numbered(broker, 2).prefix(2) == heard[...])
        await second.close()
    }

    @Test("keeps the name under which it goes on with a broker that has forgotten it")
    func forgotten() async throws {
        let path = path()
        defer { remove(path) }
        let first = try FakeBroker(at: FakeBroker.unusedEndpoints())
        let producer = try Producer(first.endpoints, outbox: path, limits: .patient)
        try await producer.show(popups(["A"])[0])
        await first.stop()
        let second = try FakeBroker(at: first.endpoints, epoch: 2)
        try await producer.show(popups(["B"])[0])
        try await producer.show(popups(["C"])[0])
        await producer.close()

        let next = try Producer(first.endpoints, outbox: path, limits: .patient)
        #expect(next.connection.outbox?.recovered == 0)
        try await next.show(popups(["D"])[0])
        var commands: [WireCommand] = []
        for await frame in second.frames {
            commands += Ingress.commands(in: frame).compactMap { try? $0.get() }
            if commands.last?.show.id == "D" { break }
        }
        let names = Dictionary(commands.map { ($0.show.id, $0) }) { $1 }
        #expect(names["C"]?.producer == names["D"]?.producer)
        #expect(names["D"]?.sequence == (names["C"]?.sequence ?? 0) + 1)
        await next.close()
    }

    @Test("tells the next run's flush what was refused")
    func refused() async throws {
        let path = path()
        defer { remove(path) }
        let endpoints = FakeBroker.unusedEndpoints()
        let first = try Producer(endpoints, outbox: path, limits: .patient)
        try await first.submit(popups(["A"]))
        await first.close()
        let broker = try FakeBroker(at: endpoints, judge: { _ in .refuse(.permissionDenied, "no") })
        let second = try Producer(endpoints, outbox: path, limits: .patient)
        await #expect(throws: ClientError.refused(Refusal(.permissionDenied, "no"))) { try await second.flush() }
        await second.close()
        withExtendedLifetime(broker) {}
    }

    @Test("holds more than waits in memory without one, and no more than it may")
    func full() async throws {
        let path = path()
        defer { remove(path) }
        var limits = ClientLimits.patient
        limits.queuedCommands = 2
        limits.outboxBytes = 1000
        let producer = try Producer(FakeBroker.unusedEndpoints(), outbox: path, limits: limits)
        var stored = 0
        await #expect(throws: ClientError.outboxFull(limit: 1000)) {
            for index in 0..<100 {
                try await producer.submit(popups(["\(index)"]))
                stored += 1
            }
        }
        #expect(stored > 10)
        await producer.close()
        await #expect(throws: ClientError.closed) { try await producer.submit(popups(["late"])) }
    }

    @Test("is alone with it")
    func inUse() async throws {
        let path = path()
        defer { remove(path) }
        let first = try Producer(FakeBroker.unusedEndpoints(), outbox: path, limits: .patient)
        #expect(throws: ClientError.outboxInUse(path)) {
            _ = try Producer(FakeBroker.unusedEndpoints(), outbox: path, limits: .patient)
        }
        await first.close()
    }
}
