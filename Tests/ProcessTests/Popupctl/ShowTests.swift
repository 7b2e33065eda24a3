import Glibc
import PopupProtocol
import Testing
import TestPrograms

@Suite("popupctl show", .ownThread)
struct ShowTests {
    let broker: BrokerProcess
    let wire: Wire
    let control: Control

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/", "state/")
        control = Control(broker: broker)
    }

    @Test("asks for a popup with all that is given, and tells what became of it")
    func show() throws {
        let result = try control.run(
            "show", "--group", "g", "--id", "A", "--priority", "-3", "--duration", "1m", "--surface", "top",
            "--action", "yes=Yes", "--action", "no", "--title", "News", "--scene", "top-bar", "--no-interruptible",
            "Grüße")
        #expect(result == .init(exit: .code(0), output: "A: active in g\n", error: ""))

        let popup = try wire.state("A", of: "g").active
        #expect(popup.priority == -3)
        #expect(popup.durationMs == 60000)
        #expect(popup.surface == "top")
        #expect(popup.actions.map { "\($0.id) \($0.label)" } == ["yes Yes", "no no"])
        #expect(popup.presentation.title == "News")
        #expect(popup.presentation.scene == .topBar)
        #expect(!popup.interruptible)
        #expect(popup.text == "Grüße")

        let again = try control.run("show", "--group", "g", "--id", "A", "other")
        #expect(again.exit == .code(0))
        #expect(again.output == "A: active in g (the id was known already; nothing has changed)\n")
        let behind = try control.run("show", "--group", "g", "--id", "B", "--priority", "9", "--json", "behind")
        #expect(behind.exit == .code(0))
        #expect(behind.output.contains(#""phase":"WAITING""#))
    }

    /// Starts a broker whose clients without a key, thus all, have these rights in the group `g`.
    private func broker(allowing rights: String, in directory: TemporaryDirectory) throws -> BrokerProcess {
        let file = try directory.write(
            "popup-broker.yaml",
            "security: {roles: {some: [{groups: [g], may: [\(rights)]}]}, anonymous: [some]}\n")
        return try BrokerProcess(configuration: file)
    }

    @Test("says what a user without the right to follow events may know, and finds the end by asking")
    func withoutEvents() throws {
        let directory = try TemporaryDirectory()
        let control = Control(broker: try broker(allowing: "show, dismiss, query", in: directory))
        for _ in 1...2 {
            let result = try control.run("show", "--group", "g", "--id", "A", "text")
            #expect(result == .init(exit: .code(0), output: "A: active in g\n", error: ""))
        }
        #expect(try control.run("dismiss", "A").output.hasPrefix("A: closed"))
        let waited = try control.run("show", "--wait", "--group", "g", "--id", "B", "--duration", "200ms", "text")
        #expect(waited.exit == .code(1))
        #expect(waited.output.hasPrefix("B: "))
        #expect(waited.output.contains("TIMED_OUT"))
    }

    @Test("is sent by a user who may show and no more")
    func showOnly() throws {
        let directory = try TemporaryDirectory()
        let control = Control(broker: try broker(allowing: "show", in: directory))
        let result = try control.run("show", "--group", "g", "--id", "A", "text")
        #expect(result == .init(exit: .code(0), output: "A: accepted\n", error: ""))
        let waiting = try control.run("show", "--wait", "--group", "g", "--id", "B", "text")
        #expect(waiting.exit == .code(65))
        #expect(waiting.error.contains("needs the right events or query in g"))
        // The log has no refusal of what the command has tried in passing: real ones can be found.
        let broker = control.broker
        let log = try broker.terminate().error
        #expect(!log.contains("command refused"), "\(log)")
    }

    @Test("an id that nobody could type again is refused before it is sent")
    func invisibleID() throws {
        let result = try control.run("show", "--group", "g", "--id", "o\u{202E}k", "text")
        #expect(result.exit == .code(64))
        #expect(result.error.contains("--id has characters that no terminal shows"))
    }

    @Test("takes the content from a file or the standard input")
    func content() throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("content", "from a file\n")
        #expect(try control.run("show", "--group", "f", "--id", "F", "--file", file).exit == .code(0))
        #expect(try control.run("show", "--group", "i", "--id", "I", "-", input: file).exit == .code(0))

        #expect(try wire.state("F", of: "f").active.text == "from a file\n")
        #expect(try wire.state("I", of: "i").active.text == "from a file\n")
        let missing = try control.run("show", "--group", "f", "--file", folder.path("missing"))
        #expect(missing.exit == .code(66))
        #expect(
            missing.error
                == "popupctl: cannot read \(folder.path("missing")): it does not exist; check the path\n")
        let directory = try control.run("show", "--group", "f", "--file", folder.path("."))
        #expect(directory.exit == .code(66))
        #expect(directory.error.hasSuffix(": it is a directory; name a file\n"))
    }

    @Test("--wait ends with 0 when it is dismissed, and tells the action")
    func waitForDismissal() throws {
        let show = try control.start(["show", "--group", "g", "--id", "A", "--wait", "Really?"])
        try wire.state("A", of: "g")
        try wire.send(dismiss("A", "yes"))

        let result = try show.result()
        #expect(result.exit == .code(0))
        #expect(result.output.hasPrefix("A: closed DISMISSED yes, shown for "))
        #expect(result.error == "")
    }

    @Test("--wait ends with 1 when it closes in any other way")
    func waitForTimeout() throws {
        let result = try control.run("show", "--group", "g", "--id", "A", "--duration", "300ms", "--wait", "Really?")
        #expect(result.exit == .code(1))
        #expect(result.output.hasPrefix("A: closed TIMED_OUT, shown for "))

        let json = try control.start(["show", "--group", "g", "--id", "B", "--wait", "--json", "Really?"])
        try wire.state("B", of: "g")
        try wire.send(#"{"clear":{"selector":{"group":"g"}}}"#)
        let closed = try json.result()
        #expect(closed.exit == .code(1))
        #expect(closed.output.contains(#""closed":{"reason":"CLEARED""#))
        #expect(closed.output.contains(#""phase":"CLOSED""#), "the same form as without --wait")
    }

    @Test(
        "--expect ends with 0 only for the expected answer",
        arguments: [("yes", 0), ("no", 1), ("maybe", 0)] as [(String, Int32)])
    func expectation(answer: String, code: Int32) throws {
        let show = try control.start(
            ["show", "--group", "g", "--id", "A", "--expect", "yes", "--expect", "maybe", "Drop the table?"])
        try wire.state("A", of: "g")
        try wire.send(dismiss("A", answer))

        let result = try show.result()
        #expect(result.exit == .code(code))
        #expect(result.output.hasPrefix("A: closed DISMISSED \(answer), shown for "))
    }

    @Test("--expect ends with 1 for a popup that closes without an answer")
    func nothingExpected() throws {
        let result = try control.run(
            "show", "--group", "g", "--id", "A", "--duration", "300ms", "--expect", "yes", "Really?")
        #expect(result.exit == .code(1))
    }

    @Test("prints only the action, only the id, or nothing")
    func forms() throws {
        let question = try control.start(["show", "--group", "g", "--id", "A", "--print-action", "Really?"])
        try wire.state("A", of: "g")
        try wire.send(dismiss("A", "yes"))
        #expect(try question.result() == .init(exit: .code(0), output: "yes\n", error: ""))
        let unanswered = try control.run(
            "show", "--group", "g", "--id", "B", "--duration", "300ms", "--print-action", "Really?")
        #expect(unanswered == .init(exit: .code(1), output: "", error: ""))

        #expect(
            try control.run("show", "--group", "g", "--id", "C", "--print-id", "Hello")
                == .init(exit: .code(0), output: "C\n", error: ""))
        #expect(
            try control.run("show", "--group", "g", "--id", "D", "-q", "Hello")
                == .init(exit: .code(0), output: "", error: ""))
        #expect(try control.run("show", "--group", "g", "--print-id", "--json", "Hello").exit == .code(64))
    }

    @Test(
        "an interrupt cancels the popup that it waits for",
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func interrupted(signal: Int32, code: Int32) throws {
        let show = try control.start(["show", "--group", "g", "--id", "A", "--wait", "Really?"])
        try wire.state("A", of: "g")
        show.signal(signal)

        #expect(
            try show.result() == .init(exit: .code(code), output: "", error: "popupctl: `A` is cancelled\n"))
        try wire.event("A closed DISMISSED", of: "g")
    }

    @Test("a hangup changes nothing after nohup")
    func nohup() throws {
        let show = try ChildProcess(
            "/usr/bin/env",
            [
                "nohup", Programs.control, "show", "--group", "g", "--id", "A", "--wait", "Really?", "--ingress",
                broker.ingress, "--egress", broker.egress,
            ])
        try wire.state("A", of: "g")
        show.signal(SIGHUP)
        try wire.send(dismiss("A", "yes"))

        let result = try show.result()
        #expect(result.exit == .code(0))
        #expect(result.output.hasPrefix("A: closed DISMISSED yes"))
    }

    @Test("an interrupt leaves the popup with --no-cancel")
    func left() throws {
        let show = try control.start(["show", "--group", "g", "--id", "A", "--wait", "--no-cancel", "Really?"])
        try wire.state("A", of: "g")
        show.signal(SIGINT)

        #expect(try show.result().exit == .code(130))
        #expect(try control.run("explain", "A").output.hasPrefix("A: active in g"))
    }

    @Test(
        "a popup that says nothing is an error, unless it is wanted", arguments: [[], [""], [" \n "], ["--title", ""]])
    func nothingToShow(arguments: [String]) throws {
        let result = try control.start(["show", "--group", "g", "--id", "A"] + arguments).result()
        #expect(result.exit == .code(64))
        #expect(result.error.hasPrefix("popupctl: there is nothing to show; "))
        #expect(try control.start(["show", "--group", "g", "--allow-empty"] + arguments).result().exit == .code(0))
    }

    @Test("of a popup that is never shown says so")
    func neverShown() throws {
        #expect(try control.run("show", "--group", "g", "--id", "A", "first").exit == .code(0))
        let result = try control.run("show", "--wait", "--group", "g", "--id", "B", "--ttl", "300ms", "second")
        #expect(result == .init(exit: .code(1), output: "B: closed EXPIRED, never shown\n", error: ""))
        let explained = try control.run("explain", "B").output
        #expect(explained.hasPrefix("B: closed EXPIRED, never shown\n"))
    }

    @Test("ends with 65 when the broker refuses it, with its reason")
    func refusal() throws {
        try wire.send(#"{"setPolicy":{"group":"g","maxWaiting":0}}"#)
        try wire.send(ProcessTests.show("A", in: "g"))
        try wire.settle()
        // Until then it tries again: there may be room. When its time is over just after a try, it says that it does
        // not know.
        var result = try control.run("show", "--group", "g", "--id", "B", "--timeout", "2500ms", "B")
        for time in ["2500ms", "5s", "10s", "20s"] where result.exit == .code(75) {
            result = try control.run("show", "--group", "g", "--id", "B", "--timeout", time, "B")
        }

        #expect(result.exit == .code(65))
        #expect(result.output == "")
        #expect(result.error.hasPrefix("popupctl: refused OVERLOAD: "))
        #expect(result.error.split(separator: "\n").count == 1)
    }

    @Test("--no-ack sends it, and tells no more")
    func noAck() throws {
        let result = try control.run("show", "--group", "g", "--id", "A", "--no-ack", "Hello")
        #expect(result == .init(exit: .code(0), output: "A: sent\n", error: ""))
        try wire.state("A", of: "g")
        let json = try control.run("dismiss", "A", "--no-ack", "--json")
        #expect(json == .init(exit: .code(0), output: "{\"sent\":\"A\"}\n", error: ""))
        try wire.event("A closed DISMISSED", of: "g")
        #expect(try control.run("show", "--group", "g", "--no-ack", "--wait", "Hello").exit == .code(64))
    }

    @Test("ends with 64 for wrong arguments, with 75 when there is no broker")
    func failures() throws {
        #expect(try control.run("show", "text").exit == .code(64))
        let impatient = try control.run("show", "--group", "g", "--timeout", "0s", "text")
        #expect(impatient.exit == .code(64))
        #expect(impatient.error.split(separator: "\n").first == "Error: --timeout must be more than 0.")
        #expect(try control.run("show", "--group", "no group", "text").exit != .code(0))

        _ = try broker.terminate()
        let result = try control.run("show", "--group", "g", "--timeout", "200ms", "text")
        #expect(result.exit == .code(75))
        #expect(result.error.hasPrefix("popupctl: "))
        #expect(result.error.contains(broker.ingress))
        #expect(result.error.split(separator: "\n").count == 1)
    }
}
