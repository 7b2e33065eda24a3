import ArgumentParser
import CommandNames
import PopupClient
import PopupProtocol
import Testing

@testable import popupctl

@Suite("An argument of popupctl")
struct ArgumentTests {
    @Test(
        "tells a time as people write it",
        arguments: [
            ("8s", 8000), ("1.5s", 1500), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000), ("1h30m", 5_400_000),
            ("1m0.5s", 60_500), ("750", 750), ("0", 0), ("5ms", 5),
        ] as [(String, UInt32)])
    func times(text: String, milliseconds: UInt32) throws {
        #expect(try TimeArgument.parse(text).milliseconds == milliseconds)
    }

    @Test(
        "is refused when it is no time",
        arguments: ["", "s", "8 s", "-1s", "8d", "1.2.3s", "50d", "2000h", "5sec", "1h30"])
    func noTimes(text: String) {
        #expect(throws: ValidationError.self) { try TimeArgument.parse(text) }
    }

    @Test(
        "is refused when it is a small number without a unit, which may mean seconds",
        arguments: [
            (["show", "--group", "lobby", "Hello"], ["duration", "ttl", "delay", "min-display", "hold", "offer"]),
            (["update", "A"], ["duration"]), (["answer", "A", "later"], ["retry"]), (["ping"], ["timeout"]),
            (["top"], ["timeout"]),
            (
                ["policy", "set", "lobby"],
                [
                    "gap", "gap-min", "gap-max", "default-duration", "max-duration", "gather", "offer", "retry",
                    "display-timeout", "aging", "timeout",
                ]
            ),
        ] as [([String], [String])])
    func noUnit(command: [String], options: [String]) async throws {
        for option in options {
            let refusal = await #expect(throws: (any Error).self, "\(option)") {
                try await PopupCtl.asyncParseAsRoot(command + ["--\(option)", "5"])
            }
            let message = PopupCtl.message(for: try #require(refusal))
            #expect(message.hasPrefix("The value '5' is invalid for '--\(option) <\(option)>'"))
            #expect(message.contains("`5` has no unit; write 5s or 5ms."))
        }
    }

    @Test("has a default that the help names")
    func defaultTimeout() throws {
        #expect(try ConnectionOptions.parse([]).timeout == TimeArgument(milliseconds: 5000))
        #expect(PingCommand.helpMessage(columns: 200).contains("(default: 5s)"))
    }

    @Test("is one that the command takes if its help lists it")
    func topWithoutJSON() {
        func options(_ help: String) -> [Substring] {
            help.split(separator: "\n").filter { $0.hasPrefix("  --") }.map { $0.dropFirst(2).prefix { $0 != " " } }
        }
        let ping = options(PingCommand.helpMessage(columns: 80))
        #expect(ping.contains("--json"))
        #expect(options(TopCommand.helpMessage(columns: 80)) == ping.filter { $0 != "--json" })
    }

    @Test("names an action, with its label or without")
    func actions() {
        #expect(ActionArgument(argument: "yes=Yes, do")?.action == PopupAction(id: "yes", label: "Yes, do"))
        #expect(ActionArgument(argument: "formula=a=b")?.action == PopupAction(id: "formula", label: "a=b"))
        #expect(ActionArgument(argument: "ok")?.action == PopupAction(id: "ok", label: "ok"))
        #expect(ActionArgument(argument: "=Yes") == nil)
    }

    @Test("gives every field of a popup")
    func show() async throws {
        let command = try #require(
            try await PopupCtl.asyncParseAsRoot([
                "show", "--group", "lobby", "--id", "A", "--priority", "-3", "--duration", "8s", "--ttl-ms", "900",
                "--delay", "1s", "--min-display", "2s", "--exclusive", "all", "--collapse-key", "k",
                "--no-interruptible", "--surface", "s", "--content-type", "text/plain", "--action", "ok=Fine",
                "--action", "no", "--title", "T", "--scene", "bottom-sheet", "--animation", "none", "--icon", "i",
                "--style", "warning", "--corner-radius", "4", "--dismiss-on-outside", "--countdown", "--backdrop",
                "--flow", "wish", "--stage", "2", "--requires", "A:confirm", "--hold", "2s", "--page",
                "app:history:within", "--session", "guest", "--offer", "3s", "--quorum", "2", "--cap-key", "ads",
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
        expected.actions = [PopupAction(id: "ok", label: "Fine"), PopupAction(id: "no", label: "no")]
        expected.presentation.scene = .bottomSheet
        expected.presentation.animation = .noAnimation
        expected.presentation.icon = "i"
        expected.presentation.style = "warning"
        expected.presentation.cornerRadius = 4
        expected.presentation.dismissOnOutside = true
        expected.presentation.countdown = true
        expected.presentation.backdrop = true
        expected.flow = PopupFlow(
            "wish", stage: 2, requires: PopupRequirement("A", action: "confirm"), hold: .seconds(2))
        expected.page = .within("history", in: "app")
        expected.session = "guest"
        expected.offerMs = 3000
        expected.quorum = 2
        expected.capKey = "ads"
        #expect(try command.popup() == expected)
    }

    @Test("names a popup that is required, with its action or without")
    func requirements() {
        #expect(RequirementArgument(argument: "A")?.requirement == PopupRequirement("A"))
        #expect(RequirementArgument(argument: "A:ok")?.requirement == PopupRequirement("A", action: "ok"))
        #expect(RequirementArgument(argument: "a:b:")?.requirement == PopupRequirement("a:b"))
        #expect(RequirementArgument(argument: "a:b:ok")?.requirement == PopupRequirement("a:b", action: "ok"))
        #expect(RequirementArgument(argument: ":ok") == nil)
        #expect(RequirementArgument(argument: "") == nil)
    }

    @Test("names a page, the current one or one on the way")
    func pages() {
        #expect(PageArgument(argument: "app:video")?.binding == .current("video", in: "app"))
        #expect(PageArgument(argument: "app:video:current")?.binding == .current("video", in: "app"))
        #expect(PageArgument(argument: "app:history:within")?.binding == .within("history", in: "app"))
        #expect(PageArgument(argument: "app:a:b")?.binding == .current("a:b", in: "app"))
        #expect(PageArgument(argument: "app:within")?.binding == .current("within", in: "app"))
        for wrong in ["app", "app:", ":video", ""] { #expect(PageArgument(argument: wrong) == nil) }
    }

    @Test("says how often, and when not")
    func restraints() throws {
        #expect(try CapArgument.parse("3/10m").cap == PopupCap(3, per: .seconds(600)))
        #expect(try CapArgument.parse("a=b=3/1h").cap == PopupCap(3, per: .seconds(3600), key: "a=b"))
        for wrong in ["3", "3/", "/10m", "x/10m", "=3/10m", "3/10m/2", "-1/10m"] {
            #expect(throws: ValidationError.self) { try CapArgument.parse(wrong) }
        }
        #expect(
            try QuietArgument.parse("22:00-07:00@Europe/Berlin").window
                == QuietWindow(from: "22:00", to: "07:00", timeZone: "Europe/Berlin"))
        #expect(
            try QuietArgument.parse("22:00-07:00@Etc/GMT-2<-5").window
                == QuietWindow(from: "22:00", to: "07:00", timeZone: "Etc/GMT-2", minPriority: -5))
        for wrong in ["22:00", "22:00-07:00", "22:00-07:00@", "22:00-07:00@UTC<", "22:00-07:00@UTC<99999999999"] {
            #expect(throws: ValidationError.self) { try QuietArgument.parse(wrong) }
        }
    }

    @Test(
        "is told in which form a cap or a quiet window is written",
        arguments: [
            ("--cap", "3", "`3` is not a cap; write 3/10m for the group, or ads=3/10m for a cap key."),
            ("--cap", "3/5", "`5` has no unit; write 5s or 5ms."),
            (
                "--quiet", "22:00",
                "`22:00` is not in the form FROM-TO@ZONE; write 22:00-07:00@Europe/Berlin, or"
                    + " '22:00-07:00@Europe/Berlin<5' for priorities below 5."
            ),
            (
                "--quiet", "22:00-07:00@UTC<99999999999",
                "`99999999999` is not a priority; write a number from -2147483648 to 2147483647."
            ),
        ] as [(String, String, String)])
    func restraintForms(option: String, value: String, reason: String) async throws {
        let refusal = await #expect(throws: (any Error).self) {
            try await PopupCtl.asyncParseAsRoot(["policy", "set", "lobby", option, value])
        }
        let message = PopupCtl.message(for: try #require(refusal))
        #expect(message.hasPrefix("The value '\(value)' is invalid for '\(option) <"))
        #expect(message.hasSuffix("': \(reason)"))
    }

    @Test("gives every rule of a policy, in the words of the protocol")
    func rules() async throws {
        let command = try #require(
            try await PopupCtl.asyncParseAsRoot([
                "policy", "set", "lobby", "--gather", "2s", "--clock", "visible", "--offer", "3s", "--offer-default",
                "close",
                "--retry", "5s", "--display-timeout", "4s", "--undisplayed", "skip", "--renderer-lost", "requeue",
                "--max-attempts", "2", "--quorum-all", "--cap", "ads=3/10m", "--cap", "9/1h", "--quiet",
                "22:00-07:00@Europe/Berlin<5", "--aging", "1m", "--page-tree", "app",
            ]) as? SetPolicyCommand)
        let json =
            #"{"setPolicy":{"group":"lobby","gatherMs":2000,"clock":"VISIBLE","offerMs":3000,"offerDefault":"CLOSE","#
            + #""retryMs":5000,"displayTimeoutMs":4000,"undisplayed":"SKIP","rendererLost":"REQUEUE","maxAttempts":2,"#
            + #""quorumAll":true,"caps":[{"capKey":"ads","most":3,"perMs":600000},{"most":9,"perMs":3600000}],"#
            + #""quiet":[{"from":"22:00","to":"07:00","timeZone":"Europe/Berlin","minPriority":5}],"#
            + #""agingMs":60000,"pageTree":"app"}}"#

        #expect(try command.givenPolicy() == PopupCommand(json: json.utf8).setPolicy)
    }

    @Test("is a word of the protocol in either spelling")
    func spellings() async throws {
        func policy(_ arguments: String...) async throws -> GroupPolicy {
            let command = try await PopupCtl.asyncParseAsRoot(["policy", "set", "g"] + arguments) as? SetPolicyCommand
            return try #require(command).givenPolicy()
        }
        #expect(
            try await policy("--preset", "LIFO", "--lower", "NEVER", "--overflow", "DROP_OLDEST", "--clock", "VISIBLE")
                == policy("--preset", "lifo", "--lower", "never", "--overflow", "drop-oldest", "--clock", "visible"))
        await #expect(throws: (any Error).self) { try await policy("--preset", "QUEUE") }
    }

    @Test("is a text of one word or several", arguments: [["Tea is ready"], ["Tea", "is", "ready"]])
    func words(arguments: [String]) async throws {
        let show = try #require(
            try await PopupCtl.asyncParseAsRoot(["show", "-g", "lobby"] + arguments) as? ShowCommand)
        #expect(try show.popup().text == "Tea is ready")
        let update = try #require(try await PopupCtl.asyncParseAsRoot(["update", "tea"] + arguments) as? UpdateCommand)
        #expect(try update.update().text == "Tea is ready")
    }

    @Test("answers an offer")
    func answers() async throws {
        func answer(_ arguments: String...) async throws -> OfferAnswer {
            try #require(try await PopupCtl.asyncParseAsRoot(["answer", "A"] + arguments) as? AnswerCommand).answer
        }
        #expect(try await answer("accept") == .accept)
        #expect(try await answer("veto", "--client", "kiosk") == .veto)
        #expect(try await answer("later") == .later(after: nil))
        #expect(try await answer("later", "--retry", "5s") == .later(after: .seconds(5)))
    }

    @Test("gives a policy, as options or as JSON")
    func policies() async throws {
        func policy(_ arguments: String...) async throws -> GroupPolicy {
            try #require(try await PopupCtl.asyncParseAsRoot(["policy", "set"] + arguments) as? SetPolicyCommand)
                .givenPolicy()
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
            try await policy(
                "lobby", "--preset", "stacked", "--lower", "never", "--gap", "500ms", "--no-ignore-priority",
                "--max-waiting", "3", "--overflow", "drop-oldest") == expected)
        #expect(
            try await policy(
                "--policy",
                #"{"group":"lobby","preset":"STACKED","lower":"NEVER","gapMs":500,"ignorePriority":false,"#
                    + #""maxWaiting":3,"overflow":"DROP_OLDEST"}"#) == expected)
        let mistyped = await #expect(throws: Failure.self) {
            try await policy("--policy", #"{"group":"lobby","preset":"QUEUE"}"#)
        }
        #expect(mistyped?.code == .refused)
        let misspelt = await #expect(throws: Failure.self) {
            try await policy("--policy", #"{"group":"g","prest":"LIFO"}"#)
        }
        #expect(misspelt?.message.contains("no field `prest`; did you mean `preset`?") == true)
    }

    @Test(
        "is told what is wrong in a policy, in terms of its own text",
        arguments: [
            ("{bad", " JSON at byte 1: a string in quotes must stand there"),
            ("{", " JSON at byte 1: a string in quotes must stand there"),
            ("nofile.json", " JSON at byte 0: an object must begin there; write `@nofile.json` for a file"),
            (" {}x", " JSON at byte 3: there is more after the object's end"),
            (#"{"gapMs":"x"}"#, #": `gapMs` is "x"; it must be a whole number from 0 to 4294967295"#),
        ])
    func wrongPolicies(text: String, fault: String) async throws {
        let failure = await #expect(throws: Failure.self) {
            try #require(
                try await PopupCtl.asyncParseAsRoot(["policy", "set", "lobby", "--policy", text]) as? SetPolicyCommand
            ).givenPolicy()
        }
        #expect(failure?.message == "the policy is not valid\(fault)")
        #expect(failure?.code == .refused)
    }

    @Test(
        "is an answer that the popup can have",
        arguments: [
            ["--expect", "yes", "--expect", "maybe"], ["--expect", "no", "--action", "yes", "--action", "no=Not now"],
            ["--expect", "outside", "--action", "yes", "--dismiss-on-outside"], ["--expect", "", "--action", "yes"],
        ])
    func expectations(arguments: [String]) async throws {
        _ = try await PopupCtl.command(of: ["show", "-g", "lobby", "Really?"] + arguments)
    }

    @Test(
        "names the suspension to end, as `suspend` does or alone",
        arguments: [["call"], ["--token", "call"], ["-t", "call"], ["--token=call", "--no-ack"]])
    func suspensions(arguments: [String]) async throws {
        let command = try #require(try await PopupCtl.asyncParseAsRoot(["resume"] + arguments) as? ResumeCommand)
        #expect(command.token == "call")
    }

    @Test("name the group of a popup before the environment does")
    func defaultGroup() async throws {
        let environment = ["POPUP_GROUP": "lobby"]
        #expect(GroupArgument.chosen(given: "desk", environment: environment) == "desk")
        #expect(GroupArgument.chosen(given: nil, environment: environment) == "lobby")
        #expect(GroupArgument.chosen(given: nil, environment: [:]) == "")
        #expect(try await PeekCommand.asyncParse(["desk"]).target.group == "desk")
        #expect(try await AdvanceCommand.asyncParse(["desk"]).target.group == "desk")
    }

    @Test(
        "is no group where the command is about one, and then no pattern is advised",
        arguments: [["show", "-g", "GROUP", "x"], ["peek", "GROUP"], ["advance", "GROUP"]])
    func group(arguments: [String]) async throws {
        for (group, what) in [
            ("a b", "not a valid group name"), ("store/*", "a pattern, but the command is about one group"),
        ] {
            let failure = await #expect(throws: Failure.self) {
                _ = try await PopupCtl.command(of: arguments.map { $0 == "GROUP" ? group : $0 })
            }
            #expect(failure?.code == .validationFailure)
            #expect(
                failure?.message
                    == "`\(group)` is \(what); use 1 to 8 segments of A–Z a–z 0–9 . _ - joined by `/`")
        }
    }

    @Test("breaks no line of the exit codes at 80 columns")
    func exitCodes() {
        let help = PopupCtl.helpMessage(columns: 80)
        let codes = help.split(separator: "\n").drop { $0 != "Exit codes:" }.dropFirst().prefix { $0.hasPrefix("  ") }
        #expect(codes.count == 11)
        #expect(codes.last == "      SIGHUP, Ctrl-C or SIGTERM ended `show --wait`; the popup is cancelled")
    }

    @Test(
        "is told to be a misspelt command",
        arguments: [
            (["shw", "--group", "g"], "there is no command `shw`; did you mean `show`?"),
            (["page", "opne", "t", "n"], "there is no command `page opne`; did you mean `open`?"),
            (["policy", "lobby"], "there is no command `policy lobby`; `popupctl policy` has `show`, `set`, `unset`"),
            (["frobnicate"], "there is no command `frobnicate`; see `popupctl --help`"),
            (["show", "shwo"], nil), (["--help"], nil), (["help", "show"], nil), ([], nil),
        ] as [([String], String?)])
    func misspeltCommand(arguments: [String], message: String?) {
        #expect(PopupCtl.misspeltCommand(in: arguments) == message)
    }

    @Test(
        "is told to be a misspelt option, and not missed under its right name",
        arguments: [
            (["show", "--groop", "lobby", "x"], "Unknown option '--groop'. Did you mean '--group'?"),
            (
                ["show", "--group", "g", "--stage", "1", "--flwo", "order", "x"],
                "Unknown option '--flwo'. Did you mean '--flow'?"
            ),
            (["show", "-g", "lobby", "--titel", "News", "x"], "Unknown option '--titel'. Did you mean '--title'?"),
            (["peek", "--jsno"], "Unknown option '--jsno'. Did you mean '--json'?"),
            (["advance", "--no-akc"], "Unknown option '--no-akc'. Did you mean '--no-ack'?"),
            (["clear", "--surfaec=top"], "Unknown option '--surfaec'. Did you mean '--surface'?"),
            (["policy", "set", "--polcy={}"], "Unknown option '--polcy'. Did you mean '--policy'?"),
            (["policy", "set", "lobby", "--preest=fifo"], "Unknown option '--preest'. Did you mean '--preset'?"),
            (["resume", "--tokn=call"], "Unknown option '--tokn'. Did you mean '--token'?"),
            (["suspend", "lobby", "--tokn", "x"], "Unknown option '--tokn'. Did you mean '--token'?"),
            (["suspend", "--min-priority", "--5", "--tokn=x"], "Unknown option '--tokn'. Did you mean '--token'?"),
            (["report", "A", "displayed", "--cleint", "c"], "Unknown option '--cleint'. Did you mean '--client'?"),
            (["dismiss", "--revison=4"], "Unknown option '--revison'. Did you mean '--revision'?"),
            (["page", "open", "app", "--praent=home"], "Unknown option '--praent'. Did you mean '--parent'?"),
            (["explain", "--frobnicate"], "Unknown option '--frobnicate'"),
            (["events", "--count", "0", "--timeuot", "5s"], "Unknown option '--timeuot'. Did you mean '--timeout'?"),
            (["top", "--timeuot", "5s"], "Unknown option '--timeuot'. Did you mean '--timeout'?"),
            (["top", "--json"], "Unknown option '--json'"),
            (["--frobnicate", "list"], "Unknown option '--frobnicate'"),
        ])
    func misspeltOption(arguments: [String], message: String) async throws {
        let error = await #expect(throws: (any Error).self) { try await PopupCtl.command(of: arguments) }
        #expect(PopupCtl.message(for: try #require(error)) == message)
    }

    @Test(
        "is told to be an option of a subcommand, where it stands before it",
        arguments: [
            (["--ingress", "tcp://127.0.0.1:1", "list"], "--ingress", "popupctl <subcommand> --ingress"),
            (["--ingress=tcp://127.0.0.1:1", "list"], "--ingress", "popupctl <subcommand> --ingress"),
            (["-g", "lobby", "peek"], "-g", "popupctl <subcommand> -g"),
            (["policy", "--json", "show"], "--json", "popupctl policy <subcommand> --json"),
        ])
    func misplacedOption(arguments: [String], option: String, place: String) async throws {
        let error = await #expect(throws: (any Error).self) { try await PopupCtl.command(of: arguments) }
        #expect(
            PopupCtl.message(for: try #require(error))
                == "Unknown option '\(option)'. Write it after the subcommand: '\(place)'")
    }

    @Test(
        "is told what else is wrong, and not misspelt, if every option is known",
        arguments: [
            (["suspend", "lobby"], "Missing expected argument '--token <token>'"),
            (["report", "A", "--client", "c"], "Missing expected argument '<report>'"),
            (["suspend", "--", "--tokn"], "Missing expected argument '--token <token>'"),
            // The parser knows this option without a description.
            (
                ["--generate-completion-script", "tcsh"],
                "Can't generate completion scripts for 'tcsh'.\nPlease use --generate-completion-script=<shell> with one of:"
                    + "\n    zsh bash fish"
            ),
        ])
    func missingAlone(arguments: [String], message: String) async throws {
        let error = await #expect(throws: (any Error).self) { try await PopupCtl.command(of: arguments) }
        #expect(PopupCtl.message(for: try #require(error)) == message)
        #expect(PopupCtl.exitCode(for: try #require(error)).rawValue == 64)
    }

    @Test("names the group as an argument or, as `show` does, as an option", arguments: ["--group", "-g"])
    func groupOption(option: String) async throws {
        for (command, selection) in [("list", []), ("count", []), ("clear", ["--waiting"])] as [(String, [String])] {
            let positional = try await PopupCtl.command(of: [command, "store/*"] + selection)
            let named = try await PopupCtl.command(of: [command, option, "store/*"] + selection)
            let selectors = try [positional, named].map { try #require(Self.selector(of: $0)) }
            #expect(selectors[0].group == "store/*")
            #expect(selectors[0] == selectors[1])
        }
        for command in ["list", "count", "clear", "history", "groups", "renderers", "suspensions", "peek", "advance"] {
            let positional = try await PopupCtl.command(of: [command, "lobby"]) as? any BrokerCommand
            let named = try await PopupCtl.command(of: [command, option, "lobby"]) as? any BrokerCommand
            #expect(try #require(positional).groups == ["lobby"], "\(command)")
            #expect(try #require(named).groups == ["lobby"], "\(command)")

            let both = await #expect(throws: (any Error).self, "\(command)") {
                try await PopupCtl.command(of: [command, "lobby", option, "lobby"])
            }
            #expect(
                PopupCtl.message(for: try #require(both)) == "Give the group once, as an argument or with --group.")
        }
    }

    private static func selector(of command: any ParsableCommand) -> PopupSelector? {
        switch command {
        case let list as ListCommand: list.selection.selector
        case let count as CountCommand: count.selection.selector
        case let clear as ClearCommand: clear.selection.selector
        default: nil
        }
    }

    @Test(
        "is told to be missing in a sentence, with the exit code 64",
        arguments: [
            (["show", "Hello"], "give a group with --group, or by the variable POPUP_GROUP"),
            (["show", "--group", "g", "--stage", "1", "x"], "--stage, --requires and --hold need --flow"),
            (["peek"], "give a group, as an argument or by the variable POPUP_GROUP"),
            (["clear"], "select what to clear: a group, a pattern ('*' for all groups), or another selection"),
            (["policy", "set"], "give a group or pattern, or a --policy that contains one"),
            (["policy", "set", "g"], "give a rule to change; `popupctl policy show` prints the policy in force"),
            (["resume"], "give the token of the suspension once, as an argument or with --token"),
            (
                ["show", "-g", "g", "--expect", "yess", "--action", "yes", "--action", "no", "x"],
                "--expect: the popup has no action `yess`; did you mean `yes`?"
            ),
            (
                ["show", "-g", "g", "--expect", "yes", "--expect", "maybe", "--action", "yes", "--action", "no", "x"],
                "--expect: the popup has no action `maybe`; the known ones are `yes`, `no`"
            ),
            (
                ["show", "-g", "g", "--expect", "outside", "--action", "yes", "x"],
                "--expect: the popup has no action `outside`; the known ones are `yes`"
            ),
        ])
    func missing(arguments: [String], message: String) async {
        let failure = await #expect(throws: Failure.self) { try await PopupCtl.command(of: arguments) }
        #expect(failure?.message == message)
        #expect(failure?.code.rawValue == 64)
    }

    @Test(
        "is told to be missing or too many",
        arguments: [
            ["show", "Hello"], ["show", "--group", "lobby", "--file", "x", "Hello"], ["clear"], ["policy", "set"],
            ["policy", "lobby"],
            ["policy", "set", "--policy", "{}", "--preset", "fifo"], ["events", "--count", "0"], ["suspend", "lobby"],
            ["resume"], ["resume", "call", "--token", "call"], ["resume", "call", "night"],
            ["show", "--group", "lobby", "--stage", "1", "Hello"],
            ["show", "--group", "lobby", "--quorum", "2", "--quorum-all", "Hello"],
            ["policy", "set", "lobby", "--quorum", "2", "--quorum-all"],
            ["policy", "set", "--policy", "{}", "--cap", "3/10m"],
            ["answer", "A"], ["answer", "A", "accept", "--retry", "5s"], ["report", "A", "displayed"],
            ["report", "A", "seen", "--client", "r"], ["dismiss", "A", "--client", "a b"], ["page", "open", "app"],
            ["events", "--format", "text", "--json"],
            ["show", "--group", "lobby", "--timeout", "0s", "Hello"],
            ["show", "--group", "lobby", "--quiet", "--print-id", "Hello"],
            ["show", "--group", "lobby", "--no-ack", "--expect", "yes", "Hello"],
            ["events", "--format", "xml"],
        ])
    func mistakes(arguments: [String]) async {
        await #expect(throws: (any Error).self) { try await PopupCtl.command(of: arguments) }
    }
}
