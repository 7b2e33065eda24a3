import Foundation
import PopupClient
import Testing
import TestPrograms

private func hasPyzmq() async throws -> Bool {
    try await RunningProgram(inPackage: URL(filePath: "/usr/bin/env"), ["python3", "-c", "import zmq"]).exitCode() == 0
}

@Suite(
    "The Python examples", .timeLimit(.minutes(5)),
    .enabled("pyzmq is missing for python3; `make test` installs it") { try await hasPyzmq() })
struct PythonTests {
    private func python(
        _ endpoints: BrokerEndpoints, _ arguments: String..., input: String = ""
    ) throws -> RunningProgram {
        let environment = [
            BrokerEndpoints.ingressVariable: endpoints.ingress, BrokerEndpoints.egressVariable: endpoints.egress,
        ]
        return try RunningProgram(
            inPackage: URL(filePath: "/usr/bin/env"), ["python3"] + arguments, input: input, environment: environment)
    }

    /// Starts a broker on a data directory, and waits until it is ready.
    private func durableBroker(
        in folder: TemporaryDirectory, at endpoints: BrokerEndpoints
    ) async throws -> (program: RunningProgram, endpoints: BrokerEndpoints) {
        let program = try RunningProgram(
            inPackage: Package.product("popup-broker"),
            ["run", "--ingress", endpoints.ingress, "--egress", endpoints.egress, "--data-dir", folder.path("data")])
        let line = try await program.output.next { $0.hasPrefix("popup-broker ready") }
        let match = try #require(line.firstMatch(of: /ingress=(\S+) egress=(\S+)/))
        return (program, BrokerEndpoints(ingress: String(match.1), egress: String(match.2)))
    }

    @Test("a producer of a few lines is heard, a subscriber of a few lines shows and answers")
    func both() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "lobby")
            let producer = try python(
                broker.endpoints, "Examples/python/producer.py", "lobby", "Grüße 日本", "5", "60000")
            #expect(await producer.exitCode() == 0)
            let id = try await producer.output.next()
            #expect(try await events.next() == "\(id) shown")
            // It comes later than the popup, and sees it all the same.
            let subscriber = try python(broker.endpoints, "Examples/python/subscriber.py", "lobby", "ok")
            #expect(try await subscriber.output.next() == "lobby \(id): Grüße 日本")
            #expect(try await events.next() == "\(id) closed DISMISSED ok")
            #expect(try await subscriber.output.next() == "lobby nothing")
            await subscriber.stop()
        }
    }

    @Test("a subscriber shows a group and those below it, each with its own popups, whichever changes more often")
    func groupsBelow() async throws {
        try await TestBroker.run { broker in
            // The later revisions are those of the group below.
            for number in 1...5 {
                try await broker.producer.show(Popup(id: "left-\(number)", group: "lobby/left", text: "Left"))
            }
            try await broker.producer.show(Popup(id: "first", group: "lobby", text: "Hello"))
            try await broker.producer.show(Popup(id: "other", group: "lobby2", text: "Elsewhere"))
            let whole = try python(broker.endpoints, "Examples/python/subscriber.py", "lobby")
            let left = try python(broker.endpoints, "Examples/python/subscriber.py", "lobby/left")
            let present = [try await whole.output.next(), try await whole.output.next()]
            #expect(Set(present) == ["lobby first: Hello", "lobby/left left-1: Left"])
            #expect(try await left.output.next() == "lobby/left left-1: Left")

            try await broker.admin.dismiss("first")
            try await broker.producer.show(Popup(id: "second", group: "lobby", text: "Hello again"))
            try await broker.admin.advance("lobby/left")
            #expect(try await whole.output.next() == "lobby nothing")
            #expect(try await whole.output.next() == "lobby second: Hello again")
            #expect(try await whole.output.next() == "lobby/left left-2: Left")
            #expect(try await left.output.next() == "lobby/left left-2: Left")
            await whole.stop()
            await left.stop()
        }
    }

    @Test("a reliable producer tells for each popup whether it was accepted")
    func acknowledged() async throws {
        try await TestBroker.run { broker in
            let good = try python(
                broker.endpoints, "Examples/python/reliable_producer.py", "lobby", input: "One\nTwo\n")
            #expect(await good.exitCode() == 0)
            #expect(await good.output.all().map { $0.split(separator: " ").last } == ["accepted", "accepted"])
            let bad = try python(broker.endpoints, "Examples/python/reliable_producer.py", "lobby/", input: "One\n")
            #expect(await bad.exitCode() == 0)
            #expect(try await bad.output.next().contains(" refused INVALID: `show.group`"))
        }
    }

    @Test("a reliable producer loses nothing when the broker is killed")
    func killed() async throws {
        let folder = try TemporaryDirectory()
        // Both brokers are there, which nobody else is given between them.
        let endpoints = BrokerEndpoints(ingress: "ipc://\(folder.path("in"))", egress: "ipc://\(folder.path("out"))")
        let first = try await durableBroker(in: folder, at: endpoints)
        let lines = (1...2000).map { "Line \($0)\n" }.joined()
        let producer = try python(
            first.endpoints, "Examples/python/reliable_producer.py", "lobby", input: lines)
        _ = try await producer.output.next { $0.hasSuffix(" accepted") }
        first.program.signal(SIGKILL)
        _ = await first.program.exitCode()

        let second = try await durableBroker(in: folder, at: first.endpoints)
        #expect(await producer.exitCode() == 0)
        #expect(Set(await producer.output.all().filter { $0.hasSuffix(" accepted") }).count == 2000)
        let connection = try BrokerConnection(second.endpoints, limits: .patient)
        #expect(try await AdminClient(connection).count() == 2000)
        await connection.close()
        #expect(await second.program.stop() == 0)
    }
}
