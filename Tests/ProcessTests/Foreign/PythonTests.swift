import Foundation
import Testing
import TestPrograms

@Suite(
    "A client of plain pyzmq", .ownThread,
    .enabled(if: Python.hasZeroMQ, "python3 cannot import zmq; `make test` installs it"))
struct PythonTests {
    let broker: BrokerProcess
    let folder: TemporaryDirectory

    init() throws {
        broker = try BrokerProcess()
        folder = try TemporaryDirectory()
    }

    /// A message as a script tells it; the names and types are those of the JSON on the wire.
    private struct Message: Decodable {
        struct Body: Decodable {
            struct Closed: Decodable {
                var reason: String
                var action: String?
            }
            struct Refused: Decodable {
                var reason: String
                var detail: String
            }
            struct Shown: Decodable {
                var attempt: Int
            }
            struct Active: Decodable {
                var id: String
                var text: String?
                var remainingMs: Int?
                var sinceRevision: String
            }
            struct Empty: Decodable {}

            var group: String
            var revision: String?
            var epoch: String?
            var time: String?
            var popup: String?
            var queued: Empty?
            var shown: Shown?
            // A state has a number here.
            var paused: Empty?
            var resumed: Empty?
            var closed: Closed?
            var refused: Refused?
            var active: Active?
            var waiting: Int?
        }

        var topic: String
        var body: Body?

        var words: String {
            guard let body else { return topic }
            if topic.hasPrefix("state") { return "\(topic) \(body.active?.id ?? "nothing") +\(body.waiting ?? 0)" }
            let what: String? =
                if body.queued != nil {
                    "queued"
                } else if let shown = body.shown {
                    "shown \(shown.attempt)"
                } else if body.paused != nil {
                    "paused"
                } else if body.resumed != nil {
                    "resumed"
                } else if let closed = body.closed {
                    "closed \(closed.reason) \(closed.action ?? "-")"
                } else {
                    body.refused.map { "refused \($0.reason)" }
                }
            return "\(topic) \(body.popup ?? "") \(what ?? "nothing")"
        }
    }

    private func messages(_ result: ChildProcess.Result) throws -> [Message] {
        try result.lines.map { try JSONDecoder().decode(Message.self, from: Data($0.utf8)) }
    }

    @Test("produces and subscribes")
    func producerAndSubscriber() throws {
        let subscriber = try Python.start("subscriber.py", [broker.egress, "10", "state+json/", "events+json/lobby/"])
        _ = try subscriber.wait(for: "to be subscribed") { output, _, _ in output.contains("ready") ? true : nil }
        let commands = try folder.write(
            "commands",
            """
            {"show":{"id":"A","group":"lobby","priority":1,"text":"Grüße","durationMs":60000}}
            {"show":{"id":"B","group":"lobby","priority":5}}
            {"dismiss":{"id":"B","action":"ok"}}
            {"dismiss":{"id":"B","action":"ok"}}
            {"show":{"id":"C","group":"kitchen"}}

            """)
        #expect(try Python.start("producer.py", [broker.ingress], input: commands).result().exit == .code(0))

        let result = try subscriber.result()
        #expect(result.error == "")
        let messages = try messages(result)
        let events = messages.filter { $0.topic.hasPrefix("events") }
        #expect(
            events.map(\.words) == [
                "events+json/lobby/ A shown 1", "events+json/lobby/ A paused", "events+json/lobby/ B shown 1",
                "events+json/lobby/ B closed DISMISSED ok", "events+json/lobby/ A resumed",
                "events+json/lobby/ B refused STALE",
            ])
        let states = messages.filter { $0.topic.hasPrefix("state") }
        #expect(
            states.map(\.words) == [
                "state+json/lobby/ A +0", "state+json/lobby/ B +0", "state+json/lobby/ A +0",
                "state+json/kitchen/ C +0",
            ])
        #expect(states.map(\.body?.revision) == ["1", "2", "3", "1"])
        #expect(states.allSatisfy { $0.body?.epoch == String(broker.epoch) })
        #expect(states[0].body?.active?.text == "Grüße")
        #expect(states[2].body?.active?.sinceRevision == "3")
        #expect((states[2].body?.active?.remainingMs).map { 1...60000 ~= $0 } == true)
    }

    @Test("renders: it answers what is shown with the revision that it saw")
    func renderer() throws {
        let renderer = try Python.start("renderer.py", [broker.ingress, broker.egress, "lobby", "3"])
        let wire = try broker.wire(following: "events/lobby/")
        for id in ["A", "B", "C"] {
            try wire.send(show(id, in: "lobby", #""actions":[{"id":"\#(id)-yes","label":"Yes"}]"#))
        }

        #expect(try renderer.result().exit == .code(0))
        for id in ["A", "B", "C"] { try wire.event("\(id) closed DISMISSED \(id)-yes", of: "lobby") }
    }

    @Test("may be a plain PUB")
    func plainPublisher() throws {
        let result = try Python.start("plain_pub.py", [broker.ingress, broker.egress]).result()

        #expect(result.error == "")
        #expect(
            try messages(result).map(\.words) == ["state+json/lobby/ welcome +0", "state+json/lobby/ nothing +0"])
    }
}
