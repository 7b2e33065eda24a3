import PopupProtocol
import Synchronization
import Testing

@testable import PopupClient

@Suite("The right to follow groups", .timeLimit(.minutes(5)))
struct ReadingRightTests {
    /// Starts a broker at which the user has these grants.
    private func broker(_ grants: [(groups: [String], rights: [String])], user: String = "screen") throws -> FakeBroker
    {
        try FakeBroker { command in
            var result = WireResult()
            result.whoami.user = user
            result.whoami.grants = grants.map { groups, rights in
                var grant = WireAccessGrant()
                (grant.groups, grant.rights) = (groups, rights)
                return grant
            }
            return FakeBroker.reply(to: command, result)
        }
    }

    /// Returns the sentence of the refusal; `nil` if there is none.
    private func refusal(
        at broker: FakeBroker, of right: ReadingRight = .watch, in groups: String...
    ) async throws -> String? {
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        defer { withExtendedLifetime(broker) {} }
        var sentence: String?
        do {
            try await admin.checkRight(right, in: groups)
        } catch ClientError.refused(let refusal) {
            #expect(refusal.reason == .permissionDenied)
            sentence = refusal.detail
        }
        await admin.close()
        return sentence
    }

    @Test(
        "is there if one grant allows the whole subscription, which also matches the groups below a group",
        arguments: [
            ("lobby", true), ("lobby/left", true), ("lobby/*", true), ("desk/1", true), ("desk/1/*", true),
            ("desk", false), ("desk/*", false), ("hall", false), ("lobbyist", false), ("*", false),
        ])
    func grants(group: String, isAllowed: Bool) async throws {
        let broker = try broker([(["lobby", "desk/*"], ["render", "watch"]), (["hall"], ["events"])])
        #expect(try await (refusal(at: broker, in: group) == nil) == isAllowed)
    }

