import ExampleSupport
import Foundation
import PopupClient
import Testing
import TestPrograms

@Suite("The freight negotiation", .timeLimit(.minutes(5)))
struct FreightNegotiationTests {
    @Test("a deal, undisturbed notices, and a cancelled order that clears every screen")
    func story() async throws {
        try await TestBroker.run { broker in
            let events = try await broker.admin.listening(to: ["freight/*"])
            let story = try RunningProgram(
                inPackage: URL(filePath: "/bin/bash"), ["Examples/freight-negotiation/run.sh"],
                environment: broker.environment.merging(["BIN": Package.products.path, "CANCEL_AFTER": "10000"]) { $1 })
            var all: [PopupEvent] = []
            for try await event in events {
                all.append(event)
                if event.popup.hasSuffix("order-cancelled"), case .closed = event.event { break }
            }
            #expect(await story.exitCode() == 0)
            try check(all)
            let summary = await story.output.all().drop { !$0.contains("What was shown when and why") }
            #expect(summary.contains("freight/milano/offers"))
            #expect(summary.contains { $0.contains("DISMISSED \"accept\"") })
            #expect(summary.contains { $0.contains("order-cancelled") && $0.contains("cleared") })
        }
    }

    private func check(_ events: [PopupEvent]) throws {
        // A renderer may report on a popup that has just gone.
        func words(_ group: String) -> [String] {
            events.filter { $0.group == group }.map(\.words).filter { !$0.hasSuffix("refused STALE") }
        }
        // Notices run their course, one after the other, whatever happens to the offers.
        let notices = events.filter { $0.group == "freight/notices" }
        #expect(!notices.contains { $0.event == .paused })
        #expect(notices.filter { $0.words.hasSuffix("closed TIMED_OUT") }.count >= 3)
        // A deal was made, a better offer had interrupted a dearer one before, and the rest was told.
        #expect(words("freight/milano/offers").contains { $0.hasSuffix("closed DISMISSED accept") })
        #expect(words("freight/milano/offers").contains { $0.hasSuffix("paused") })
        // After the deal nobody goes on bargaining.
        let milano = words("freight/milano/offers")
        #expect(milano.last?.hasSuffix("closed CLEARED") == true, "\(milano)")
        // The cancellation closed what the other negotiation still had, and was read.
        let lyon = words("freight/lyon/offers")
        #expect(lyon.contains { $0.hasSuffix("closed SUPERSEDED") })
        #expect(lyon.last?.hasSuffix("order-cancelled closed DISMISSED understood") == true)
        // Never two on a screen.
        for group in Set(events.map(\.group)) {
            var active: String?
            for event in events where event.group == group {
                switch event.event {
                case .shown, .resumed:
                    #expect(active == nil, "\(event.popup) came while \(active ?? "") was shown")
                    active = event.popup
                case .paused, .closed: if active == event.popup { active = nil }
                default: break
                }
            }
        }
    }
}
