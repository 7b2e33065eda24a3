import Foundation
import PopupClient
import PopupProtocol
import Testing
import TestPrograms

@Suite("popupctl", .ownThread)
struct PopupctlTests {
    let broker: BrokerProcess
    let wire: Wire
    let control: Control

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/", "state/")
        control = Control(broker: broker)
        try wire.send([
            show("A", in: "store/1", #""priority":1"#), show("B", in: "store/1", #""priority":5"#),
            show("C", in: "store/1", #""priority":2"#), show("D", in: "store/2", #""durationMs":60000"#),
        ])
        try wire.settle()
    }

    /// The standard output of a run that must end well and say nothing else.
    private func output(_ arguments: String...) throws -> String {
        let result = try control.start(arguments).result()
        #expect(result.exit == .code(0))
        #expect(result.error == "")
        return result.output
    }

    @Test("list and peek print a table, or JSON")
    func list() throws {
        let table = try output("list").split(separator: "\n").map {
            $0.split(separator: " ").prefix(4).joined(separator: " ")
        }
        #expect(
            table == [
                "ID GROUP PRIORITY PHASE", "B store/1 5 active", "C store/1 2 waiting", "A store/1 1 paused",
                "D store/2 0 active",
            ])
        #expect(try output("list", "store/1", "--paused").split(separator: "\n").count == 2)
        #expect(try output("peek", "store/2").split(separator: "\n").count == 2)

        let json = try output("list", "store/*", "--active", "--json")
        let list: WireListResult = try WireEncoding.json.decode(Array(json.utf8))
        #expect(list.popups.map(\.words) == ["B ACTIVE 5", "D ACTIVE 0"])
    }

