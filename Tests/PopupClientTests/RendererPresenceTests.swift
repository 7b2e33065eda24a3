@_spi(Wire) import PopupClient
import PopupProtocol
import Testing

@Suite("A renderer on the wire", .timeLimit(.minutes(5)))
struct RendererPresenceTests {
    /// The next commands, in words; a lease that says the same as the one before is left out.
    private struct Reader {
        var frames: AsyncStream<[UInt8]>.Iterator
        var waiting: [String] = []
        var lease = ""

        init(_ broker: FakeBroker) {
            frames = broker.frames.makeAsyncIterator()
        }

        mutating func next() async -> String {
            while waiting.isEmpty {
                guard let frame = await frames.next() else { return "the end" }
                for case .success(let command) in Ingress.commands(in: frame) {
                    // On a slow machine, it asks for its right: this broker never answers `sync`.
                    if case .query? = command.command { continue }
                    let words = Self.words(command)
                    if words.hasPrefix("lease") {
                        if words == lease { continue }
                        lease = words
                    }
                    waiting.append(words)
                }
            }
            return waiting.removeFirst()
        }

        mutating func next(_ count: Int) async -> [String] {
            var words: [String] = []
            for _ in 0..<count { words.append(await next()) }
            return words
        }

        private static func words(_ command: WireCommand) -> String {
            switch command.command {
            case .lease(let lease): (["lease of", lease.client] + lease.groups).joined(separator: " ")
            case .report(let report): "\(report.report?.word ?? "nothing") \(report.id) by \(report.client)"
            case .answer(let answer): "\(answer.answer?.word ?? "nothing") \(answer.id) by \(answer.client)"
            case .dismiss(let dismiss): "dismiss \(dismiss.id) by \(dismiss.client)"
            default: command.command?.name ?? "nothing"
            }
        }
    }

    private func renderer(
        _ broker: FakeBroker, _ reporting: Renderer.Reporting = .automatic, leaseInterval: Duration = .seconds(1)
    ) throws -> Renderer {
        var limits = ClientLimits.patient
        limits.leaseInterval = leaseInterval
        return try Renderer(broker.endpoints, name: ClientToken("kiosk"), reporting: reporting, limits: limits)
    }

    @Test("says which groups it shows, what is on screen, and that it leaves")
    func life() async throws {
        let broker = try FakeBroker()
        var reader = Reader(broker)
        let renderer = try renderer(broker)
        do {
            let screens = try renderer.states(of: "lobby", "store-1/*")
            #expect(await reader.next() == "lease of kiosk lobby store-1/*")
            await broker.subscribed(to: "state+frame/store-1/")
            var iterator = screens.makeAsyncIterator()
            try broker.publish(WireGroupState("store-1/bar", revision: 4, popup: "A"))
            let screen = try #require(try await iterator.next())
            #expect(await reader.next(2) == ["displayed A by kiosk", "visible A by kiosk"])
            renderer.setVisible(false)
            #expect(await reader.next() == "hidden A by kiosk")
            renderer.setVisible(true)
            #expect(await reader.next() == "visible A by kiosk")
            try await renderer.dismiss(screen, action: "ok")
            #expect(await reader.next() == "dismiss A by kiosk")
        }
        #expect(await reader.next() == "lease of kiosk")
        await renderer.close()
    }

    @Test("leaves when its connection closes, whatever is still followed")
    func closing() async throws {
        let broker = try FakeBroker()
        var reader = Reader(broker)
        let renderer = try renderer(broker)
        let screens = try renderer.states(of: "lobby")
        #expect(await reader.next() == "lease of kiosk lobby")
        await renderer.close()
        #expect(await reader.next() == "lease of kiosk")
        withExtendedLifetime(screens) {}
    }

    @Test("renews its lease")
    func renewal() async throws {
        let broker = try FakeBroker()
        let renderer = try renderer(broker, leaseInterval: .milliseconds(20))
        let screens = try renderer.states(of: "lobby")
        #expect(await broker.commands(4).commands.map(\.lease.groups) == Array(repeating: ["lobby"], count: 4))
        await renderer.close()
        withExtendedLifetime(screens) {}
    }

