import PopupClient
import PopupProtocol
import Testing

@Suite("The right to follow groups", .timeLimit(.minutes(1)))
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
        let admin = try AdminClient(broker.endpoints)
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
        var limits = ClientLimits()
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
