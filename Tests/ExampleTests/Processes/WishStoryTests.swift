import ExampleSupport
import Foundation
import PopupClient
import Testing
import TestPrograms

@Suite("The wish story", .timeLimit(.minutes(5)))
struct WishStoryTests {
    /// What a person chooses, and what they see of a wish.
    struct Choices: CustomTestStringConvertible, Sendable {
        var actions: [String]
        var seen: [String]

        var testDescription: String { actions.joined(separator: " ") }

        static let all = [
            Choices(actions: ["ice-cream", "ok", "share"], seen: ["result ok", "share share"]),
            Choices(actions: ["sea", "cancel", "keep"], seen: ["result cancel", "share keep"]),
            Choices(
                actions: ["sea", "confirm", "next", "share"], seen: ["result confirm", "edit next", "share share"]),
        ]
    }

    @Test("the server answers each choice with the next popup, and no advert comes between", arguments: Choices.all)
    func inAnswer(choices: Choices) async throws {
        let events = try await play(choices, wishes: 2, sending: [])
        for wish in ["wish-1", "wish-2"] {
            #expect(seen(events, of: wish) == ["form \(choices.actions[0])"] + choices.seen)
        }
        try expectUndisturbed(events, parts: ["form", "result", "edit", "share"], wishes: 2)
    }

    @Test("sent together, in whatever order, it is seen the same", arguments: Choices.all)
    func together(choices: Choices) async throws {
        let orders = ["r,e,s", "r,s,e", "e,r,s", "e,s,r", "s,r,e", "s,e,r"]
        let events = try await play(choices, wishes: 6, sending: orders.flatMap { ["--together", $0] })
        for number in 1...6 {
            #expect(seen(events, of: "wish-\(number)") == ["form \(choices.actions[0])"] + choices.seen)
            let edit = events.last { $0.popup == "wish-\(number)-edit" }
            let isEdited = choices.actions.contains("confirm")
            #expect(edit?.words == "wish-\(number)-edit closed \(isEdited ? "DISMISSED next" : "UNMET")")
        }
        try expectUndisturbed(events, parts: ["result", "edit", "share"], wishes: 6)
    }

    @Test("the script plays it to its end")
    func script() async throws {
        let story = try RunningProgram(
            inPackage: URL(filePath: "/bin/bash"), ["Examples/wish-story/run.sh"],
            environment: [
                "BIN": Package.products.path, "WISHES": "1", "CHOICES": "sea confirm this share", "AFTER": "200",
                "TOGETHER": "s,e,r",
            ])
        #expect(await story.exitCode() == 0)
        let lines = await story.output.all()
        #expect(lines.contains("server  wish-1 is done (share)"))
        #expect(lines.contains("wish/well  closed   wish-1-edit  DISMISSED this"))
        let summary = lines.drop { $0 != "What was shown when and why" }
        #expect(summary.contains { $0.contains("wish-1-edit") && $0.contains("DISMISSED \"this\"") })
        #expect(await story.errors.all() == [])
    }

    /// The server, an advert that never stops, and a screen that chooses: what happened until the server ended.
    private func play(_ choices: Choices, wishes: Int, sending: [String]) async throws -> [PopupEvent] {
        var all: [PopupEvent] = []
        try await TestBroker.run { broker in
            let events = try await broker.admin.listening(to: ["wish/well"])
            let renderer = try broker.start(
                "terminal-renderer",
                ["--group", "wish/well", "--after", "50"] + choices.actions.flatMap { ["--auto-answer", $0] })
            let advert = try broker.start("wish-story", ["advert", "--every", "150", "--duration", "100"])
            let server = try broker.start("wish-story", ["server", "--wishes", "\(wishes)"] + sending)
            #expect(await server.exitCode() == 0)
            await advert.stop()
            await renderer.stop()
            _ = try await broker.admin.statistics()
            _ = try await broker.admin.statistics()
            all = events.takeAvailable()
        }
        return all
    }

    /// What was shown of a wish, in order, each with how it was answered: `result ok`.
    private func seen(_ events: [PopupEvent], of wish: String) -> [String] {
        let mine = events.filter { $0.popup.hasPrefix(wish + "-") }
        let shown = mine.filter { if case .shown = $0.event { true } else { false } }.map(\.popup)
        return shown.map { popup in
            let closed = mine.compactMap { event in
                if case .closed(let closed) = event.event, event.popup == popup { closed } else { nil }
            }
            return "\(popup.dropFirst(wish.count + 1)) \(closed.map(\.action).joined(separator: ","))"
        }
    }

    /// From the first of the parts on screen to the end of the share, nothing else was shown; but something else was.
    private func expectUndisturbed(_ events: [PopupEvent], parts: [String], wishes: Int) throws {
        for number in 1...wishes {
            let ids = parts.map { "wish-\(number)-\($0)" }
            let first = try #require(
                events.firstIndex { if case .shown = $0.event { ids.contains($0.popup) } else { false } })
            let last = try #require(
                events.lastIndex { if case .closed = $0.event { $0.popup == ids.last } else { false } })
            let shown = events[first...last].filter { if case .shown = $0.event { true } else { false } }.map(\.popup)
            #expect(shown.allSatisfy { ids.contains($0) })
        }
        #expect(events.contains { if case .shown = $0.event { $0.popup.hasPrefix("advert-") } else { false } })
    }
}
