import Testing

@Suite("popup-broker simulate")
struct SimulateTests {
    @Test("The protocol's example: an urgent popup interrupts, the interrupted one has the time that it had left")
    func example() async throws {
        try await expect(
            """
            {"at":0,"show":{"id":"A","group":"g","priority":1,"durationMs":3000}}
            {"at":500,"show":{"id":"B","group":"g","priority":9}}
            {"at":900,"dismiss":{"id":"B","action":"ok"}}
            """,
            gives: """
                {"at":0,"group":"g","popup":"A","shown":{"attempt":1}}
                {"at":500,"group":"g","popup":"A","paused":{}}
                {"at":500,"group":"g","popup":"B","shown":{"attempt":1}}
                {"at":900,"group":"g","popup":"B","closed":{"reason":"DISMISSED","action":"ok","displayedMs":400}}
                {"at":900,"group":"g","popup":"A","resumed":{}}
                {"at":3400,"group":"g","popup":"A","closed":{"reason":"TIMED_OUT","displayedMs":3000}}
                """)
    }

    @Test("Blank lines, spaces, a time anywhere in its line and as text, several commands in one line")
    func forms() async throws {
        try await expect(
            """

            { "show" : {"id":"A","group":"g","text":"{\\"at\\":9}"} , "at" : "5" }
            \t
            {"commands":[{"show":{"id":"B","group":"h"}},{"advance":{"group":"g"}}],"at":6}
            """,
            gives: """
                {"at":5,"group":"g","popup":"A","shown":{"attempt":1}}
                {"at":6,"group":"h","popup":"B","shown":{"attempt":1}}
                {"at":6,"group":"g","popup":"A","closed":{"reason":"ADVANCED","displayedMs":1}}
                """)
    }

