import Foundation
@_spi(Wire) import PopupClient
import PopupProtocol
import TestPrograms
import Testing

@Suite("popup-broker simulate --diff and run --record", .timeLimit(.minutes(5)))
struct PolicyComparisonTests {
    private static let recording = """
        {"at":0,"show":{"id":"breaking-news","group":"lobby","priority":1,"durationMs":1000}}
        {"at":100,"show":{"id":"B","group":"lobby","priority":9,"durationMs":500}}
        {"at":200,"show":{"id":"C","group":"lobby","priority":5,"ttlMs":500}}
        {"at":300,"show":{"id":"D","group":"hall"}}
        {"at":650,"dismiss":{"id":"C","action":"ok","revision":"4"}}
        """

    @Test("A table of what would become otherwise, with a summary")
    func table() async throws {
        let policy = try TemporaryFile("preset: FIFO\n")
        let diff = try await Program.run("simulate", "-", "--policy", policy.path, "--diff", input: Self.recording)
        #expect(diff.errors == [])
        #expect(
            diff.output == [
                "popup  group  time to live  difference",
                "B      lobby                shown 0.9 s later",
                "C      lobby  0.5 s         never shown",
                "2 of 4 popups differ: 0 shown earlier, 1 later, 1 never, 0 only now, 0 more often, 0 less often, "
                    + "0 with another end",
            ])
        #expect(diff.status == 0)
    }

    @Test("The popups say what they are, without characters that a terminal obeys")
    func content() async throws {
        let policy = try TemporaryFile("preset: FIFO\n")
        let recording = """
            {"at":0,"show":{"id":"A","group":"g","durationMs":1000}}
            {"at":1,"show":{"id":"B\u{202E}","group":"g","priority":1,"durationMs":9,"presentation":{"title":"T"},"text":"x\\n\u{9B}y","ttlMs":5000}}
            """
        let diff = try await Program.run("simulate", "-", "--policy", policy.path, "--diff", input: recording)
        #expect(
            diff.output.dropLast() == [
                "popup  group  content   time to live  difference",
                "B      g      T – x  y  5.0 s         shown 0.9 s later",
            ])
        let json = try await Program.run(
            "simulate", "-", "--policy", policy.path, "--diff", "--json", input: recording)
        #expect(json.output.first?.contains(#""content":"T – x\n\u009by""#) == true)
        #expect(json.output.first?.contains(#""ttlMs":5000"#) == true)
        #expect(json.output.first?.contains(#""popup":"B\u202e""#) == true)
    }

    @Test("Times are in units that are easy to read; a difference of less than a tenth of a second is in ms")
    func times() async throws {
        let policy = try TemporaryFile("preset: FIFO\n")
        let recording = """
            {"at":0,"show":{"id":"A","group":"g","durationMs":5340100}}
            {"at":0,"show":{"id":"C","group":"h","durationMs":150}}
            {"at":100,"show":{"id":"B","group":"g","priority":1,"durationMs":500,"ttlMs":25314147}}
            {"at":100,"show":{"id":"D","group":"h","priority":1,"durationMs":10}}
            """
        let diff = try await Program.run("simulate", "-", "--policy", policy.path, "--diff", input: recording)
        #expect(
            diff.output.dropLast() == [
                "popup  group  time to live  difference",
                "B      g      7 h 1 min     shown 1 h 29 min later",
                "D      h                    shown 50 ms later",
            ])
    }

    @Test("The columns line up, however wide the characters are; an emoji of several characters stays one")
    func wide() async throws {
        let policy = try TemporaryFile("preset: FIFO\n")
        let recording = """
            {"at":0,"show":{"id":"A","group":"g","durationMs":1000}}
            {"at":1,"show":{"id":"日本語の長い名前","group":"g","priority":1,"durationMs":9,"text":"👩‍👩‍👧‍👦"}}
            {"at":1,"show":{"id":"B","group":"g","priority":1,"durationMs":9,"text":"\(String(repeating: "日", count: 21))"}}
            """
        let diff = try await Program.run("simulate", "-", "--policy", policy.path, "--diff", input: recording)
        #expect(
            diff.output.dropLast() == [
                "popup             group  content                                  difference",
                "日本語の長い名前  g      👩‍👩‍👧‍👦                                       shown 0.9 s later",
                "B                 g      \(String(repeating: "日", count: 19))…  shown 0.9 s later",
            ])
    }

    @Test("Without a locale of UTF-8, the table has ASCII for typographic characters, and the JSON has them all")
    func ascii() async throws {
        let policy = try TemporaryFile("preset: FIFO\n")
        let recording = """
            {"at":0,"show":{"id":"A","group":"g","durationMs":1000}}
            {"at":1,"show":{"id":"B–1","group":"g","priority":1,"durationMs":9,"presentation":{"title":"T"},"text":"\(String(repeating: "x", count: 40))"}}
            """
        func run(_ options: String...) async throws -> [String] {
            try await Program.run(
                ["simulate", "-", "--policy", policy.path, "--diff"] + options, input: recording,
                environment: ["LC_ALL": "C"]
            ).output
        }

        #expect(
            try await run().dropLast() == [
                "popup  group  content                                   difference",
                "B–1    g      T - \(String(repeating: "x", count: 33))...  shown 0.9 s later",
            ])
        #expect(try await run("--json").first?.contains(#""content":"T – xx"#) == true)
    }

    @Test("JSON, one object a line for each popup whose course differs")
    func json() async throws {
        let policy = try TemporaryFile("preset: FIFO\n")
        let diff = try await Program.run(
            "simulate", "-", "--policy", policy.path, "--diff", "--json", input: Self.recording)
        #expect(
            diff.output == [
                #"{"changes":["LATER"],"group":"lobby","now":{"displayedMs":500,"end":"CLOSED","endedAt":1500,"reason":"TIMED_OUT","shownAt":[1000]},"#
                    + #""popup":"B","shownLaterMs":900,"was":{"displayedMs":500,"end":"CLOSED","endedAt":600,"reason":"TIMED_OUT","shownAt":[100]}}"#,
                #"{"changes":["NEVER"],"group":"lobby","now":{"action":"ok","displayedMs":0,"end":"CLOSED","endedAt":650,"reason":"DISMISSED","shownAt":[]},"#
                    + #""popup":"C","ttlMs":500,"was":{"action":"ok","displayedMs":50,"end":"CLOSED","endedAt":650,"reason":"DISMISSED","shownAt":[600]}}"#,
            ])
        #expect(diff.status == 0)
    }

    @Test("A policy that a reload took back: the recording's line for it, and what is none")
    func removedPolicy() async throws {
        let commands = """
            {"at":0,"setPolicy":{"group":"lobby","preset":"LIFO"}}
            {"at":1,"removePolicy":{"group":"lobby"}}
            {"at":2,"show":{"id":"A","group":"lobby"}}
            {"at":3,"show":{"id":"B","group":"lobby"}}

            """
        let simulated = try await Program.run("simulate", "-", input: commands)
        #expect(simulated.output.last == #"{"at":3,"group":"lobby","popup":"B","queued":{}}"#)
        let policy = try TemporaryFile("preset: LIFO\n")
        let diff = try await Program.run("simulate", "-", "--policy", policy.path, "--diff", input: commands)
        #expect(diff.output.dropLast() == ["popup  group  difference", "B      lobby  shown only now"])

        let wrong = try await Program.run("simulate", "-", input: #"{"at":1,"removePolicy":{"groop":"lobby"}}"#)
        #expect(wrong.status == 65)
        #expect(
            wrong.errors == [
                "popup-broker: standard input:1: the line has a `removePolicy` without a valid group or pattern; "
                    + "give {\"removePolicy\":{\"group\":\"g\"}}"
            ])
    }

    @Test("Nothing to compare with, or JSON without it: exit 64")
    func usage() async throws {
        let noPolicy = try await Program.run("simulate", "-", "--diff")
        #expect(noPolicy.status == 64)
        #expect(noPolicy.errors.first == "Error: --diff needs policies to compare with; give --policy FILE.")
        #expect(try await Program.run("simulate", "-", "--json").status == 64)
    }

    @Test("A recording of a live broker, simulated, gives the events that the broker gave")
    func recorded() async throws {
        let policies = try TemporaryFile("policies: [{group: \"*\", gapMs: 20, defaultDurationMs: 60}]\n")
        let file = policies.path + ".jsonl"
        let broker = try await RunningBroker("--config", policies.path, "--record", file)
        let connection = try BrokerConnection(broker.endpoints, limits: .patient)
        let admin = AdminClient(connection)
        var events = try admin.events(of: ["lobby"]).makeAsyncIterator()
        _ = try await admin.statistics()
        for (id, priority) in [("A", 1), ("B", 9), ("C", 5)] as [(String, Int32)] {
            try await admin.show(Self.popup(id, priority))
        }
        var lived: [String] = []
        while lived.count(where: { $0.contains("closed") }) < 3, let event = try await events.next() {
            lived.append(Self.words(event.wire))
        }
        await connection.close()
        broker.signal(SIGTERM)
        #expect(await broker.exitStatus() == 0)

        let simulated = try await Program.run("simulate", file)
        let events2 = try simulated.output.map { line in
            try WireEncoding.json.decode(Array(line.utf8), as: WireEvent.self)
        }
        #expect(simulated.errors == [])
        #expect(events2.map(Self.words) == lived)

        let other = try TemporaryFile("preset: FIFO\n")
        let diff = try await Program.run("simulate", file, "--policy", other.path, "--diff")
        #expect(diff.output.last?.hasPrefix("3 of 3 popups differ: ") == true)
    }

    @Test("The data directory of a broker, beside it and after it: no recording is needed, and nothing is changed")
    func dataDirectory() async throws {
        let folder = TemporaryDirectory()
        let broker = try await RunningBroker("--data-dir", folder.path, environment: [:])
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        for (id, priority) in [("A", 1), ("B", 9), ("C", 5)] as [(String, Int32)] {
            try await admin.show(Self.popup(id, priority))
        }
        for id in ["B", "C", "A"] { try await admin.dismiss(id, action: "ok") }
        #expect(try await admin.count() == 0)
        await admin.close()

        let policy = try TemporaryFile("preset: FIFO\n")
        let arguments = ["simulate", "--journal", folder.path, "--policy", policy.path, "--diff"]
        let beside = try await Program.run(arguments)
        #expect(beside.errors == [])
        #expect(beside.output.last?.hasPrefix("2 of 3 popups differ: 0 shown earlier, 0 later, 2 never") == true)
        #expect(beside.status == 0)
        broker.signal(SIGTERM)
        #expect(await broker.exitStatus() == 0)
        #expect(try await Program.run(arguments).output == beside.output)
        #expect(try await Program.run("journal", "verify", folder.path).output == ["no damage found"])

        // What has ended before a time does not count, and the policies may come from standard input.
        let recent = try await Program.run(
            "simulate", "--journal", folder.path, "--policy", "-", "--diff", "--since", "2020-01-31T08:00:00Z",
            input: "preset: FIFO\n")
        #expect(recent.output == beside.output)
        let none = try await Program.run(arguments + ["--since", "2999-01-31T08:00:00Z"])
        #expect(none.output.last?.hasPrefix("0 of 0 popups differ: ") == true)
    }

    @Test("A data directory that isn't one: exit 66; wrong arguments: exit 64")
    func noDataDirectory() async throws {
        let policy = try TemporaryFile("preset: FIFO\n")
        let missing = try await Program.run("simulate", "--journal", "/nowhere", "--policy", policy.path, "--diff")
        #expect(missing.status == 66)
        for arguments in [
            [], ["-", "--journal", "/nowhere", "--policy", policy.path, "--diff"], ["--journal", "/nowhere"],
            ["--journal", "/nowhere", "--policy", policy.path, "--diff", "--start", "2030-01-31T08:00:00Z"],
            ["--journal", "/nowhere", "--policy", policy.path, "--diff", "--since", "yesterday"],
            ["-", "--policy", policy.path, "--diff", "--since", "2030-01-31T08:00:00Z"],
            ["-", "--policy", "-", "--diff"],
        ] {
            #expect(try await Program.run(["simulate"] + arguments).status == 64)
        }
    }

    @Test("A recording that can't be begun is told in the log, and the broker runs")
    func notRecorded() async throws {
        let file = try TemporaryFile("{}", name: "old.jsonl")
        let broker = try await RunningBroker("--record", file.path)
        try await broker.logged("the recording cannot begin; the broker runs without it")
        broker.signal(SIGTERM)
        #expect(await broker.exitStatus() == 0)
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "{}")
    }

    @Test("A full recording is told in the log, and the broker runs on")
    func full() async throws {
        let neighbour = try TemporaryFile("")
        let file = neighbour.path + ".jsonl"
        let broker = try await RunningBroker("--record", file, "--set", "recording.maximumBytes=10")
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        try await admin.connected(timeout: .seconds(60))
        try await admin.show(Self.popup("A", 0))
        try await broker.logged("the recording ends here; the broker goes on")
        #expect(try await admin.peek("lobby").popups.count == 1)
        await admin.close()
        #expect(try String(contentsOfFile: neighbour.path + ".jsonl", encoding: .utf8) == "")
    }

    private static func popup(_ id: String, _ priority: Int32) -> Popup {
        var popup = Popup()
        popup.id = id
        popup.group = "lobby"
        popup.priority = priority
        return popup
    }

    /// The event without its time.
    private static func words(_ event: WireEvent) -> String {
        switch event.event {
        case .closed(let closed): "\(event.popup) closed \(closed.reason)"
        case .shown(let shown): "\(event.popup) shown \(shown.attempt)"
        case .queued: "\(event.popup) queued"
        case .paused: "\(event.popup) paused"
        case .resumed: "\(event.popup) resumed"
        default: "\(event.popup) other"
        }
    }
}
