import Foundation
import PopupClient
import Testing
import TestPrograms

@Suite("The line producer", .timeLimit(.minutes(2)))
struct LineProducerTests {
    private static let rules = Package.folder.appending(path: "Examples/line-producer/rules/build.yaml").path

    @Test("the output of a program becomes popups, its exit code stays")
    func program() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "desk/build")
            let producer = try broker.start(
                "line-producer",
                [
                    "--rules", Self.rules, "--name", "b", "--echo", "--", "sh", "-c",
                    "echo '[1/2] Compiling A'; echo 'a/main.c:3:1: error: no x' >&2; exit 7",
                ])
            #expect(await producer.exitCode() == 7)
            #expect(await producer.output.all() == ["[1/2] Compiling A", "a/main.c:3:1: error: no x"])
            #expect(await producer.errors.all() == ["line-producer: 2 lines, 2 popups, 0 held back by limits"])
            #expect(try await events.until("b-2 shown") == ["b-1 shown", "b-1 paused", "b-2 shown"])
        }
    }

    @Test("a file is followed until a signal ends it")
    func follow() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "desk/build")
            let folder = try TemporaryFolder()
            try folder.write("", to: "build.log")
            let producer = try broker.start(
                "line-producer",
                ["--rules", Self.rules, "--name", "f", "--from-start", "--follow", folder.path("build.log")])
            try folder.append("Build complete! (1.0s)\n", to: "build.log")
            #expect(try await events.next() == "f-1 shown")
            #expect(await producer.stop() == 0)
            #expect(await producer.errors.all() == ["line-producer: 1 line, 1 popup, 0 held back by limits"])
        }
    }

    @Test("a signal ends the program that is read, too")
    func signalled() async throws {
        try await TestBroker.run { broker in
            let producer = try broker.start(
                "line-producer",
                [
                    "--rules", Self.rules, "--echo", "--", "sh", "-c",
                    "trap 'exit 9' TERM; echo on; while :; do sleep 0.05; done",
                ])
            #expect(try await producer.output.next() == "on")
            #expect(await producer.stop() == 9)
        }
    }

    @Test("with an outbox it needs no broker: the next run sends what the first one read")
    func outbox() async throws {
        let folder = try TemporaryFolder()
        let arguments = ["--rules", Self.rules, "--outbox", folder.path("outbox"), "--name"]
        let alone = try RunningProgram(
            inPackage: Package.product("line-producer"), arguments + ["first"], input: "x.c:1: error: one\n",
            environment: [
                BrokerEndpoints.ingressVariable: "ipc://\(folder.path("in"))",
                BrokerEndpoints.egressVariable: "ipc://\(folder.path("out"))",
            ])
        #expect(await alone.exitCode() == 0)
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "desk/build")
            let producer = try broker.start(
                "line-producer",
                arguments + ["second", "--", "sh", "-c", "echo 'y.c:1: error: two'; while :; do sleep 0.05; done"])
            #expect(try await events.until("second-1 queued").first == "first-1 shown")
            await producer.stop()
        }
    }

    @Test("a trial run prints what the simulator takes")
    func dryRun() async throws {
        let trial = try RunningProgram(
            inPackage: Package.product("line-producer"), ["--rules", Self.rules, "--name", "d", "--dry-run"],
            input: "x.c:1: error: one\nx.c:2: warning: two\nnothing\n")
        #expect(await trial.exitCode() == 0)
        let folder = try TemporaryFolder()
        try folder.write(await trial.output.all().map { $0 + "\n" }.joined(), to: "trial.jsonl")
        let simulation = try RunningProgram(
            inPackage: Package.product("popup-broker"), ["simulate", folder.path("trial.jsonl")])
        #expect(await simulation.exitCode() == 0)
        let shown = await simulation.output.all().filter { $0.contains("\"shown\"") }
        #expect(shown.count == 2)
        #expect(shown.first?.contains("\"popup\":\"d-1\"") == true)
    }

    @Test(
        "what is wrong is told in a sentence",
        arguments: [
            (["--rules", "nowhere.yaml"], 66, "cannot read nowhere.yaml"),
            (["--rules", "Package.swift"], 65, "Package.swift:"),
            (["--rules", rules, "--ingress", "tcp://127.0.0.1:1", "--egress", "tcp://127.0.0.1:1"], 69, "no broker"),
            (["--rules", rules, "--from-start"], 64, "--from-start needs --follow"),
        ] as [([String], Int32, String)])
    func wrong(arguments: [String], code: Int32, words: String) async throws {
        let producer = try RunningProgram(inPackage: Package.product("line-producer"), arguments)
        #expect(await producer.exitCode() == code)
        #expect(await producer.errors.all().joined().contains(words))
    }
}