    /// The words that a shell offers after the beginning of an argument.
    private func offers(_ command: String, _ beginning: String, at broker: BrokerProcess) throws -> [String] {
        let typed = ["popupctl", command, "--ingress", broker.ingress, "--egress=\(broker.egress)", beginning]
        let asked = ["---completion", command, "--", "positional@0", "\(typed.count - 1)", "\(beginning.count)"]
        let result = try ChildProcess(Programs.control, asked + typed).result()
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test("a shell completes groups and live popups")
    func completions() throws {
        #expect(try offers("dismiss", "", at: broker).sorted() == ["A", "B", "C", "D"])
        #expect(try offers("dismiss", "D", at: broker) == ["D"])
        #expect(try offers("peek", "store/", at: broker) == ["store/1", "store/2"])
        #expect(try offers("peek", "store/2", at: broker) == ["store/2"])
        #expect(try offers("peek", "other", at: broker) == [])
    }

    @Test("a shell completes the tokens of suspensions")
    func tokens() throws {
        #expect(try offers("resume", "", at: broker) == [])
        for token in ["call", "night"] {
            #expect(try output("suspend", "store/1", "--token", token) != "")
        }
        #expect(try offers("resume", "", at: broker) == ["call", "night"])
        #expect(try offers("resume", "n", at: broker) == ["night"])
    }

    @Test("a shell completes groups, however many come before them")
    func completionsBeyondAPage() throws {
        let broker = try BrokerProcess(arguments: ["--set", "limits.queryResults=2"])
        let wire = try broker.wire(following: "events/")
        let groups = [
            "store-1", "store-2", "store-3", "store.a", "store/2-a", "store/2-b", "store/2-c", "store/2/x", "store/20",
        ]
        try wire.send(groups.map { show("p-\($0)", in: $0) })
        try wire.settle()
        #expect(try offers("peek", "store/", at: broker) == ["store/2-a", "store/2-b"])
        #expect(try offers("peek", "store/2/", at: broker) == ["store/2/x"])
        #expect(try offers("peek", "store/20", at: broker) == ["store/20"])
        #expect(try offers("peek", "store.", at: broker) == ["store.a"])
        #expect(try offers("peek", "store/3", at: broker) == [])
    }

    @Test("list and explain say what a popup says and when it expires")
    func content() throws {
        let shown = try control.run(
            "show", "--group", "store/1", "--id", "T", "--ttl", "5m", "--title", "News", "Grüße\nan alle")
        #expect(shown.exit == .code(0))
        let lines = try output("list", "store/1", "--waiting").split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("T ") })
        #expect(line.contains("expires in ") && line.hasSuffix("News – Grüße an alle"))
        let explanation = try output("explain", "T").split(separator: "\n")
        #expect(explanation.contains("content: News – Grüße an alle"))
        #expect(explanation.contains { $0.hasPrefix("expires: in ") })
    }

    @Test("peek and watch say what a popup says and how much time is left")
    func contentAndTime() throws {
        for arguments in [
            ["--id", "T", "--duration", "60s", "--title", "News", "Grüße\nan alle"],
            ["--id", "U", "--ttl", "50s", "soon over"], ["--id", "V", "--delay", "40s", "later"],
        ] {
            #expect(try control.start(["show", "--group", "store/3"] + arguments).result().exit == .code(0))
        }
        // Of the first a minute was left, of each of the others ten seconds less.
        func seconds(_ text: Substring, of whole: Double) -> Bool {
            Double(text).map { $0 > whole - 30 && $0 <= whole } ?? false
        }

        let table = try output("peek", "store/3").split(separator: "\n").dropFirst()
        let rows = [
            /T +store\/3 +0 +active +([0-9.]+) s +News – Grüße an alle/,
            /U +store\/3 +0 +waiting +expires in ([0-9.]+) s +soon over/,
            /V +store\/3 +0 +delayed +in ([0-9.]+) s +later/,
        ]
        #expect(table.count == rows.count)
        for ((line, row), whole) in zip(zip(table, rows), [60.0, 50, 40]) {
            let match = try #require(line.wholeMatch(of: row), "\(line)")
            #expect(seconds(match.1, of: whole), "\(line)")
        }
        let queue: WirePeekResult = try WireEncoding.json.decode(Array(output("peek", "store/3", "--json").utf8))
        #expect(queue.popups.map(\.title) == ["News", "", ""])
        #expect(queue.popups.map(\.excerpt) == ["Grüße\nan alle", "soon over", "later"])
        #expect(queue.popups[0].hasRemainingMs && (30_001...60_000).contains(queue.popups[0].remainingMs))
        #expect(queue.popups[1].hasExpiresMs && (20_001...50_000).contains(queue.popups[1].expiresMs))
        #expect((10_001...40_000).contains(queue.popups[2].delayMs))

        let watch = try control.start(["watch", "store/3"])
        let line = try watch.wait(for: "to show the state") { output, _, _ in
            output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first.map(String.init)
        }
        watch.signal(SIGINT)
        let words = /[0-9:]+ store\/3 changed: T, priority 0, ([0-9.]+) s left, 2 in queue: News – Grüße an alle/
        let match = try #require(line.wholeMatch(of: words), "\(line)")
        #expect(seconds(match.1, of: 60), "\(line)")
    }

    @Test("JSON has zeros, empty lists and numbers, as scripts expect")
    func scriptingJSON() throws {
        #expect(try output("list", "store/9", "--json") == "{\"popups\":[],\"truncated\":false}\n")
        let stats = try output("stats", "--json")
        #expect(stats.contains(#""popups":4,"#))
        #expect(stats.contains(#""refused":0,"#))
    }

    @Test("count prints a number, or JSON")
    func count() throws {
        #expect(try output("count") == "4\n")
        #expect(try output("count", "store/1", "--priority-below", "3") == "2\n")
        #expect(try output("count", "store/9", "--json") == "{\"popups\":0}\n")
    }

    @Test("explain tells what keeps a popup, and ends with 65 when it knows none")
    func explain() throws {
        let line = try output("explain", "A").split(separator: "\n").map(String.init)
        #expect(line.first?.hasPrefix("A: paused in store/1: ") == true)
        #expect(line.dropFirst() == ["rule: queue", "behind: B, C"])
        let json: WireExplainResult = try WireEncoding.json.decode(Array(output("explain", "B", "--json").utf8))
        #expect(json.phase == .active)

        let unknown = try control.run("explain", "nobody")
        #expect(unknown.exit == .code(65))
        #expect(unknown.output == "")
        #expect(unknown.error == "popupctl: no popup has the id `nobody`; `popupctl list` lists the live popups\n")
    }

    @Test("dismiss closes with the action, and ends with 65 when there is nothing to close")
    func dismiss() throws {
        #expect(try output("dismiss", "B", "confirm").hasPrefix("B: closed DISMISSED confirm, shown for "))
        try wire.event("B closed DISMISSED confirm", of: "store/1")
        for (id, revision) in [("B", "9"), ("nobody", "9"), ("C", "0")] {
            let result = try control.run("dismiss", id, "--revision", revision)
            #expect(result.exit == .code(65))
            #expect(result.output == "")
            #expect(result.error.split(separator: "\n").count == 1)
        }
        #expect(wire.events.count { $0.words.contains("closed") } == 1)
    }

    @Test("advance goes to the next")
    func advance() throws {
        let lines = try output("advance", "store/1").split(separator: "\n")
        #expect(lines.first?.hasPrefix("B: closed ADVANCED, shown for ") == true)
        #expect(lines.last == "store/1: shows C")
        #expect(try output("advance", "nobody") == "nobody: shows nothing\n")
    }

    @Test("update changes a popup in place")
    func update() throws {
        let line = try output("update", "C", "new text", "--priority", "7")
        #expect(line.hasPrefix("C: updated, "))
        #expect(try wire.state("C +2 paused", of: "store/1").active.text == "new text")
    }

    @Test("clear closes what is selected, and needs a selection")
    func clear() throws {
        #expect(try output("clear", "store/1", "--waiting") == "1 popup closed\n")
        try wire.event("C closed CLEARED", of: "store/1")
        #expect(try output("clear", "*", "--json") == "{\"cleared\":3,\"left\":0}\n")
        #expect(try control.run("clear").exit == .code(64))
    }

    @Test("suspend and resume hold popups back and let them go")
    func suspension() throws {
        #expect(try output("suspend", "store/*", "--token", "call", "--min-priority", "3").hasPrefix("store/*: "))
        try wire.event("D paused", of: "store/2")
        #expect(try output("explain", "D").contains("behind: call"))
        #expect(try output("resume", "call").hasPrefix("call: "))
        try wire.event("D resumed", of: "store/2")
        #expect(wire.events(of: "store/1").count == 4)
        #expect(try output("suspend", "store/2", "--token", "call").hasPrefix("store/2: "))
        #expect(try output("resume", "--token", "call") == "call: no longer suspends any group\n")
        #expect(
            try output("resume", "call")
                == "call: there was no such suspension; `popupctl suspensions` lists those in force\n")
        #expect(try control.run("resume").exit == .code(64))
    }

    @Test("policy sets rules from options, JSON or a file, and ends with 65 when they are wrong")
    func policy() throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write("policy.json", #"{"preset":"FIFO"}"#)
        #expect(try output("policy", "set", "p/1", "--preset", "lifo") == "p/1: policy set\n")
        #expect(try output("policy", "set", "--policy", #"{"group":"p/2","higher":"NEVER"}"#) == "p/2: policy set\n")
        #expect(try output("policy", "set", "p/3", "--policy", "@\(file)") == "p/3: policy set\n")
        // A pipe can be read only once.
        let script = #""$0" policy set --policy @<(echo '{"group":"p/4","preset":"FIFO"}') "$@""#
        let piped = try ChildProcess(
            "/bin/bash",
            ["-c", script, Programs.control, "--ingress", broker.ingress, "--egress", broker.egress]
        ).result()
        #expect(piped == .init(exit: .code(0), output: "p/4: policy set\n", error: ""))
        for group in ["p/1", "p/2", "p/3"] {
            try wire.send([show("\(group)-1", in: group), show("\(group)-2", in: group, #""priority":1"#)])
        }
        try wire.settle()
        #expect(
            ["p/1", "p/2", "p/3"].map { wire.events(of: $0)[1].words } == [
                "p/1-1 paused", "p/2-2 closed REJECTED", "p/3-2 queued",
            ])

        let wrong = [
            #"{"group":"g","higher":"MAYBE"}"#, "{", #"{"group":"g","quorum":0}"#, #"{"group":"a//b"}"#,
            #"{"group":"g","prest":"LIFO"}"#,
        ]
        for policy in wrong {
            let result = try control.run("policy", "set", "--policy", policy)
            #expect(result.exit == .code(65))
            #expect(result.output == "")
            #expect(result.error.split(separator: "\n").count == 1)
        }
    }

    @Test("policy show changes nothing, set keeps the other rules, and unset removes the policy")
    func policies() throws {
        let usual = try output("policy", "show", "q")
        #expect(usual.hasPrefix("q: the default policy\n  preset: PRIORITY\n  higher: PAUSE\n"))
        #expect(try output("policy", "set", "q", "--cap", "ads=3/10m", "--quiet", "22:00-07:00@Etc/UTC<5") != "")
        #expect(try output("policy", "set", "q", "--preset", "lifo", "--gap", "500ms") == "q: policy set\n")

        let mistake = try control.run("policy", "q")
        #expect(mistake.exit == .code(64))
        #expect(mistake.error.contains("`popupctl policy` has `show`, `set`, `unset`"))
        #expect(try control.run("policy", "set", "q").exit == .code(64))

        let shown = try output("policy", "show", "q").split(separator: "\n").map(String.init)
        #expect(shown.first == "q: the policy that a client has set for q")
        for rule in [
            "preset: LIFO", "peers: PAUSE", "gapMs: 500", "cap: ads: 3 in 10 min",
            "quiet: 22:00-07:00 Etc/UTC, below priority 5",
        ] {
            #expect(shown.contains("  \(rule)"))
        }
        let json = try output("policy", "show", "--json").split(separator: "\n")
        let policies: [WirePolicyInForce] = try json.map { try WireEncoding.json.decode(Array($0.utf8)) }
        #expect(policies.map(\.policy.group) == ["*", "q"])
        #expect(policies.map(\.source) == [.default, .client])

        #expect(try output("policy", "unset", "q") == "q: policy removed; now the default policy\n")
        #expect(try output("policy", "show", "q") == usual)
        #expect(
            try output("policy", "unset", "q")
                == "q: no client had set a policy for it; the default policy is in force\n")
        #expect(try output("policy", "set", "*", "--gap", "500ms") == "*: policy set\n")
        #expect(
            try output("policy", "unset", "q")
                == "q: no client had set a policy for it; the policy that a client has set for * is in force\n")
    }

    @Test("policy unset and session tell what holds in any case to a user who may not ask what was before")
    func withoutQueries() throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write(
            "popup-broker.yaml",
            "security: {roles: {some: [{groups: [g], may: [control]}]}, anonymous: [some]}\n")
        let control = Control(broker: try BrokerProcess(configuration: file))
        for _ in 1...2 {
            #expect(
                try control.run("policy", "unset", "g")
                    == .init(exit: .code(0), output: "g: no client's policy is set for it now\n", error: ""))
            #expect(
                try control.run("session", "g") == .init(exit: .code(0), output: "g: no session now\n", error: ""))
        }
    }

    @Test("set changes a rule of the policy of a pattern for one group alone, and --replace keeps no other rule")
    func policyOfPattern() throws {
        #expect(try output("policy", "set", "r/*", "--preset", "fifo", "--gap", "500ms") == "r/*: policy set\n")
        #expect(try output("policy", "set", "r/1", "--max-waiting", "3") == "r/1: policy set\n")
        let rules = try output("policy", "show", "r/1").split(separator: "\n").map(String.init)
        #expect(rules.first == "r/1: the policy that a client has set for r/1")
        for rule in ["preset: FIFO", "gapMs: 500", "maxWaiting: 3"] { #expect(rules.contains("  \(rule)")) }
        let pattern = try output("policy", "show", "r/2").split(separator: "\n").map(String.init)
        #expect(pattern.first == "r/2: the policy that a client has set for r/*")
        #expect(pattern.contains("  gapMs: 500") && !pattern.contains("  maxWaiting: 3"))

        #expect(try output("policy", "set", "r/1", "--replace", "--aging", "1m") == "r/1: policy set\n")
        let replaced = try output("policy", "show", "r/1").split(separator: "\n").map(String.init)
        #expect(replaced.contains("  agingMs: 60000"))
        for rule in ["preset: FIFO", "gapMs: 500", "maxWaiting: 3"] { #expect(!replaced.contains("  \(rule)")) }
    }

    @Test("a command that changes something prints one JSON object, which is about itself")
    func changesAsJSON() throws {
        func policy(_ arguments: String...) throws -> WirePolicyInForce {
            let result = try control.start(["policy"] + arguments + ["--json"]).result()
            #expect(result.exit == .code(0))
            #expect(result.lines.count == 1)
            return try WireEncoding.json.decode(Array(result.output.utf8))
        }
        let set = try policy("set", "store/1", "--preset", "lifo")
        #expect((set.policy.group, set.policy.preset, set.source) == ("store/1", .lifo, .client))
        #expect(try policy("unset", "store/1").source == .default)

        #expect(
            try output("session", "store/1", "guest", "--json")
                == #"{"closed":[],"group":"store/1","session":"guest"}"# + "\n")
        #expect(try output("show", "--group", "store/1", "--id", "S", "--session", "guest", "--delay", "1h", "x") != "")
        let changes: [(arguments: [String], object: String)] = [
            (["session", "store/1"], #"{"closed":["S"],"group":"store/1","session":""}"#),
            (["suspend", "store/*", "--token", "call"], #"{"suspended":"store/*","token":"call"}"#),
            (["resume", "call"], #"{"resumed":"call","wasKnown":true}"#),
            (["resume", "call"], #"{"resumed":"call","wasKnown":false}"#),
            (["advance", "store/3", "--no-ack"], #"{"sent":"store/3"}"#),
        ]
        for (arguments, object) in changes {
            let result = try control.start(arguments + ["--json"]).result()
            #expect(result == .init(exit: .code(0), output: object + "\n", error: ""))
        }
        let ping = try output("ping", "--json")
        #expect(ping.hasPrefix(#"{"endpoint":"\#(broker.ingress)","milliseconds":"#))
        #expect(try control.run("top", "--json").exit == .code(64))
    }

    @Test("--version prints the version of the product and of the protocol")
    func version() throws {
        let result = try ChildProcess(Programs.control, ["--version"]).result()
        #expect(
            result
                == .init(
                    exit: .code(0),
                    output: "popupctl \(ProductVersion.current), protocol \(ProtocolVersion.current)\n", error: ""))
    }

    @Test("ping says that the broker answers, and ends with 75 without one")
    func ping() throws {
        let answer = try output("ping")
        #expect(answer.hasSuffix(" ms\n") && answer.contains("the broker answers"))
        let nobody = try ChildProcess(
            Programs.control,
            ["ping", "--ingress", "ipc:///nowhere/in", "--egress", "ipc:///nowhere/out", "--timeout", "200ms"]
        ).result()
        #expect(nobody.exit == .code(75))
        #expect(nobody.output == "")
    }

    @Test("ping with ingress and egress exchanged says so, and ends with 75")
    func exchangedEndpoints() throws {
        let exchanged = try ChildProcess(
            Programs.control, ["ping", "--ingress", broker.egress, "--egress", broker.ingress]
        ).result()
        #expect(exchanged.exit == .code(75))
        #expect(exchanged.error.contains("check that ingress and egress are not exchanged"))
    }

    @Test(
        "what cannot be printed ends the command with 74 and a sentence, a stream, too",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: [
            ["list"], ["list", "--json"], ["stats", "--prometheus"], ["show", "--group", "g", "--print-id", "text"],
            ["watch", "store/1"], ["--help"], ["list", "--help"],
        ])
    func lostOutput(arguments: [String]) throws {
        let endpoints = arguments.last == "--help" ? [] : ["--ingress", broker.ingress, "--egress", broker.egress]
        let lost = try ChildProcess(
            "/bin/sh", ["-c", #"exec "$0" "$@" >/dev/full"#, Programs.control] + arguments + endpoints
        ).result()
        #expect(lost.exit == .code(74))
        #expect(
            lost.error
                == "popupctl: standard output cannot be written (No space left on device); the output is not complete\n"
        )
    }

    @Test(
        "a closed standard output ends the command with 74 and is named",
        arguments: [["list"], ["show", "--group", "g", "--print-id", "text"], ["watch", "store/1"], ["--version"]])
    func closedOutput(arguments: [String]) throws {
        let endpoints = arguments == ["--version"] ? [] : ["--ingress", broker.ingress, "--egress", broker.egress]
        let lost = try ChildProcess(
            "/bin/sh", ["-c", #"exec "$0" "$@" >&-"#, Programs.control] + arguments + endpoints
        ).result()
        #expect(lost.exit == .code(74))
        #expect(lost.error == "popupctl: standard output is closed; the output is not complete\n")
    }

    @Test("stats --prometheus prints every series once, with help and type")
    func prometheus() throws {
        let lines = try output("stats", "--prometheus").split(separator: "\n").map(String.init)
        #expect(lines.contains("popup_broker_up 1"))
        #expect(lines.contains("popup_broker_popups 4"))
        #expect(lines.contains { $0.hasPrefix("popup_broker_info{version=\"") && $0.hasSuffix("\"} 1") })
        #expect(lines.contains { $0.hasPrefix("popup_broker_commands_total{kind=\"show\"} ") && !$0.hasSuffix(" 0") })
        let samples = lines.filter { !$0.hasPrefix("#") }
        let series = Set(samples.map { $0.prefix { $0 != " " } })
        #expect(series.count == samples.count)
        let families = lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
        for family in families { #expect(lines.contains { $0.hasPrefix("# HELP \(family) ") }) }
        for name in series { #expect(families.contains { name.hasPrefix($0) }) }
    }

    @Test("stats of a broker with a journal on disk have its size, and how long commits took")
    func journalStatistics() throws {
        let folder = try TemporaryDirectory()
        let broker = try BrokerProcess(arguments: ["--data-dir", folder.path("data")])
        let control = Control(broker: broker)
        #expect(try control.run("show", "--group", "store/1", "Hello").exit == .code(0))
        let lines = try control.run("stats", "--prometheus").lines
        for series in ["popup_broker_journal_bytes ", "popup_broker_commit_duration_seconds_count "] {
            #expect(lines.contains { $0.hasPrefix(series) && !$0.hasSuffix(" 0") })
        }
    }

    @Test("events prints a JSON line an event, stats the counters")
    func events() throws {
        let events = try control.start(["events", "store/2", "--count", "2"])
        // Subscribed when something of it has arrived: until then popups of their own come and go.
        var round = 0
        let deadline = Deadline.standard
        while events.output.text(.standard).isEmpty, !deadline.isOver {
            round += 1
            try wire.send(show("E\(round)", in: "store/2", #""exclusive":"GROUP""#))
            try wire.settle()
        }
        let result = try events.result()
        // It says on a terminal alone that it listens.
        #expect(result.error == "")
        let lines = result.lines
        #expect(lines.count == 2)
        for line in lines {
            let event: WireEvent = try WireEncoding.json.decode(Array(line.utf8))
            #expect(event.group == "store/2")
        }

        let stats: WireStatsResult = try WireEncoding.json.decode(Array(output("stats", "--json").utf8))
        #expect(stats.epoch == broker.epoch)
    }

    @Test("watch prints a line a change where there is no terminal, and ends with a signal")
    func watch() throws {
        let watch = try control.start(["watch", "store/2"])
        _ = try watch.wait(for: "to show the state") { output, _, _ in
            output.contains("store/2 changed: D, priority 0") ? true : nil
        }
        try wire.send(ProcessTests.dismiss("D"))
        _ = try watch.wait(for: "to show the change") { output, _, _ in
            output.contains("store/2 closed D DISMISSED ok: nothing shown") ? true : nil
        }
        watch.signal(SIGINT)
        #expect(try watch.result().exit == .code(0))
    }
    @Test(
        "watch prints a state once, also of an empty group, although the broker is not heard for longer than 5 s",
        .timeLimit(.minutes(5)))
    func watchSilent() async throws {
        let watch = try control.start(["watch", "store/2", "store/3"])
        _ = try watch.wait(for: "to show the state") { output, _, _ in
            output.contains("store/2 changed: D, priority 0") ? true : nil
        }
        try wire.send(show("E", in: "store/3"))
        _ = try watch.wait(for: "to show the popup") { output, _, _ in
            output.contains("store/3 shown: E, priority 0") ? true : nil
        }
        try wire.send(ProcessTests.dismiss("E"))
        _ = try watch.wait(for: "to show the empty group") { output, _, _ in
            output.contains("store/3 closed E DISMISSED ok: nothing shown") ? true : nil
        }
        // This client waits for longer than the command does: when it misses the broker, so has the command.
        var limits = ClientLimits()
        limits.confirmationTimeout = .seconds(8)
        let admin = try AdminClient(BrokerEndpoints(ingress: broker.ingress, egress: broker.egress), limits: limits)
        var states = try admin.states(of: ["store/2"]).makeAsyncIterator()
        #expect(try await states.next()?.isConfirmed == true)
        broker.process.signal(SIGSTOP)
        do {
            defer { broker.process.signal(SIGCONT) }
            #expect(try await states.next()?.isConfirmed == false)
        }
        #expect(try await states.next()?.isConfirmed == true)

        try wire.send(ProcessTests.dismiss("D"))
        _ = try watch.wait(for: "to show the change") { output, _, _ in
            output.contains("store/2 closed D DISMISSED ok: nothing shown") ? true : nil
        }
        watch.signal(SIGINT)
        let lines = try watch.result().lines
        #expect(lines.filter { $0.contains(" store/2 ") }.count == 2)
        #expect(lines.filter { $0.contains(" store/3 ") }.count == 2)
    }
}
