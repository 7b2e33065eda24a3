import ExampleSupport
import PopupClient
import Testing
import TestPrograms

/// The client library's delivery, and a real broker.
@Suite("Delivery to a broker", .timeLimit(.minutes(5)))
struct DeliveryWithBrokerTests {
    @Test("many popups are accepted, each once, and what is refused is told")
    func many() async throws {
        try await TestBroker.run { broker in
            let ids = (0..<2000).map { "popup-\($0)" }
            try broker.producer.enqueue(ids.map { Popup(id: $0, group: "g/\($0)", text: "Hello") })
            try await broker.producer.flush()
            #expect(try await broker.admin.count() == 2000)

            let refused = await #expect(throws: ClientError.self) { try await broker.admin.dismiss("nobody") }
            guard case .refused(let refusal)? = refused else {
                Issue.record("\(String(describing: refused))")
                return
            }
            #expect(refusal.reason == .notFound)
            try await broker.admin.dismiss("popup-7")
            #expect(try await broker.admin.count() == 1999)
        }
    }

    @Test("what the broker has no room for is tried again, and refused when the time is over")
    func overload() async throws {
        try await TestBroker.run { broker in
            var policy = GroupPolicy("g")
            policy.maxWaiting = 0
            try await broker.admin.setPolicy(policy)
            try await broker.producer.show(Popup(id: "A", group: "g", text: ""))
            let waiting = Task { try await broker.producer.show(Popup(id: "B", group: "g", text: "")) }
            // It has been refused once when it is told so.
            var events = try await EventReader.listening(broker, to: "g")
            _ = try await events.until("B refused OVERLOAD")
            try await broker.admin.dismiss("A")
            #expect(try await waiting.value == "B")

            var limits = ClientLimits()
            limits.sendTimeout = .seconds(4)
            let hasty = try Producer(broker.endpoints, limits: limits)
            try await hasty.connection.connected(timeout: .seconds(60))
            let refused = await #expect(throws: ClientError.self) {
                try await hasty.show(Popup(id: "C", group: "g", text: ""))
            }
            guard case .refused(let refusal)? = refused else {
                Issue.record("\(String(describing: refused))")
                return
            }
            #expect(refusal.reason == .overload)
            // It is not sent any more, and stands in nobody's way.
            try await hasty.show(Popup(id: "D", group: "other", text: ""))
            try await broker.admin.dismiss("B")
            #expect(try await broker.admin.explain("C").phase == .unknown)
            await hasty.close()
        }
    }

    @Test("a broker that is killed and started again gets what it had not accepted, and what comes then")
    func killed() async throws {
        let folder = try TemporaryDirectory()
        let endpoints = BrokerEndpoints(ingress: "ipc://\(folder.path("in"))", egress: "ipc://\(folder.path("out"))")
        func start() async throws -> RunningProgram {
            let program = try RunningProgram(
                inPackage: Package.product("popup-broker"),
                [
                    "run", "--ingress", endpoints.ingress, "--egress", endpoints.egress, "--data-dir",
                    folder.path("data"),
                ])
            _ = try await program.output.next { $0.hasPrefix("popup-broker ready") }
            return program
        }
        let producer = try Producer(endpoints, outbox: folder.path("outbox"), limits: .patient)
        try await producer.submit([Popup(id: "early", group: "early", text: "")])
        var broker = try await start()
        try await producer.flush()
        for round in 0..<3 {
            let ids = (0..<400).map { "\(round)-\($0)" }
            let sending = Task { try await producer.submit(ids.map { Popup(id: $0, group: "g/\($0)", text: "") }) }
            await broker.stop()
            broker = try await start()
            _ = try await sending.value
            try await producer.connection.flush(timeout: .seconds(120))
        }
        try await producer.show(Popup(id: "late", group: "late", text: ""))
        // Each once, in a group of its own.
        #expect(try await AdminClient(producer.connection).count() == 1 + 3 * 400 + 1)
        await producer.close()
        await broker.stop()
    }

    @Test("a screen that joins late sees at once what all groups show, and misses nothing from then on")
    func lateJoin() async throws {
        // What is not told at once is not told at all: the next refresh is far away.
        try await TestBroker.run(settings: ["egress.refreshIntervalMs=3600000"]) { broker in
            // More than the broker repeats on a subscription alone.
            try broker.producer.enqueue((0..<300).map { Popup(id: "\($0)", group: "g/\($0)", text: "") })
            try await broker.producer.flush()
            var screens = try broker.admin.states(of: ["g/*"]).makeAsyncIterator()
            var shown: Set<String> = []
            while shown.count < 300, let screen = try await screens.next() {
                if let popup = screen.popup { shown.insert(popup.id) }
            }
            #expect(shown.count == 300)
            try await broker.admin.dismiss("7")
            while let screen = try await screens.next() {
                if screen.group == "g/7", screen.popup == nil { break }
            }
        }
    }
}
