import ArgumentParser
import PopupClient
import PopupProtocol
import Testing

@testable import popupctl

@Suite("An argument of popupctl")
struct ArgumentTests {
    @Test(
        "tells a time as people write it",
        arguments: [
            ("8s", 8000), ("1.5s", 1500), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000), ("750", 750), ("0", 0),
        ] as [(String, UInt32)])
    func times(text: String, milliseconds: UInt32) {
        #expect(TimeArgument(argument: text)?.milliseconds == milliseconds)
    }

    @Test("is refused when it is no time", arguments: ["", "s", "8 s", "-1s", "8d", "1.2.3s", "50d", "2000h"])
    func noTimes(text: String) {
        #expect(TimeArgument(argument: text) == nil)
    }

    @Test("names an action, with its label or without")
    func actions() {
        #expect(ActionArgument(argument: "yes=Yes, do")?.action == WireAction(id: "yes", label: "Yes, do"))
        #expect(ActionArgument(argument: "formula=a=b")?.action == WireAction(id: "formula", label: "a=b"))
        #expect(ActionArgument(argument: "ok")?.action == WireAction(id: "ok", label: "ok"))
        #expect(ActionArgument(argument: "=Yes") == nil)
    }

    @Test("gives every field of a popup")
    func show() throws {
        let command = try #require(
            try PopupCtl.parseAsRoot([
                "show", "--group", "lobby", "--id", "A", "--priority", "-3", "--duration", "8s", "--ttl-ms", "900",
                "--delay", "1s", "--min-display", "2s", "--exclusive", "all", "--collapse-key", "k",
                "--no-interruptible", "--surface", "s", "--content-type", "text/plain", "--action", "ok=Fine",
                "--action", "no", "--title", "T", "--scene", "bottom-sheet", "--animation", "none", "--icon", "i",
                "--style", "warning", "--corner-radius", "4", "--dismiss-on-outside", "--countdown", "--backdrop",
                "Hello",
            ]) as? ShowCommand)

        var expected = Popup(id: "A", group: "lobby", priority: -3, duration: .seconds(8), title: "T", text: "Hello")
        expected.ttlMs = 900
        expected.delayMs = 1000
        expected.minDisplayMs = 2000
        expected.exclusive = .all
        expected.collapseKey = "k"
        expected.interruptible = false
        expected.surface = "s"
        expected.contentType = "text/plain"
        expected.actions = [WireAction(id: "ok", label: "Fine"), WireAction(id: "no", label: "no")]
        expected.presentation.scene = .bottomSheet
        expected.presentation.animation = .noAnimation
        expected.presentation.icon = "i"
        expected.presentation.style = "warning"
        expected.presentation.cornerRadius = 4
        expected.presentation.dismissOnOutside = true
        expected.presentation.countdown = true
        expected.presentation.backdrop = true
        #expect(try command.popup() == expected)
    }

    @Test("gives a policy, as options or as JSON")
    func policies() throws {
        func policy(_ arguments: String...) throws -> GroupPolicy {
            try #require(try PopupCtl.parseAsRoot(["policy"] + arguments) as? PolicyCommand).policy()
        }
        var expected = GroupPolicy()
        expected.group = "lobby"
        expected.preset = .stacked
        expected.lower = .never
        expected.gapMs = 500
        expected.ignorePriority = false
        expected.maxWaiting = 3
        expected.overflow = .dropOldest

        #expect(
            try policy(
                "lobby", "--preset", "stacked", "--lower", "never", "--gap", "500ms", "--no-ignore-priority",
                "--max-waiting", "3", "--overflow", "drop-oldest") == expected)
        #expect(
            try policy(
                "--policy",
                #"{"group":"lobby","preset":"STACKED","lower":"NEVER","gapMs":500,"ignorePriority":false,"#
                    + #""maxWaiting":3,"overflow":"DROP_OLDEST"}"#) == expected)
        let mistyped = #expect(throws: Failure.self) { try policy("--policy", #"{"group":"lobby","preset":"QUEUE"}"#) }
        #expect(mistyped?.code == .refused)
    }

    @Test(
        "is told to be missing or too many",
        arguments: [
            ["show", "Hello"], ["show", "--group", "lobby", "--file", "x", "Hello"], ["clear"], ["policy"],
            ["policy", "--policy", "{}", "--preset", "fifo"], ["events", "--count", "0"], ["suspend", "lobby"],
        ])
    func mistakes(arguments: [String]) {
        #expect(throws: (any Error).self) { try PopupCtl.parseAsRoot(arguments) }
    }
}
