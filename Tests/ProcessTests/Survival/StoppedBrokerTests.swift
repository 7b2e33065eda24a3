import Foundation
import PopupProtocol
import Testing

/// `POPUP_STOP_SECONDS=30` for the long run.
@Suite("A broker that is stopped for longer than leases last (SIGSTOP), and goes on,", .ownThread)
struct StoppedBrokerTests {
    private static let seconds =
        ProcessInfo.processInfo.environment["POPUP_STOP_SECONDS"].flatMap { Int($0) } ?? 8

    @Test("has lost nothing that was accepted, gives no renderer up, and serves everybody again")
    func stopped() throws {
        let stage = try Stage(
            policies: """
                  - {group: "timed/*", defaultDurationMs: 10}
                  - {group: "screen", rendererLost: CLOSE}

                """)
        try stage.startBroker()
        try stage.start("screen", "renderer", "screen", "keep")
        try stage.start("renderer", "renderer", "kept/*", "dismiss")
        try stage.facts.wait(for: "the renderers") { $0.following.count == 2 }
        let wire = try stage.wire(following: "events/")
        try wire.send(show("kept", in: "screen"))
        try stage.facts.wait(for: "a popup that only its renderer's loss would close") {
            $0.screens["screen screen"] == "kept"
        }
        try stage.start("plain", "producer", "plain", "200")
        try stage.start("outbox", "producer", "outbox", "200", stage.folder.path("outbox"))
        try stage.facts.wait(for: "load") { $0.accepted.count >= 20 && $0.safe.count >= 20 }

        stage.signalBroker(SIGSTOP)
        // What is tested is that this time passes: longer than a lease (5 s), and than a peer that takes nothing (6 s), lasts.
        Thread.sleep(forTimeInterval: Double(Self.seconds))
        stage.signalBroker(SIGCONT)

        try stage.facts.wait(for: "all to be settled", before: .after(.seconds(180))) {
            $0.settled == ["plain", "outbox"]
        }
        // It outlasts a lease that nobody renews.
        try wire.waitForBroker()
        try wire.follow("events/")
        try wire.send(show("clock", in: "clock", #""durationMs":6500"#))
        try wire.wait(for: "the time of a lease to pass", before: .after(.seconds(60))) {
            $0.events(of: "clock").contains { $0.words == "clock closed TIMED_OUT" }
        }
        #expect(!wire.events(of: "screen").contains { $0.words.contains("closed") })
        #expect(try stage.waitUntilClosed(but: 1, wire) == ["kept ACTIVE 0"])
        #expect(try stage.audit() == [])
        #expect(!stage.log.contains("[critical]"))

        try stage.kill("screen")
        try wire.event("kept closed RENDERER_LOST", of: "screen")
    }
}
