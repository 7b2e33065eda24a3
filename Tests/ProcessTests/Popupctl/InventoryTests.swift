import Foundation
import PopupProtocol
import Testing
import TestPrograms

@Suite("popupctl's lists of what there is besides live popups", .ownThread)
struct InventoryTests {
    let broker: BrokerProcess
    let wire: Wire
    let control: Control

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/")
        control = Control(broker: broker)
        try wire.send([
            show("A", in: "store/1", #""text":"Grüße\nan alle""#), show("B", in: "store/2"), show("C", in: "store/2"),
        ])
        try wire.settle()
    }

    /// The lines of a run that must end well and say nothing else, in words.
    private func lines(_ arguments: String...) throws -> [[String]] {
        let result = try control.start(arguments).result()
        #expect(result.exit == .code(0))
        #expect(result.error == "")
        return result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    @Test("history prints what closed, the latest first, with how and what it said")
    func history() throws {
        for id in ["A", "B"] { #expect(try control.run("dismiss", id, "ok").exit == .code(0)) }
        let table = try lines("history")
        #expect(table.first?.first == "CLOSED")
        // The first two are the date and the time.
        #expect(
            table.dropFirst().map { $0.dropFirst(2).prefix(4) } == [
                ["store/2", "B", "DISMISSED", "ok"], ["store/1", "A", "DISMISSED", "ok"],
            ])
        #expect(table.last?.suffix(3) == ["Grüße", "an", "alle"])
        #expect(try lines("history", "store/1").count == 2)
        #expect(try lines("history", "--limit", "1").count == 2)
        let json = try control.run("history", "store/1", "--json")
        let popup: WireClosedPopup = try WireEncoding.json.decode(Array(json.output.utf8))
        #expect(popup.id == "A" && popup.closed.reason == .dismissed && popup.closed.action == "ok")
        #expect(abs(Double(popup.time) / 1000 - Date().timeIntervalSince1970) < 60)
        let wrong = try control.run("history", "--limit", "0")
        #expect(wrong.exit == .code(64))
    }

    @Test(
        "watch and events end with 65 without their right, as list does, and say which one is missing",
        arguments: [("watch", "watch"), ("events", "events"), ("list", "query")])
    func missingRight(command: String, right: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            "popup-broker.yaml",
            "security: {roles: {some: [{groups: [g], may: [watch, events, query]}]}, anonymous: [some]}\n")
        let control = Control(broker: try BrokerProcess(configuration: file))
        let result = try control.run(command, "h")
        #expect(result.exit == .code(65))
        #expect(result.output == "")
        #expect(
            result.error.hasPrefix(
                "popupctl: refused PERMISSION_DENIED: a client without a key needs the right \(right) in \"h\""))
    }

    /// What a shell with popupctl writes on a terminal.
    private func written(_ shell: String) async throws -> String {
        let terminal = try PseudoTerminal(
            URL(filePath: "/bin/sh"), ["-c", shell, BuiltPrograms.url("popupctl").path, broker.ingress, broker.egress],
            environment: ["TERM": "xterm"], columns: 80, rows: 24)
        #expect(await terminal.exitCode() == 0)
        return terminal.rest()
    }

    @Test("an empty list is a heading for a program, and a sentence for a user: where standard output goes decides")
    func nothing() async throws {
        let list = #""$0" groups nosuch --ingress "$1" --egress "$2""#
        #expect(try await written("\(list) 2>/dev/null") == "there are no groups in nosuch\r\n")
        #expect(
            try await written("\(list) | cat") == "GROUP  ACTIVE  WAITING  PAUSED  DELAYED  SESSION\r\n")
        for (command, sentence) in [
            (["list", "nosuch"], "there are no such popups in nosuch"),
            (["peek", "nosuch"], "there are no popups in nosuch"),
            (["history", "nosuch"], "no popups have closed in nosuch"),
            (["renderers", "nosuch"], "there are no renderers in nosuch"), (["renderers"], "there are no renderers"),
        ] {
            #expect(try control.start(command).result().lines.count == 1)
            let terminal = try PseudoTerminal(
                BuiltPrograms.url("popupctl"), command + ["--ingress", broker.ingress, "--egress", broker.egress],
                environment: ["TERM": "xterm"], columns: 80, rows: 24)
            #expect(await terminal.exitCode() == 0)
            #expect(terminal.rest() == "\(sentence)\r\n")
        }
    }

    @Test("page path says that there is no such tree or page, and prints nothing where all is omitted")
    func noPath() throws {
        #expect(try control.run("page", "open", "app", "home").exit == .code(0))
        for (arguments, sentence) in [
            (["nosuch"], "there is no tree `nosuch`"), (["nosuch", "home"], "there is no tree `nosuch`"),
            (["app", "nosuch"], "the tree `app` has no page `nosuch`"),
            (["nosuch", "--except", "home"], "there is no tree `nosuch`"),
        ] {
            let result = try control.start(["page", "path"] + arguments).result()
            #expect(result.exit == .code(65))
            #expect(result.output == "")
            #expect(result.error == "popupctl: \(sentence); `popupctl page open` opens a page\n")
        }
        let omitted = try control.run("page", "path", "app", "--except", "home")
        #expect(omitted == .init(exit: .code(0), output: "\n", error: ""))
    }

    @Test("a history that is not whole says so, also with --json; producers are printed to the end")
    func truncated() throws {
        let broker = try BrokerProcess(arguments: ["--set", "limits.queryResults=2"])
        let (wire, control) = (try broker.wire(following: "events/"), Control(broker: broker))
        try wire.send(
            (1...4).flatMap { number in
                let producer = String(repeating: "\(number)", count: 32)
                return [
                    #"{"producer":"\#(producer)","sequence":"1","show":{"id":"P\#(number)","group":"p"}}"#,
                    dismiss("P\(number)"),
                ]
            })
        try wire.settle()
        // The producer of the test itself sent last.
        let names = (1...4).map { String(repeating: "\($0)", count: 32) } + [wire.producer]
        for form in [[], ["--json"]] {
            let history = try control.start(["history"] + form).result()
            #expect(history.lines.count == (form.isEmpty ? 3 : 2))
            #expect(history.error.hasPrefix("popupctl: there may be older ones: "))
            for (limit, count) in [([], 5), (["--limit", "5"], 5), (["--limit", "4"], 4), (["--limit", "2"], 2)] {
                let producers = try control.start(["producers"] + limit + form).result()
                #expect(producers.error == "")
                let lines = producers.lines.dropFirst(form.isEmpty ? 1 : 0)
                #expect(lines.count == count)
                // Each once; of as many as a reply can contain, those that sent last.
                let named = names.filter { name in lines.contains { $0.contains(name) } }
                #expect(named.count == count)
                if count == 2 { #expect(named == names.suffix(2)) }
            }
            // As many as were asked for.
            #expect(try control.start(["history", "--limit", "2"] + form).result().error == "")
        }
        #expect(try control.run("producers", "--limit", "0").exit == .code(64))
    }

    @Test("groups prints each group with the numbers of its popups")
    func groups() throws {
        #expect(
            try lines("groups") == [
                ["GROUP", "ACTIVE", "WAITING", "PAUSED", "DELAYED", "SESSION"], ["store/1", "A", "0", "0", "0"],
                ["store/2", "B", "1", "0", "0"],
            ])
        #expect(try lines("groups", "store/2").count == 2)
        #expect(try lines("groups", "none/*").count == 1)
    }

    @Test("suspensions prints tokens with their groups and times")
    func suspensions() throws {
        #expect(try control.run("suspend", "store/*", "--token", "night", "--min-priority", "-5").exit == .code(0))
        let table = try lines("suspensions")
        #expect(table.first?.first == "TOKEN")
        #expect(table.last?.prefix(3) == ["night", "store/*", "-5"])
        #expect(table.last?.count == 5)
        #expect(try lines("suspensions", "store/1") == table)
        #expect(try lines("suspensions", "lobby").count == 1)
    }

    @Test("renderers prints who displays what, producers who sent what")
    func renderersAndProducers() throws {
        let producer = String(repeating: "a", count: 32)
        let lease = LeaseKeeper(
            [(client: "kiosk", groups: ["store/*"])], ingress: broker.ingress, egress: broker.egress)
        defer { withExtendedLifetime(lease) {} }
        try wire.send([
            #"{"lease":{"client":"kiosk","groups":["store/*"]}}"#,
            #"{"report":{"id":"A","client":"kiosk","displayed":{}}}"#,
            #"{"producer":"\#(producer)","sequence":"1","show":{"id":"P","group":"p"}}"#,
        ])
        try wire.settle()
        #expect(try lines("renderers").last?.prefix(4) == ["kiosk", "store/*", "A", "(hidden)"])
        #expect(try lines("renderers", "p").count == 1)
        #expect(try lines("producers", producer).last?.prefix(4) == [producer, "1", "1", "1"])
        #expect(try lines("producers").count >= 2)
    }

    @Test("groups, suspensions, renderers and policies are printed to the end, however many replies they take")
    func pages() throws {
        let broker = try BrokerProcess(arguments: ["--set", "limits.queryResults=40"])
        let (wire, control) = (try broker.wire(following: "events/"), Control(broker: broker))
        let (groups, names) = ((100..<250).map { "store/\($0)" }, (100..<190).map { "n\($0)" })
        try wire.send(
            groups.flatMap { [show("p-\($0)", in: $0), #"{"setPolicy":{"group":"\#($0)","preset":"FIFO"}}"#] }
                + names.flatMap {
                    [
                        #"{"suspend":{"group":"hall","token":"\#($0)"}}"#,
                        #"{"lease":{"client":"\#($0)","groups":["hall"]}}"#,
                    ]
                })
        try wire.settle()
        func firstWords(_ arguments: [String]) throws -> [String] {
            let result = try control.start(arguments).result()
            #expect(result.exit == .code(0))
            #expect(result.error == "")
            return result.lines.dropFirst().map { $0.split(separator: " ").first.map(String.init) ?? "" }
        }
        #expect(try firstWords(["groups", "store/*"]) == groups)
        #expect(try firstWords(["suspensions", "hall"]) == names)
        #expect(try firstWords(["renderers"]) == names)

        let counts: [WireGroupCounts] = try control.run("groups", "store/*", "--json").lines.map {
            try WireEncoding.json.decode(Array($0.utf8))
        }
        #expect(counts.map(\.group) == groups)
        #expect(counts.map(\.active) == groups.map { "p-\($0)" })
        let policies: [WirePolicyInForce] = try control.run("policy", "show", "--json").lines.map {
            try WireEncoding.json.decode(Array($0.utf8))
        }
        #expect(policies.map(\.policy.group) == ["*"] + groups)
        let printed = try control.run("policy", "show").lines.filter { !$0.hasPrefix(" ") }
        #expect(printed.dropFirst() == groups.map { "\($0): the policy that a client has set for \($0)" }[...])
    }
}
