import Foundation
import PopupClient
import Testing
import TestPrograms

@Suite("The line producer", .timeLimit(.minutes(5)))
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
            let folder = try TemporaryDirectory()
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

    @Test("a file that does not exist yet is waited for, which is said, and is read from its first line")
    func followMissing() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "desk/build")
            let folder = try TemporaryDirectory()
            let path = folder.path("build.log")
            let producer = try broker.start("line-producer", ["--rules", Self.rules, "--name", "f", "--follow", path])
            #expect(
                try await producer.errors.next() == "line-producer: \(path) does not exist yet; waiting for it")
            try folder.write("Build complete! (1.0s)\n", to: "build.log")
            #expect(try await events.next() == "f-1 shown")
            #expect(await producer.stop() == 0)
        }
    }

    @Test("of a file every line becomes a popup, although it is read faster than the broker takes them")
    func longFile() async throws {
        try await TestBroker.run { broker in
            let folder = try TemporaryDirectory()
            let lines = 1500
            try folder.write("- {pattern: 'error: (\\d+)', text: '{1}', group: g}\n", to: "rules.yaml")
            try folder.write((1...lines).map { "a.c:\($0): error: \($0)\n" }.joined(), to: "day.log")
            let producer = try broker.start(
                "line-producer",
                ["--rules", folder.path("rules.yaml"), "--from-start", "--follow", folder.path("day.log")])
            let deadline = ContinuousClock.now + .seconds(120)
            while try await broker.admin.count() < lines, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(await producer.stop() == 0)
            #expect(try await broker.admin.count() == lines)
            #expect(
                await producer.errors.all()
                    == ["line-producer: \(lines) lines, \(lines) popups, 0 held back by limits"])
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
        let folder = try TemporaryDirectory()
        let arguments = ["--rules", Self.rules, "--outbox", folder.path("outbox"), "--name"]
        let alone = try RunningProgram(
            inPackage: Package.product("line-producer"), arguments + ["first"], input: "x.c:1: error: one\n",
            environment: [
                BrokerEndpoints.ingressVariable: "ipc://\(folder.path("in"))",
                BrokerEndpoints.egressVariable: "ipc://\(folder.path("out"))",
            ])
        #expect(await alone.exitCode() == 0)
        #expect(
            await alone.errors.all() == [
                "line-producer: 1 line, 1 popup, 0 held back by limits",
                "line-producer: 1 popup waits in \(folder.path("outbox")); the next run with it sends them",
            ])
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "desk/build")
            let producer = try broker.start(
                "line-producer",
                arguments + ["second", "--", "sh", "-c", "echo 'y.c:1: error: two'; while :; do sleep 0.05; done"])
            #expect(try await events.until("second-1 queued").first == "first-1 shown")
            await producer.stop()
        }
    }

    @Test("a missing broker neither ends nor delays the program; it gets the popups when it comes")
    func lateBroker() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("- {pattern: 'error: (.+)', text: '{1}', group: g}\n", to: "rules.yaml")
        let endpoints = BrokerEndpoints(ingress: "ipc://\(folder.path("in"))", egress: "ipc://\(folder.path("out"))")
        let producer = try RunningProgram(
            inPackage: Package.product("line-producer"),
            [
                "--rules", folder.path("rules.yaml"), "--name", "l", "--ingress", endpoints.ingress, "--egress",
                endpoints.egress,
                "--", "sh", "-c",
                "echo 'a.c:1: error: one'; touch \(folder.path("built")); "
                    + "while ! test -e \(folder.path("end")); do sleep 0.05; done; exit 3",
            ])
        let outage = try await producer.errors.next()
        #expect(
            outage.contains(endpoints.ingress) && outage.hasSuffix("going on without it: the newest 1000 popups wait"))
        #expect(FileManager.default.fileExists(atPath: folder.path("built")))

        try await TestBroker.run(at: endpoints, dataDirectory: folder.path("data")) { broker in
            #expect(
                try await producer.errors.next()
                    == "line-producer: the broker at \(endpoints.ingress) answers; sending what waits for it")
            try folder.write("", to: "end")
            #expect(await producer.exitCode() == 3)
            #expect(try await broker.admin.explain("l-1").phase == .active)
        }
    }

    @Test("a broker that is killed and comes back neither ends nor delays the program, and gets all popups")
    func killedBroker() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("- {pattern: 'error: (.+)', text: '{1}', group: g}\n", to: "rules.yaml")
        let endpoints = BrokerEndpoints(ingress: "ipc://\(folder.path("in"))", egress: "ipc://\(folder.path("out"))")
        let first = try await TestBroker.start(at: endpoints, dataDirectory: folder.path("data"))
        // While the broker is gone, the program writes more than a pipe holds.
        let producer = try first.start(
            "line-producer",
            [
                "--rules", folder.path("rules.yaml"), "--name", "k", "--", "sh", "-c",
                "echo 'error: one'; while ! test -e \(folder.path("killed")); do sleep 0.05; done; "
                    + "seq 20000; echo 'error: two'; echo 'error: three'; touch \(folder.path("built")); "
                    + "while ! test -e \(folder.path("end")); do sleep 0.05; done; exit 3",
            ])
        try await Self.until { try await first.admin.explain("k-1").phase == .active }
        await first.connection.close()
        first.program.signal(SIGKILL)
        #expect(await first.program.exitCode() == 128 + SIGKILL)
        try folder.write("", to: "killed")
        try await Self.until { FileManager.default.fileExists(atPath: folder.path("built")) }
        let outage = try await producer.errors.next()
        #expect(
            outage.contains(endpoints.ingress) && outage.hasSuffix("going on without it: the newest 1000 popups wait"))

        try await TestBroker.run(at: endpoints, dataDirectory: folder.path("data")) { broker in
            let answer = "line-producer: the broker at \(endpoints.ingress) answers; sending what waits for it"
            #expect(try await producer.errors.next() == answer)
            try folder.write("", to: "end")
            #expect(await producer.exitCode() == 3)
            let summary = "line-producer: 20003 lines, 3 popups, 0 held back by limits"
            #expect(await producer.errors.all() == [outage, answer, summary])
            #expect(try await broker.admin.peek("g").popups.map(\.id) == ["k-1", "k-20002", "k-20003"])
        }
    }

    /// Waits until something holds.
    private static func until(_ holds: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while try await !holds() {
            guard ContinuousClock.now < deadline else { throw NotInTime() }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private struct NotInTime: Error {}

    @Test("without a broker it counts what is not sent, and ends as if it had sent it")
    func noBroker() async throws {
        let input = (1...1200).map { "a.c:\($0): error: \($0)\n" }.joined()
        let folder = try TemporaryDirectory()
        try folder.write("- {pattern: 'error: (\\d+)', text: '{1}', group: g}\n", to: "rules.yaml")
        let producer = try RunningProgram(
            inPackage: Package.product("line-producer"),
            [
                "--rules", folder.path("rules.yaml"), "--ingress", "tcp://127.0.0.1:1", "--egress",
                "tcp://127.0.0.1:1",
            ], input: input)
        #expect(await producer.exitCode() == 0)
        let errors = await producer.errors.all()
        #expect(errors.first == "line-producer: 1200 lines, 1200 popups, 0 held back by limits")
        let counts = errors.compactMap { $0.firstMatch(of: /line-producer: (\d+) popups were (?:not sent|dropped)/)?.1 }
        #expect(counts.count == 2)
        #expect(counts.compactMap { Int($0) }.reduce(0, +) == 1200)
        // At the end of the input nothing goes on.
        #expect(!errors.contains { $0.contains("going on without it") })
    }

    @Test("an outbox whose popups a broker has accepted is not mentioned")
    func emptyOutbox() async throws {
        let folder = try TemporaryDirectory()
        try await TestBroker.run { broker in
            let producer = try RunningProgram(
                inPackage: Package.product("line-producer"),
                ["--rules", Self.rules, "--outbox", folder.path("outbox"), "--name", "o"], input: "x.c:1: error: one\n",
                environment: [
                    BrokerEndpoints.ingressVariable: broker.endpoints.ingress,
                    BrokerEndpoints.egressVariable: broker.endpoints.egress,
                ])
            #expect(await producer.exitCode() == 0)
            #expect(await producer.errors.all() == ["line-producer: 1 line, 1 popup, 0 held back by limits"])
        }
    }

    @Test("several mistakes of the rules are lines of their own, in the order of the file")
    func mistakes() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(
            """
            - pattern: 'a'
              group: g
              priority: high
              tilte: x
            - pattern: 'b'
            """, to: "rules.yaml")
        let path = folder.path("rules.yaml")
        let producer = try RunningProgram(inPackage: Package.product("line-producer"), ["--rules", path])
        #expect(await producer.exitCode() == 65)
        let errors = await producer.errors.all()
        #expect(
            errors.map { $0.prefix { $0 != ";" } } == [
                "line-producer: \(path):3: `priority` must be a number from -2147483648 to 2147483647",
                "line-producer: \(path):4: `tilte` is not a field of a rule",
                "line-producer: \(path):5: the rule has no `group`",
            ])
    }

    @Test("without any option, the message stays on the screen: the usage follows, and not the whole help")
    func nothingGiven() async throws {
        for (name, option) in [("line-producer", "--rules <file>"), ("web-screen", "--group <group> ...")] {
            let program = try RunningProgram(inPackage: Package.product(name))
            #expect(await program.exitCode() == 64)
            let errors = await program.errors.all()
            #expect(errors.count == 3)
            #expect(errors.first == "Error: Missing expected argument '\(option)'")
            #expect(errors.dropFirst().first?.hasPrefix("Usage: \(name) ") == true)
            #expect(errors.last == "  See '\(name) --help' for more information.")
        }
    }

    @Test(
        "commands that cannot be printed end a trial run with 74",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func lostOutput() async throws {
        let trial = try RunningProgram(
            inPackage: URL(filePath: "/bin/sh"),
            [
                "-c", #"exec "$0" "$@" >/dev/full"#, Package.product("line-producer").path, "--rules", Self.rules,
                "--dry-run",
            ], input: "x.c:1: error: one\n")
        #expect(await trial.exitCode() == 74)
        #expect(await trial.errors.all().contains { $0.contains("standard output cannot be written") })
    }

    @Test("a program that does not exist is an error, and no line")
    func noProgram() async throws {
        let producer = try RunningProgram(
            inPackage: Package.product("line-producer"), ["--rules", Self.rules, "--", "nosuchprog", "-x"])
        #expect(await producer.exitCode() == 127)
        #expect(
            await producer.errors.all() == [
                "line-producer: there is no program `nosuchprog`; check its name and the PATH"
            ])
    }

    @Test("a trial run prints what the simulator takes")
    func dryRun() async throws {
        let trial = try RunningProgram(
            inPackage: Package.product("line-producer"), ["--rules", Self.rules, "--name", "d", "--dry-run"],
            input: "x.c:1: error: one\nx.c:2: warning: two\nnothing\n")
        #expect(await trial.exitCode() == 0)
        let folder = try TemporaryDirectory()
        try folder.write(await trial.output.all().map { $0 + "\n" }.joined(), to: "trial.jsonl")
        let simulation = try RunningProgram(
            inPackage: Package.product("popup-broker"), ["simulate", folder.path("trial.jsonl")])
        #expect(await simulation.exitCode() == 0)
        let shown = await simulation.output.all().filter { $0.contains("\"shown\"") }
        #expect(shown.count == 2)
        #expect(shown.first?.contains("\"popup\":\"d-1\"") == true)
    }

    @Test("the rules may come from a pipe")
    func pipedRules() async throws {
        let command = #""$0" --rules <(cat "$1") --name d --dry-run"#
        let trial = try RunningProgram(
            inPackage: URL(filePath: "/bin/bash"),
            ["-c", command, Package.product("line-producer").path, Self.rules], input: "x.c:1: error: one\n")
        #expect(await trial.exitCode() == 0)
        #expect(await trial.output.all().count == 1)
    }

    @Test("a directory as standard input is told")
    func directoryAsInput() async throws {
        let producer = try RunningProgram(
            inPackage: URL(filePath: "/bin/bash"),
            ["-c", #""$0" --rules "$1" --dry-run </"#, Package.product("line-producer").path, Self.rules])
        #expect(await producer.exitCode() == 66)
        #expect(
            await producer.errors.all().last
                == "line-producer: cannot read standard input: it is a directory; name a file")
    }

    @Test(
        "what is wrong is told in a sentence",
        arguments: [
            (["--rules", "nowhere.yaml"], 66, "cannot read nowhere.yaml: it does not exist; check the path"),
            (["--rules", rules, "--follow", "/"], 66, "cannot read /: it is a directory; name a file"),
            (["--rules", "Package.swift"], 65, "Package.swift:"),
            (["--rules", rules, "--from-start"], 64, "--from-start needs --follow"),
            (
                ["--rules", rules, "--from-start", "--folow=x"], 64,
                "Unknown option '--folow'. Did you mean '--follow'?"
            ),
        ] as [([String], Int32, String)])
    func wrong(arguments: [String], code: Int32, words: String) async throws {
        let producer = try RunningProgram(inPackage: Package.product("line-producer"), arguments)
        #expect(await producer.exitCode() == code)
        #expect(await producer.errors.all().joined().contains(words))
    }
}