    @Test("What a terminal would obey is escaped, and the line means the same")
    func invisibles() async throws {
        try await expect(
            #"""
            {"at":0,"show":{"id":"o\u202ek","group":"g"}}
            {"at":1,"show":{"id":"é","group":"h"}}
            """#,
            gives: #"""
                {"at":0,"group":"g","popup":"o\u202ek","shown":{"attempt":1}}
                {"at":1,"group":"h","popup":"é","shown":{"attempt":1}}
                """#)
    }

    @Test("What the broker refuses is an event, with its group where that is known, and no error")
    func refusals() async throws {
        let simulated = try await Program.run(
            "simulate", "-",
            input: """
                {"at":1,"dismiss":{"id":"nobody"}}
                {"at":2,"show":{"id":"A","group":"a//b"}}
                {"at":3,"show":{"id":"A","group":"g","flow":{"stage":1}}}
                {"at":4,"dance":{"id":"A"}}
                {"at":5,"show":{"id":7,"group":"g"}}
                """)
        #expect(simulated.status == 0)
        #expect(
            simulated.output.map { $0.replacing(/,"detail":.*/, with: "") } == [
                #"{"at":1,"popup":"nobody","refused":{"reason":"NOT_FOUND""#,
                #"{"at":2,"popup":"A","refused":{"reason":"INVALID""#,
                #"{"at":3,"group":"g","popup":"A","refused":{"reason":"INVALID""#,
                #"{"at":4,"popup":"A","refused":{"reason":"UNSUPPORTED""#,
                #"{"at":5,"group":"g","refused":{"reason":"MALFORMED""#,
            ])
    }

    @Test("Queries are answered in their place")
    func queries() async throws {
        try await expect(
            """
            {"at":0,"show":{"id":"A","group":"g","durationMs":100}}
            {"at":40,"query":{"client":"c","nonce":"1","peek":{"group":"g"}}}
            {"at":200,"query":{"client":"c","nonce":"2","count":{}}}
            """,
            gives: """
                {"at":0,"group":"g","popup":"A","shown":{"attempt":1}}
                {"at":40,"client":"c","nonce":"1","reply":{"peek":{"popups":[{"id":"A","group":"g","phase":"ACTIVE","attempt":1,"remainingMs":60}]}}}
                {"at":100,"group":"g","popup":"A","closed":{"reason":"TIMED_OUT","displayedMs":100}}
                {"at":200,"client":"c","nonce":"2","reply":{"count":{}}}
                """)
    }

    @Test(
        "A policy file: a configuration, a list of policies, or one",
        arguments: [
            "policies:\n  - {group: \"*\", peers: STOP}\n", "- group: g\n  peers: STOP\n",
            "{\"group\":\"g\",\"peers\":\"STOP\"}", "peers: STOP\n",
        ])
    func policy(text: String) async throws {
        let file = try TemporaryFile(text)
        try await expect(
            """
            {"at":0,"show":{"id":"A","group":"g"}}
            {"at":1,"show":{"id":"B","group":"g","durationMs":1}}
            """,
            "--policy", file.path,
            gives: """
                {"at":0,"group":"g","popup":"A","shown":{"attempt":1}}
                {"at":1,"group":"g","popup":"A","closed":{"reason":"PREEMPTED","displayedMs":1}}
                {"at":1,"group":"g","popup":"B","shown":{"attempt":1}}
                {"at":2,"group":"g","popup":"B","closed":{"reason":"TIMED_OUT","displayedMs":1}}
                """)
    }

    @Test("A bad policy file: exit 78, every mistake named")
    func badPolicy() async throws {
        let file = try TemporaryFile("- group: g\n  peers: HALT\n  aging: 3\n")
        let simulated = try await Program.run("simulate", "-", "--policy", file.path)
        #expect(simulated.status == 78)
        #expect(
            simulated.errors == [
                "popup-broker: \(file.path):2: policies[0].peers: is \"HALT\", but must be one of STOP, PAUSE, DEFER, NEVER",
                "popup-broker: \(file.path):3: policies[0].aging: there is no such field; did you mean `agingMs`?",
            ])
    }

    @Test(
        "A line that can't be simulated ends it with exit 65, named with file and line; what came before stays",
        arguments: [
            ("nonsense", "is not JSON; give one command such as {\"at\":0,\"show\":{…}}"),
            ("[1]", "is not a JSON object; give one command such as {\"at\":0,\"show\":{…}}"),
            ("{\"advance\":{\"group\":\"g\"}}", "has no \"at\"; give the time in ms from the start"),
            ("{\"at\":1.5}", "has an \"at\" that is not a whole number of ms from 0 on"),
            ("{\"at\":-1}", "has an \"at\" that is not a whole number of ms from 0 on"),
            (
                #"{"at":6,"show":{"group":"g","titel":"x"}}"#,
                "has a mistake: there is no field `show.titel`; did you mean `presentation.title`?"
            ),
            ("{\"at\":7,\"show\":{}} x", "is not JSON; give one command such as {\"at\":0,\"show\":{…}}"),
            ("{\"at\":\"x\"}", "has an \"at\" that is not a whole number of ms from 0 on"),
            ("{\"at\":4}", "is at 4, before the 5 of an earlier line; sort the lines by \"at\""),
        ])
    func badLines(line: String, text: String) async throws {
        let file = try TemporaryFile(
            "{\"at\":5,\"show\":{\"id\":\"A\",\"group\":\"g\"}}\n\n\(line)\n", name: "commands.jsonl")
        let simulated = try await Program.run("simulate", file.path)
        #expect(simulated.status == 65)
        #expect(simulated.output == ["{\"at\":5,\"group\":\"g\",\"popup\":\"A\",\"shown\":{\"attempt\":1}}"])
        #expect(simulated.errors == ["popup-broker: \(file.path):3: the line \(text)"])
    }

    @Test("Without a locale of UTF-8, an error has ASCII for typographic characters")
    func asciiErrors() async throws {
        let simulated = try await Program.run("simulate", "-", input: "nonsense", environment: ["LC_ALL": "C"])
        #expect(
            simulated.errors == [
                "popup-broker: standard input:1: the line is not JSON; give one command such as {\"at\":0,\"show\":{...}}"
            ])
        let config = try TemporaryFile("")
        let checked = try await Program.run(
            "check-config", config.path, "--as", "a b", "--may", "show", "--group", "g",
            environment: ["LC_ALL": "C"])
        #expect(checked.status == 64)
        #expect(checked.errors.first?.contains("use 1 to 64 of A-Z a-z 0-9 . _ -") == true)
    }

    @Test("A file that isn't there: exit 66")
    func missing() async throws {
        let simulated = try await Program.run("simulate", "/nowhere/commands.jsonl")
        #expect(simulated.status == 66)
        #expect(
            simulated.errors == [
                "popup-broker: cannot read /nowhere/commands.jsonl: it does not exist; check the path"
            ])
    }

    @Test("A directory instead of a file: exit 66")
    func directory() async throws {
        let simulated = try await Program.run("simulate", "/")
        #expect(simulated.status == 66)
        #expect(simulated.errors == ["popup-broker: cannot read /: it is a directory; name a file"])
    }

    @Test(
        "The start moves the clock and not the lines",
        arguments: [
            "1970-01-01T00:00:00Z", "2030-01-31T08:00:00Z", "2028-02-29T23:59:59.999-11:30",
            "2030-01-31T08:00:00.5+01:00",
        ])
    func start(time: String) async throws {
        try await expect(
            "{\"at\":7,\"show\":{\"id\":\"A\",\"group\":\"g\"}}", "--start", time,
            gives: "{\"at\":7,\"group\":\"g\",\"popup\":\"A\",\"shown\":{\"attempt\":1}}")
    }

    @Test("The start is the time of day at which the lines begin, by its own offset")
    func timeOfDay() async throws {
        try await expect(
            """
            {"at":0,"setPolicy":{"group":"g","quiet":[{"from":"22:00","to":"07:00","timeZone":"UTC"}]}}
            {"at":1,"show":{"id":"A","group":"g","durationMs":1}}
            {"at":1501,"advance":{"group":"g"}}
            """,
            "--start", "2030-01-31T07:59:59.500+01:00",
            gives: """
                {"at":1,"group":"g","popup":"A","queued":{}}
                {"at":500,"group":"g","popup":"A","shown":{"attempt":1}}
                {"at":501,"group":"g","popup":"A","closed":{"reason":"TIMED_OUT","displayedMs":1}}
                """)
    }

    @Test(
        "A start that is no time, that never is, or that is before 1970: exit 64, with what is wanted",
        arguments: [
            ("tomorrow", " is not a time in the form of RFC 3339"),
            ("2030-01-31", " is not a time in the form of RFC 3339"),
            ("2030-01-31T08:00:00", " is not a time in the form of RFC 3339"),
            ("2030-02-30T08:00:00Z", ": there is no such day or time"),
            ("2029-02-29T08:00:00Z", ": there is no such day or time"),
            ("2030-13-01T08:00:00Z", ": there is no such day or time"),
            ("2030-00-01T08:00:00Z", ": there is no such day or time"),
            ("2030-01-31T25:00:00Z", ": there is no such day or time"),
            ("2030-01-31T24:00:00Z", ": there is no such day or time"),
            ("2030-01-31T08:61:00Z", ": there is no such day or time"),
            ("2030-01-31T08:00:60Z", ": there is no such day or time"),
            ("2030-01-31T08:00:00+01:60", ": there is no such day or time"),
            ("1969-12-31T23:59:59Z", " is before 1970-01-01T00:00:00Z"),
            ("1970-01-01T00:30:00+01:00", " is before 1970-01-01T00:00:00Z"),
        ])
    func badStart(time: String, problem: String) async throws {
        let simulated = try await Program.run("simulate", "-", "--start", time)
        #expect(simulated.status == 64)
        #expect(simulated.output == [])
        #expect(
            simulated.errors.first
                == "Error: --start \(time)\(problem); give a time like 2030-01-31T08:00:00Z or "
                + "2030-01-31T09:00:00+01:00.")
    }

    @Test(
        "Popups that still wait at the end are counted beside the output",
        arguments: [(["A"], "1 popup still waits"), (["A", "B"], "2 popups still wait")])
    func waiting(popups: [String], count: String) async throws {
        let shows = popups.map {
            #"{"at":0,"show":{"id":"\#($0)","group":"g","page":{"tree":"t","value":"home"},"durationMs":1}}"#
        }
        let simulated = try await Program.run(
            "simulate", "-",
            input: (shows + [#"{"at":0,"show":{"id":"C","group":"h"}}"#]).joined(separator: "\n"))
        #expect(simulated.status == 0)
        #expect(
            simulated.output == popups.map { #"{"at":0,"group":"g","popup":"\#($0)","queued":{}}"# } + [
                #"{"at":0,"group":"h","popup":"C","shown":{"attempt":1}}"#
            ])
        #expect(
            simulated.errors == [
                "popup-broker: \(count); to see why, add a query `explain`; to let time pass, add a later line"
            ])
    }

    private func expect(
        _ commands: String, _ options: String..., gives events: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let simulated = try await Program.run(["simulate", "-"] + options, input: commands)
        #expect(simulated.errors == [], sourceLocation: sourceLocation)
        #expect(simulated.output == events.split(separator: "\n").map(String.init), sourceLocation: sourceLocation)
        #expect(simulated.status == 0, sourceLocation: sourceLocation)
    }
}