    @Test("goes on with a restarted broker: lease and reports are there before anything else")
    func restart() async throws {
        let first = try FakeBroker(at: FakeBroker.unusedEndpoints())
        var reader = Reader(first)
        let renderer = try renderer(first)
        let screens = try renderer.states(of: "lobby")
        var iterator = screens.makeAsyncIterator()
        await first.subscribed(to: "state+frame/lobby/")
        try first.publish(WireGroupState("lobby", epoch: 1, revision: 9, popup: "A"))
        _ = try await iterator.next()
        #expect(await reader.next(3) == ["lease of kiosk lobby", "displayed A by kiosk", "visible A by kiosk"])
        await first.stop()

        let second = try FakeBroker(at: first.endpoints)
        reader = Reader(second)
        #expect(await reader.next(3) == ["lease of kiosk lobby", "displayed A by kiosk", "visible A by kiosk"])
        await renderer.close()
    }

    @Test("reports what the application says, where that reports itself")
    func manual() async throws {
        let broker = try FakeBroker()
        var reader = Reader(broker)
        let renderer = try renderer(broker, .manual)
        let screens = try renderer.states(of: "lobby")
        var iterator = screens.makeAsyncIterator()
        #expect(await reader.next() == "lease of kiosk lobby")
        await broker.subscribed(to: "state+frame/lobby/")
        try broker.publish(WireGroupState("lobby", revision: 1, popup: "A"))
        let screen = try #require(try await iterator.next())
        for report in [Renderer.Report.displayed, .visible, .hidden] { try await renderer.report(report, on: screen) }
        #expect(await reader.next(3) == ["displayed A by kiosk", "visible A by kiosk", "hidden A by kiosk"])
        await renderer.close()
    }

    @Test("answers offers, which are not on screen")
    func offers() async throws {
        let broker = try FakeBroker()
        var reader = Reader(broker)
        let renderer = try renderer(broker)
        var state = WireGroupState("lobby", revision: 1, popup: "A")
        state.active.remainingMs = 5000
        let shown = GroupState(PublishedState(wire: state), received: .now)
        state.offered = true
        let offered = GroupState(PublishedState(wire: state), received: .now)

        #expect([shown.popup?.id, shown.offered?.id] == ["A", nil])
        #expect([offered.popup?.id, offered.offered?.id] == [nil, "A"])
        #expect(offered.remaining() == nil)
        // What is shown needs no answer.
        for screen in [shown, offered] {
            try await renderer.accept(screen)
            try await renderer.veto(screen)
            try await renderer.postpone(screen)
            try await renderer.postpone(screen, after: .seconds(3))
        }
        try await renderer.dismiss(offered, action: "no")
        #expect(
            await reader.next(5) == [
                "accept A by kiosk", "veto A by kiosk", "later A by kiosk", "later 3000 A by kiosk",
                "dismiss A by kiosk",
            ])
        await renderer.close()
    }

    @Test("does not apply to the states of an administration client")
    func admin() async throws {
        let broker = try FakeBroker()
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        let screens = try admin.states(of: ["lobby"])
        var iterator = screens.makeAsyncIterator()
        await broker.subscribed(to: "state+frame/lobby/")
        try broker.publish(WireGroupState("lobby", revision: 1, popup: "A"))
        _ = try await iterator.next()
        try await admin.advance("lobby")
        #expect(await broker.commands(1).commands.map(\.command?.name) == ["advance"])
        await admin.close()
    }
}

extension WireReport.OneOf_Report {
    fileprivate var word: String {
        switch self {
        case .displayed: "displayed"
        case .visible: "visible"
        case .hidden: "hidden"
        }
    }
}

extension WireAnswer.OneOf_Answer {
    fileprivate var word: String {
        switch self {
        case .accept: "accept"
        case .veto: "veto"
        case .later(let later): later.hasRetryMs ? "later \(later.retryMs)" : "later"
        }
    }
}
