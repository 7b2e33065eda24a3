import PopupClient
import Testing
import TestPrograms

@Suite("The event summary", .timeLimit(.minutes(5)))
struct EventSummaryTests {
    @Test("listens until a popup has closed, then tells what was shown")
    func until() async throws {
        try await TestBroker.run { broker in
            let summary = try broker.start("event-summary", ["--group", "lobby", "--until", "B"])
            #expect(try await summary.errors.next() == "event-summary: listening")
            try await broker.producer.show(Popup(id: "A", group: "lobby", text: ""))
            try await broker.producer.show(Popup(id: "B", group: "lobby", priority: 1, text: ""))
            try await broker.producer.cancel("B", action: "ok")
            #expect(await summary.exitCode() == 0)
            let lines = await summary.output.all()
            #expect(lines.count == 3)
            #expect(lines[0] == "lobby")
            #expect(lines[1].contains("A  the screen was free  gave way"))
            #expect(lines[2].contains("B  interrupted A        DISMISSED \"ok\""))
        }
    }

    @Test("a signal ends it, and it tells what there was")
    func signalled() async throws {
        try await TestBroker.run { broker in
            let summary = try broker.start("event-summary", [])
            #expect(try await summary.errors.next() == "event-summary: listening")
            #expect(await summary.stop() == 0)
            #expect(await summary.output.all() == ["Nothing happened."])
        }
    }
}
