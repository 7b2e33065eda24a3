import Foundation
import PopupClient
import Testing
import TestPrograms

private func hasPyzmq() async throws -> Bool {
    try await RunningProgram(inPackage: URL(filePath: "/usr/bin/env"), ["python3", "-c", "import zmq"]).exitCode() == 0
}

@Suite(
    "The Python examples", .timeLimit(.minutes(2)),
    .enabled("pyzmq is missing for python3; `make test` installs it") { try await hasPyzmq() })
struct PythonTests {
    private func python(_ broker: TestBroker, _ arguments: String...) throws -> RunningProgram {
        try RunningProgram(
            inPackage: URL(filePath: "/usr/bin/env"), ["python3"] + arguments, environment: broker.environment)
    }

    @Test("a producer of a few lines is heard, a subscriber of a few lines shows and answers")
    func both() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "lobby")
            let producer = try python(broker, "Examples/python/producer.py", "lobby", "Grüße 日本", "5", "60000")
            #expect(await producer.exitCode() == 0)
            let id = try await producer.output.next()
            #expect(try await events.next() == "\(id) shown")
            // It comes later than the popup, and sees it all the same.
            let subscriber = try python(broker, "Examples/python/subscriber.py", "lobby", "ok")
            #expect(try await subscriber.output.next() == "lobby \(id): Grüße 日本")
            #expect(try await events.next() == "\(id) closed DISMISSED ok")
            #expect(try await subscriber.output.next() == "lobby nothing")
            await subscriber.stop()
        }
    }
}
