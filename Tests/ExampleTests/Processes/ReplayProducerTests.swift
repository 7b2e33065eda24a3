import Foundation
import PopupClient
import Testing
import TestPrograms

@Suite("The replay producer", .timeLimit(.minutes(5)))
struct ReplayProducerTests {
    private static let recording = Package.folder.appending(path: "Examples/replay-producer/lobby.jsonl").path

    /// What the simulator prints: `{"at":0,"group":"g","popup":"A","shown":{…}}`.
    private struct Line: Decodable {
        struct Closed: Decodable {
            var reason: String
        }

        struct Empty: Decodable {}

        var popup: String
        var queued, shown, paused, resumed: Empty?
        var closed: Closed?

        var words: String {
            if let closed { return "\(popup) closed \(closed.reason)" }
            return "\(popup) "
                + (queued != nil ? "queued" : shown != nil ? "shown" : paused != nil ? "paused" : "resumed")
        }
    }

    @Test("on a broker happens what the simulator foretold, at twice the speed")
    func same() async throws {
        let simulation = try RunningProgram(inPackage: Package.product("popup-broker"), ["simulate", Self.recording])
        #expect(await simulation.exitCode() == 0)
        let foretold = try await simulation.output.all().map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8)).words
        }
        let last = try #require(foretold.last)
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "demo/lobby")
            let replay = try broker.start("replay-producer", ["--speed", "2", "--quiet", Self.recording])
            #expect(try await events.until(last) == foretold)
            #expect(await replay.exitCode() == 0)
        }
    }

    @Test("another round is about other popups")
    func rounds() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "g")
            let folder = try TemporaryDirectory()
            try folder.write(
                """
                {"at":0,"show":{"id":"A","group":"g"}}
                {"at":50,"dismiss":{"id":"A","action":"ok"}}
                """, to: "short.jsonl")
            let replay = try broker.start(
                "replay-producer", ["--loop", "2", "--pause", "50", "--suffix", ".x", folder.path("short.jsonl")])
            #expect(await replay.exitCode() == 0)
            #expect(
                try await events.until("A.x-2 closed DISMISSED ok") == [
                    "A.x shown", "A.x closed DISMISSED ok", "A.x-2 shown", "A.x-2 closed DISMISSED ok",
                ])
            #expect(
                await replay.output.all() == [
                    "replay  0.0 s  show A.x in g, priority 0", "replay  0.1 s  dismiss A.x ok",
                    "replay  0.1 s  show A.x-2 in g, priority 0", "replay  0.2 s  dismiss A.x-2 ok",
                ])
        }
    }

    @Test("popups that the broker knows already are told, since an id is shown once")
    func again() async throws {
        try await TestBroker.run { broker in
            let folder = try TemporaryDirectory()
            try folder.write(
                """
                {"at":0,"show":{"id":"A","group":"g"}}
                {"at":0,"show":{"id":"B","group":"g"}}
                """, to: "two.jsonl")
            let first = try broker.start("replay-producer", [folder.path("two.jsonl")])
            #expect(await first.exitCode() == 0)
            #expect(await first.errors.all().isEmpty)
            let second = try broker.start("replay-producer", [folder.path("two.jsonl")])
            #expect(await second.exitCode() == 0)
            #expect(
                await second.errors.all() == [
                    "replay-producer: the broker knows `A` and 1 more of the first ids already, and shows an id once; "
                        + "use --suffix"
                ])
        }
    }

    @Test("says its version", arguments: ["replay-producer", "line-producer", "terminal-renderer", "wish-story"])
    func version(name: String) async throws {
        let program = try RunningProgram(inPackage: Package.product(name), ["--version"])
        #expect(await program.exitCode() == 0)
        #expect(await program.output.all() == [ProductVersion.text(of: name)])
    }

    @Test(
        "names the option that may be meant, and not what is missing without it",
        arguments: [
            ("terminal-renderer", ["--gruop", "lobby"], "Unknown option '--gruop'. Did you mean '--group'?"),
            ("line-producer", ["--rule", "x"], "Unknown option '--rule'. Did you mean '--rules'?"),
            ("line-producer", ["--rulse=x", "--", "ls", "--all"], "Unknown option '--rulse'. Did you mean '--rules'?"),
            ("replay-producer", ["--sped", "2"], "Unknown option '--sped'. Did you mean '--speed'?"),
            ("web-screen", ["--gruop", "lobby"], "Unknown option '--gruop'. Did you mean '--group'?"),
        ])
    func misspeltOption(name: String, arguments: [String], message: String) async throws {
        let program = try RunningProgram(inPackage: Package.product(name), arguments)
        #expect(await program.exitCode() == 64)
        let errors = await program.errors.all()
        #expect(errors.first == "Error: \(message)")
        #expect(errors.dropFirst().first?.hasPrefix("Usage: \(name) ") == true)
    }

    @Test("a wrong line is named, with exit code 65")
    func wrong() async throws {
        let replay = try RunningProgram(
            inPackage: Package.product("replay-producer"), ["-"],
            input: "{\"at\":0,\"advance\":{\"group\":\"g\"}}\nhello\n")
        #expect(await replay.exitCode() == 65)
        #expect(await replay.errors.all().first?.hasPrefix("replay-producer: -:2: is not a JSON object") == true)
    }
}
