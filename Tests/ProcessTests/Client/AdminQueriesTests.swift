import PopupClient
import PopupProtocol
import TestPrograms
import Testing

/// The queries of the library's administration client, put to the real broker.
@Suite("The library's administration client", .ownThread)
struct AdminQueriesTests {
    /// The limit of a reply, so low that a few dozen make several pages.
    private static let pageSize = 40

    let broker: BrokerProcess
    let wire: Wire
    let admin: AdminClient

    init() throws {
        broker = try BrokerProcess(arguments: ["--set", "limits.queryResults=\(Self.pageSize)"])
        wire = try broker.wire(following: "events/")
        admin = try AdminClient(BrokerEndpoints(ingress: broker.ingress, egress: broker.egress), limits: .patient)
    }

    /// Sends commands and waits until they are applied.
    private func apply(_ commands: [String]) throws {
        try wire.send(commands)
        try wire.settle()
    }

    @Test("is told what closed, the latest first, with how and what it said, and whether there is more")
    func history() async throws {
        try apply([
            show("A", in: "store/1", #""text":"Hello","presentation":{"title":"News"}"#), dismiss("A", "yes"),
            show("B", in: "store/2"), dismiss("B"), show("C", in: "hall"), dismiss("C"), show("D", in: "hall"),
        ])

        let all = try await admin.history()
        #expect(all.popups.map(\.id) == ["C", "B", "A"])
        #expect(!all.truncated)
        let first = try #require(all.popups.last)
        #expect(first.group == "store/1" && first.title == "News" && first.excerpt == "Hello")
        #expect(first.closed.reason == .dismissed && first.closed.action == "yes")
        #expect(try await admin.history(of: "store/*").popups.map(\.id) == ["B", "A"])
        let latest = try await admin.history(of: "store/*", limit: 1)
        #expect(latest.popups.map(\.id) == ["B"])
        #expect(latest.truncated)
        #expect(try await admin.history(of: "nobody").popups.isEmpty)
        await admin.close()
    }

    @Test("is told the groups of a pattern page by page, each once, with the numbers of their popups")
    func groups() async throws {
        let names = (100..<220).map { "store/\($0)" }
        try apply(
            names.map { show("first-\($0)", in: $0) } + [
                show("second", in: "store/100"), show("later", in: "store/100", #""delayMs":600000"#),
                show("other", in: "hall"), #"{"setSession":{"group":"hall","session":"night"}}"#,
            ])

        var pages: [[GroupCounts]] = []
        var last: String?
        repeat {
            let page = try await admin.groups(of: "store/*", after: last)
            pages.append(page.groups)
            last = page.hasMore ? page.groups.last?.group : nil
        } while last != nil && pages.count < 10
        #expect(pages.map(\.count) == [Self.pageSize, Self.pageSize, Self.pageSize])
        #expect(pages.joined().map(\.group) == names)
        let first = try #require(pages.first?.first)
        // A delayed popup is among those that wait.
        #expect(first.active == "first-store/100" && first.waiting == 2 && first.delayed == 1 && first.paused == 0)

        let all = try await admin.groups()
        #expect(all.groups.count == Self.pageSize && all.hasMore)
        let hall = try #require(all.groups.first)
        #expect(hall.group == "hall" && hall.active == "other" && hall.session == "night")
        #expect(try await admin.groups(of: "store/100").groups.map(\.group) == ["store/100"])
        #expect(try await admin.groups(of: "nobody/*").groups.isEmpty)
        await admin.close()
    }

    @Test("is told all suspensions, however many pages they take, or those that apply to a group")
    func suspensions() async throws {
        let tokens = (100..<190).map { "token-\($0)" }
        try apply(tokens.map { #"{"suspend":{"group":"store/*","token":"\#($0)"}}"# })
        try await admin.suspend("hall", token: "night", minPriority: -5)

        #expect(try await admin.suspensions().map(\.token) == ["night"] + tokens)
        #expect(try await admin.suspensions(for: "store/7").map(\.token) == tokens)
        let night = try #require(try await admin.suspensions(for: "hall").first)
        #expect(night.token == "night" && night.group == "hall" && night.minPriority == -5)
        try await admin.resume("night")
        #expect(try await admin.suspensions(for: "hall").isEmpty)
        await admin.close()
    }

    @Test("is told the renderers with a lease page by page, and what each displays")
    func renderers() async throws {
        let clients = (100..<150).map { "client-\($0)" }
        let leases = LeaseKeeper(
            clients.map { (client: $0, groups: ["store/*"]) } + [(client: "wall", groups: ["hall"])],
            ingress: broker.ingress, egress: broker.egress)
        defer { withExtendedLifetime(leases) {} }
        try apply(
            [show("A", in: "store/1")] + clients.map { #"{"lease":{"client":"\#($0)","groups":["store/*"]}}"# } + [
                #"{"lease":{"client":"wall","groups":["hall"]}}"#,
                #"{"report":{"id":"A","client":"client-100","visible":{}}}"#,
            ])

        let first = try await admin.renderers(of: "store/*")
        #expect(first.renderers.map(\.client) == Array(clients.prefix(Self.pageSize)))
        #expect(first.hasMore)
        let displays = try #require(first.renderers.first?.displays)
        #expect(displays.map(\.id) == ["A"] && displays.map(\.visible) == [true])
        let rest = try await admin.renderers(of: "store/*", after: first.renderers.last?.client)
        #expect(rest.renderers.map(\.client) == Array(clients.dropFirst(Self.pageSize)))
        #expect(!rest.hasMore)
        #expect(try await admin.renderers(of: "hall").renderers.map(\.client) == ["wall"])
        await admin.close()
    }

    @Test("is told all producers, however many pages they take, or those that sent last, or one of them")
    func producers() async throws {
        let ids = (100..<190).map { String(repeating: "0", count: 29) + "\($0)" }
        try apply(
            (ids.dropFirst() + ids.prefix(1)).map {
                #"{"producer":"\#($0)","sequence":"1","show":{"id":"p-\#($0)","group":"g"}}"#
            } + [#"{"producer":"\#(ids[0])","sequence":"3","show":{"id":"third","group":"g"}}"#])

        // The producer that the test itself uses has sent last.
        #expect(try await admin.producers().map(\.producer).filter { $0 != wire.producer } == ids)
        let latest = try await admin.latestProducers()
        #expect(latest.producers.map(\.producer) == [wire.producer, ids[0]] + ids.suffix(Self.pageSize - 2).reversed())
        #expect(latest.hasMore)
        let last = try await admin.latestProducers(limit: 2)
        #expect(last.producers.map(\.producer) == [wire.producer, ids[0]] && last.hasMore)
        let producer = try #require(try await admin.producer(ids[0]))
        #expect(producer.producer == ids[0] && producer.cumulative == 1 && producer.highest == 3)
        #expect(producer.popups == 2)
        #expect(try await admin.producer(String(repeating: "f", count: 32)) == nil)
        await admin.close()
    }

    @Test("is told by a stream of states or events that its right to one of the groups is missing")
    func missingRight() async throws {
        let directory = try TemporaryDirectory()
        let configuration = try directory.write(
            "popup-broker.yaml",
            "security: {roles: {some: [{groups: [hall], may: [watch, events]}]}, anonymous: [some]}\n")
        let broker = try BrokerProcess(configuration: configuration)
        var limits = ClientLimits()
        limits.syncTimeout = .milliseconds(100)
        let admin = try AdminClient(
            BrokerEndpoints(ingress: broker.ingress, egress: broker.egress), limits: limits)
        let (states, events) = (try admin.states(of: ["hall", "lobby"]), try admin.events(of: ["hall", "lobby"]))
        for right in ["watch", "events"] {
            do {
                if right == "watch" {
                    for try await _ in states {}
                } else {
                    for try await _ in events {}
                }
                Issue.record("the stream has ended without an error")
            } catch ClientError.refused(let refusal) {
                #expect(refusal.reason == .permissionDenied)
                #expect(refusal.detail.hasPrefix("a client without a key needs the right \(right) in \"lobby\""))
            }
        }
        await admin.close()
    }

    @Test("sets and removes policies, and is told all of them, however many pages they take")
    func policies() async throws {
        let names = (100..<250).map { "store/\($0)" }
        try apply(names.map { #"{"setPolicy":{"group":"\#($0)","preset":"FIFO"}}"# })
        try await admin.setPolicy(GroupPolicy("hall", preset: .lifo))

        let all = try await admin.policies()
        #expect(all.map(\.policy.group) == ["*", "hall"] + names)
        #expect(all.map(\.source) == [.default] + Array(repeating: .client, count: names.count + 1))
        let hall = try await admin.policy(inForceFor: "hall")
        #expect(hall.policy.preset == .lifo && hall.policy.higher == .pause && hall.source == .client)
        try await admin.unsetPolicy("hall")
        let usual = try await admin.policy(inForceFor: "hall")
        #expect(usual.policy.group == "*" && usual.policy.preset == .priority && usual.source == .default)
        await admin.close()
    }
}
