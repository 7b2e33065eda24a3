import HouseRules
import PopupBroker
import PopupJournal
import PopupProtocol
import Testing

@Suite("A broker with the rules of the house", .timeLimit(.minutes(1)))
struct BrokerWithPluginsTests {
    @Test("a greedy popup is capped, a forbidden one refused, an answer counted")
    func whole() async throws {
        let answers = AnswerCount()
        let broker = try Broker(
            transport: InProcessTransport(), journal: MemoryJournal(),
            plugins: [PriorityCap([.init(groups: GroupPattern("*")!, most: 10)]), answers])
        async let run: Void = broker.run()
        // Popups of equal priority wait for each other: capped to the same priority, the second does not interrupt the
        // first.
        try await broker.perform(command(#"{"show":{"id":"A","group":"hall","priority":10}}"#))
        try await broker.perform(command(#"{"show":{"id":"B","group":"hall","priority":500}}"#))
        try await broker.perform(command(#"{"dismiss":{"id":"A","action":"ok"}}"#))
        let refusal = await #expect(throws: CommandRefusal.self) {
            try await broker.perform(command(#"{"show":{"id":"C","group":"hall","exclusive":"ALL"}}"#))
        }
        #expect(refusal?.reason == .permissionDenied)
        try await broker.perform(command(#"{"dismiss":{"id":"B","action":"late"}}"#))
        broker.stop()
        try await run
        #expect(
            answers.counts == [
                .init(group: "hall", action: "ok"): 1, .init(group: "hall", action: "late"): 1,
            ])
    }

    private func command(_ json: String) throws -> WireCommand {
        try Ingress.command(json: Array(json.utf8))
    }
}