    @Test("says who lacks which right for which groups")
    func sentence() async throws {
        let broker = try broker([(["hall"], ["watch"])])
        #expect(
            try await refusal(at: broker, in: "hall", "lobby")
                == "the user `screen` needs the right watch in \"lobby\" and the groups below it, by the group \"lobby\";"
                + " no role of the user gives it there")
        #expect(
            try await refusal(at: try self.broker([], user: ""), of: .events, in: "*")
                == "a client without a key needs the right events in all groups, by the pattern \"*\";"
                + " no role of the user gives it there")
    }

    @Test("that is missing ends the streams: the broker answers no such subscription")
    func deniedStreams() async throws {
        let broker = try broker([(["hall"], ["watch", "events"])])
        var limits = ClientLimits.patient
        limits.syncTimeout = .milliseconds(20)
        let admin = try AdminClient(broker.endpoints, limits: limits)
        func denial(of right: String) -> ClientError {
            .refused(
                Refusal(
                    .permissionDenied,
                    "the user `screen` needs the right \(right) in \"lobby\" and the groups below it, by the group"
                        + " \"lobby\"; no role of the user gives it there"))
        }
        let states = try admin.states(of: ["hall", "lobby"])
        await #expect(throws: denial(of: "watch")) { for try await _ in states {} }
        let unread = try admin.states(of: ["lobby"])
        await #expect(throws: denial(of: "watch")) { for try await _ in unread.arrivals {} }
        let events = try admin.events(of: ["hall", "lobby"])
        await #expect(throws: denial(of: "events")) { for try await _ in events {} }
        await admin.close()
    }

    @Test("that is missing ends the streams also when the broker did not answer the first question")
    func lateDenial() async throws {
        for right in [ReadingRight.watch, .events] {
            let broker = try FakeBroker { command in
                // A broker that hangs: nobody answers the first question, however often it is sent.
                guard command.query.nonce != "1" else { return [] }
                var result = WireResult()
                result.whoami.user = "screen"
                return FakeBroker.reply(to: command, result)
            }
            var limits = ClientLimits.patient
            limits.syncTimeout = .milliseconds(20)
            limits.replyTimeout = .milliseconds(60)
            let admin = try AdminClient(broker.endpoints, limits: limits)
            await #expect {
                switch right {
                case .watch: for try await _ in try admin.states(of: ["lobby"]) {}
                case .events: for try await _ in try admin.events(of: ["lobby"]) {}
                }
            } throws: { error in
                if case ClientError.refused(let refusal) = error { refusal.reason == .permissionDenied } else { false }
            }
            await admin.close()
        }
    }

    @Test("that is there keeps streams open, however long nothing is heard, and each asks for it once")
    func allowedStreams() async throws {
        let questions = Mutex<Set<String>>([])
        let broker = try FakeBroker { command in
            var result = WireResult()
            result.whoami.unrestricted = true
            questions.withLock { _ = $0.insert(command.query.nonce) }
            return FakeBroker.reply(to: command, result)
        }
        var limits = ClientLimits.patient
        limits.syncTimeout = .milliseconds(20)
        let admin = try AdminClient(broker.endpoints, limits: limits)
        var states = try admin.states(of: ["lobby"]).makeAsyncIterator()
        var events = try admin.events(of: ["lobby"]).makeAsyncIterator()
        await broker.subscribed(to: "events/lobby/")
        _ = await broker.commands(1)
        // Nobody answers `sync`.
        for _ in 0..<5 { #expect(await broker.subscribed(below: "sync/") != "") }
        #expect(questions.withLock { $0.count } <= 2)

        try broker.publish(WireGroupState("lobby", revision: 1, popup: "A"))
        try broker.publish(.shown("A", in: "lobby"))
        #expect(try await states.next()?.popup?.id == "A")
        #expect(try await events.next()?.popup == "A")
        await admin.close()
    }

    /// A broker whose answers a test gives. It counts the questions.
    private final class Questions: Sendable {
        struct State {
            var isConnected = true
            var count = 0
            var record: (@Sendable (SilenceCheck.Answer) -> Void)?
        }

        let state = Mutex(State())

        var count: Int { state.withLock { $0.count } }

        func check() -> SilenceCheck {
            SilenceCheck { record in
                self.state.withLock { state in
                    guard state.isConnected else { return false }
                    state.count += 1
                    state.record = record
                    return true
                }
            }
        }

        /// Answers the last question.
        func answer(_ answer: SilenceCheck.Answer) {
            state.withLock { $0.record }?(answer)
        }
    }

    @Test("is checked by a stream of events until the broker answers, ever more seldom, and again after a reconnection")
    func checkOfEvents() throws {
        let questions = Questions()
        let start = ContinuousClock.now
        let box = EventBox(
            filter: try GroupFilter(["lobby"]), limit: 9, checkInterval: .seconds(2), silenceCheck: questions.check(),
            at: start)
        /// How often it has asked by a time, and the seconds until it asks again.
        func asks(at seconds: Int) -> [Int] {
            #expect(box.changes(at: start + .seconds(seconds), mayAsk: true).isEmpty)
            let due = box.deadline.map { Int(start.duration(to: $0) / .seconds(1)) - seconds }
            return [questions.count] + (due.map { [$0] } ?? [])
        }
        questions.state.withLock { $0.isConnected = false }
        #expect(asks(at: 1) == [0, 1])
        #expect(asks(at: 2) == [0, 2])
        #expect(asks(at: 4) == [0, 2])
        questions.state.withLock { $0.isConnected = true }
        #expect(asks(at: 6) == [1, 4])
        // The first question is still open.
        #expect(asks(at: 10) == [1, 8])
        questions.answer(.missing)
        #expect(asks(at: 18) == [2, 16])
        questions.answer(.missing)
        #expect(asks(at: 34) == [3, 30])
        questions.answer(.missing)
        #expect(asks(at: 64) == [4, 30])
        questions.answer(.allowed)
        #expect(asks(at: 94) == [4])
        #expect(asks(at: 1000) == [4])

        box.reconnected(at: start + .seconds(1000))
        #expect(asks(at: 1001) == [4, 1])
        #expect(asks(at: 1002) == [5, 4])
        box.reconnected(at: start + .seconds(1003))
        // An answer from before the reconnection says nothing.
        questions.answer(.allowed)
        #expect(asks(at: 1005) == [6, 4])
        questions.answer(.allowed)
        #expect(asks(at: 1009) == [6])
    }

    @Test("is checked by a stream of states when `sync` is not answered, until the broker says whether it is there")
    func checkOfStates() throws {
        let questions = Questions()
        var now = ContinuousClock.now
        let box = GroupStateBox(
            filter: try GroupFilter(["lobby"]), limits: ClientLimits(), client: "c", stream: 1,
            silenceCheck: questions.check(), at: now, jitter: { .zero })
        /// How often it has asked when the next time for a `sync` is over.
        func asks() throws -> Int {
            now = try #require(box.deadline)
            #expect(!box.changes(at: now).isEmpty)
            return questions.count
        }
        #expect(try asks() == 0)
        #expect(try asks() == 1)
        // The first question is still open.
        #expect(try asks() == 1)
        questions.answer(.missing)
        #expect(try asks() == 2)
        questions.answer(.allowed)
        #expect(try asks() == 2)
        #expect(try asks() == 2)
        box.reconnected(at: now)
        #expect(try asks() == 3)
    }

    @Test("is asked for in addition to as many streams as may be open")
    func limitOfStreams() async throws {
        let broker = try broker([(["hall"], ["watch", "events"])])
        var limits = ClientLimits.patient
        limits.streams = 2
        limits.syncTimeout = .milliseconds(20)
        let admin = try AdminClient(broker.endpoints, limits: limits)
        let hall = try admin.states(of: ["hall"])
        var lobby: Events? = try admin.events(of: ["lobby"])
        await #expect {
            for try await _ in lobby! {}
        } throws: { error in
            if case ClientError.refused(let refusal) = error { refusal.reason == .permissionDenied } else { false }
        }
        // Also with queries, there may be two streams, and no more.
        try await admin.settled()
        #expect(throws: ClientError.tooManyStreams(limit: 2)) { try admin.events(of: ["hall"]) }
        lobby = nil
        lobby = try admin.events(of: ["hall"])
        #expect(throws: ClientError.tooManyStreams(limit: 2)) { try admin.events(of: ["hall"]) }
        withExtendedLifetime((hall, lobby)) {}
        await admin.close()
    }

    @Test("is there for who may do everything")
    func unrestricted() async throws {
        let broker = try FakeBroker { command in
            var result = WireResult()
            result.whoami.unrestricted = true
            return FakeBroker.reply(to: command, result)
        }
        #expect(try await refusal(at: broker, in: "*") == nil)
    }

    @Test("is not refused by a broker that does not answer, or does not know the question")
    func unknown() async throws {
        var limits = ClientLimits.patient
        limits.replyTimeout = .milliseconds(60)
        let silent = try FakeBroker()
        let older = try FakeBroker { command in
            var result = WireResult()
            result.refused.reason = .malformed
            return FakeBroker.reply(to: command, result)
        }
        for broker in [silent, older] {
            let renderer = Renderer(try BrokerConnection(broker.endpoints, limits: limits))
            try await renderer.checkRight(.watch, in: ["lobby"])
            await #expect(throws: ClientError.invalidGroup("a b")) {
                try await renderer.checkRight(.watch, in: ["a b"])
            }
            await renderer.close()
        }
    }
}
