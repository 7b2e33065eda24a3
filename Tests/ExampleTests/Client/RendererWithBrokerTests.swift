import ExampleSupport
import PopupClient
import Testing
import TestPrograms

/// The client library's renderer, and a real broker that goes by what it is told.
@Suite("A renderer and a broker", .timeLimit(.minutes(5)))
struct RendererWithBrokerTests {
    /// A renderer that shows whatever comes, and what it has seen.
    private struct Reader {
        let renderer: Renderer
        var screens: GroupStates.AsyncIterator

        init(_ broker: TestBroker, _ name: String, _ groups: String...) async throws {
            renderer = try Renderer(broker.endpoints, name: ClientToken(name), limits: .patient)
            try await renderer.connected(timeout: .seconds(60))
            screens = try renderer.states(of: groups).makeAsyncIterator()
        }

        /// The next screen that shows or offers this popup.
        mutating func screen(of popup: String) async throws -> GroupState {
            while let screen = try await screens.next() {
                if (screen.popup ?? screen.offered)?.id == popup { return screen }
            }
            throw CancellationError()
        }

        /// Waits until the broker has what the renderer told so far.
        func settled() async throws {
            _ = try await AdminClient(renderer.connection).statistics()
        }
    }

    private func policy(_ group: String, _ change: (inout GroupPolicy) -> Void) -> GroupPolicy {
        var policy = GroupPolicy(group)
        change(&policy)
        return policy
    }

    @Test("what it displayed closes with the last renderer, where the policy says so, also by a pattern")
    func lost() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "store-1/*")
            try await broker.admin.setPolicy(policy("store-1/*") { $0.rendererLost = .close })
            var first = try await Reader(broker, "first", "store-1/*")
            var second = try await Reader(broker, "second", "store-1/bar", "lobby")
            try await broker.producer.show(Popup(id: "A", group: "store-1/bar", text: "Hello"))
            _ = try await first.screen(of: "A")
            _ = try await second.screen(of: "A")
            try await first.settled()
            try await second.settled()
            await first.renderer.close()
            var update = PopupUpdate()
            update.id = "A"
            update.text = "Hello again"
            try await broker.producer.update(update)
            // Still there: the other one shows it.
            #expect(try await events.until("A updated") == ["A shown", "A updated"])
            await second.renderer.close()
            #expect(try await events.next() == "A closed RENDERER_LOST")
        }
    }

    @Test("a broker that is started again knows it by its lease")
    func restart() async throws {
        let folder = try TemporaryDirectory()
        let endpoints = BrokerEndpoints(ingress: "ipc://\(folder.path("in"))", egress: "ipc://\(folder.path("out"))")
        func start() async throws -> RunningProgram {
            let program = try RunningProgram(
                inPackage: Package.product("popup-broker"),
                [
                    "run", "--ingress", endpoints.ingress, "--egress", endpoints.egress, "--durability", "memory",
                ])
            _ = try await program.output.next { $0.hasPrefix("popup-broker ready") }
            return program
        }
        let first = try await start()
        let renderer = try Renderer(endpoints, limits: .patient)
        var screens = try renderer.states(of: "lobby").makeAsyncIterator()
        try await renderer.connected(timeout: .seconds(60))
        await first.stop()

        let second = try await start()
        let admin = try AdminClient(endpoints, limits: .patient)
        var events = EventReader(try await admin.listening(to: ["lobby"]))
        try await admin.setPolicy(policy("lobby") { $0.rendererLost = .close })
        try await admin.show(Popup(id: "A", group: "lobby", text: ""))
        #expect(try await screens.next()?.popup?.id == "A")
        // Its two sockets connect again each for itself: the broker has the lease and the report by then.
        _ = try await AdminClient(renderer.connection).statistics()
        await renderer.close()
        #expect(try await events.until("A closed RENDERER_LOST") == ["A shown", "A closed RENDERER_LOST"])
        await admin.close()
        await second.stop()
    }

    @Test("who displays in time keeps it on screen; whom nobody displays is closed")
    func displayed() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "lobby", "nobody")
            for group in ["lobby", "nobody"] {
                let rules = policy(group) { ($0.displayTimeoutMs, $0.undisplayed) = (8000, .close) }
                try await broker.admin.setPolicy(rules)
            }
            var reader = try await Reader(broker, "r", "lobby")
            try await broker.producer.show(Popup(id: "seen", group: "lobby", text: ""))
            try await broker.producer.show(Popup(id: "unseen", group: "nobody", text: ""))
            _ = try await reader.screen(of: "seen")
            #expect(
                try await events.until("unseen closed UNDISPLAYED") == [
                    "seen shown", "unseen shown", "unseen closed UNDISPLAYED",
                ])
            #expect(try await broker.admin.explain("seen").phase == .active)
            await reader.renderer.close()
        }
    }

    @Test("all live renderers have to dismiss what needs all; a console need not wait for them")
    func quorum() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "lobby")
            var readers = [try await Reader(broker, "left", "lobby"), try await Reader(broker, "right", "lobby")]
            var popup = Popup(id: "A", group: "lobby", text: "")
            popup.quorumAll = true
            try await broker.producer.show(popup)
            #expect(try await events.next() == "A shown")
            for index in readers.indices {
                let screen = try await readers[index].screen(of: "A")
                #expect(try await broker.admin.explain("A").phase == .active)
                try await readers[index].renderer.dismiss(screen, action: "ok")
            }
            #expect(try await events.next() == "A closed DISMISSED ok")

            popup.id = "B"
            try await broker.producer.show(popup)
            #expect(try await events.next() == "B shown")
            try await broker.admin.dismiss("B", action: "enough")
            #expect(try await events.next() == "B closed DISMISSED enough")
            for reader in readers { await reader.renderer.close() }
        }
    }

    @Test("an offer is put off, vetoed, accepted")
    func offers() async throws {
        try await TestBroker.run { broker in
            var events = try await EventReader.listening(broker, to: "lobby")
            var reader = try await Reader(broker, "r", "lobby")
            for id in ["A", "B"] {
                var popup = Popup(id: id, group: "lobby", text: "")
                popup.offerMs = 60_000
                try await broker.producer.show(popup)
            }
            #expect(try await events.until("B queued") == ["A offered", "B queued"])
            let first = try await reader.screen(of: "A")
            #expect(first.popup == nil)
            try await reader.renderer.postpone(first, after: .seconds(600))
            #expect(try await events.until("B offered") == ["A queued", "B offered"])
            try await reader.renderer.veto(try await reader.screen(of: "B"))
            #expect(try await events.next() == "B closed VETOED")
            let retry = try await broker.admin.explain("A")
            #expect(retry.rule == "retry")

            var third = Popup(id: "C", group: "lobby", text: "")
            third.offerMs = 60_000
            try await broker.producer.show(third)
            try await reader.renderer.accept(try await reader.screen(of: "C"))
            #expect(try await events.until("C shown") == ["C offered", "C shown"])
            await reader.renderer.close()
        }
    }
}
