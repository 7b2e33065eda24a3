import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf
import Testing
import TestSupport

/// Every field of the wire has its place in the scheduler's commands.
@Suite("Translation")
struct TranslationTests {
    @Test("of a lease's names and patterns each stands once, and none that another one covers")
    func leasePatterns() {
        func patterns(_ groups: String...) -> String {
            CommandTranslator.patterns(of: .with { $0.groups = groups }).replacing("\n", with: " ")
        }
        #expect(patterns() == "")
        #expect(patterns("a") == "a ")
        #expect(patterns("b", "a", "b", "a/*", "a/*") == "b a a/* ")
        #expect(patterns("a/b", "a/*", "a/b/*", "a/b/c", "ab", "b/a") == "a/* ab b/a ")
        #expect(patterns("a", "*", "b/*") == "* ")
        #expect(CommandTranslator.patterns(of: .with { $0.groups = .init(repeating: "a/*", count: 1000) }) == "a/*\n")
    }

    private var translator = CommandTranslator()

    private mutating func translate(_ json: String) throws -> Command? {
        try translator.translate(Ingress.command(json: Array(json.utf8))) { _ in nil }
    }

    private func text(_ range: TextRange) -> String {
        String(decoding: translator.text.bytes[range.indices], as: UTF8.self)
    }

    @Test("of a show takes over every field")
    mutating func show() throws {
        let json = #"""
            {"producer":"000000000000000000000000000000aB","show":{"id":"A","group":"g","priority":-3,"durationMs":1,
            "ttlMs":2,"delayMs":3,"minDisplayMs":4,"exclusive":"ALL","collapseKey":"k","interruptible":false,"text":"x",
            "flow":{"key":"f","stage":5,"requires":{"popup":"B","action":"ok"},"holdMs":6},
            "page":{"tree":"t","value":"v","scope":"WITHIN"},"session":"s","surface":"top","offerMs":7,"quorum":8,
            "capKey":"c"}}
            """#
        guard case .show(let request)? = try translate(json) else { return #expect(Bool(false)) }
        #expect(
            [request.id, request.group, request.collapseKey, request.surface, request.session, request.capKey].map(text)
                == ["A", "g", "k", "top", "s", "c"])
        #expect(request.priority == -3)
        #expect(
            [
                request.duration, request.timeToLive, request.delay, request.minimumDisplay, request.offer,
                request.quorum,
            ]
                == [1, 2, 3, 4, 7, 8])
        #expect(request.exclusive == .all)
        #expect(!request.interruptible)
        #expect(!request.quorumAll)
        #expect(request.producer == ProducerID(high: 0, low: 0xAB))
        let flow = try #require(request.flow)
        #expect([flow.key, flow.requires, flow.requiredAction].map(text) == ["f", "B", "ok"])
        #expect([flow.stage, flow.hold] == [5, 6])
        let page = try #require(request.page)
        #expect([page.tree, page.value].map(text) == ["t", "v"])
        #expect(page.scope == .within)
        let content = try WirePopup(serializedBytes: Array(translator.text.bytes[request.content.indices]))
        #expect(try content == Ingress.command(json: Array(json.utf8)).show)
    }

    @Test("of a show with nothing more than an id and a group has the defaults")
    mutating func plainShow() throws {
        guard
            case .show(let request)? = try translate(
                #"{"show":{"id":"A","group":"g","page":{"tree":"t","value":"v"}}}"#)
        else { return #expect(Bool(false)) }
        #expect(request.interruptible)
        #expect(request.flow == nil)
        #expect(request.page?.scope == .current)
        #expect([request.session, request.capKey, request.surface].map(\.count) == [0, 0, 0])
        #expect(request.producer == nil)
    }

    @Test("reads an ordinary show as the quick way does")
    mutating func quickShow() throws {
        let command = try Ingress.command(
            json: Array(
                #"{"producer":"000000000000000000000000000000aB","show":{"id":"A","group":"g","priority":7,"exclusive":"GROUP","collapseKey":"k","text":"x"}}"#
                    .utf8))
        let frame: [UInt8] = try command.serializedBytes()
        let read = ShowFrame.read(frame.span, limits: WireLimits())
        let quick = try #require(read).request
        guard case .show(let request)? = translator.translate(command, content: { _ in nil }) else {
            return #expect(Bool(false))
        }
        func quickText(_ range: TextRange) -> String { String(decoding: frame[range.indices], as: UTF8.self) }
        #expect(text(request.id) == quickText(quick.id))
        #expect(text(request.collapseKey) == quickText(quick.collapseKey))
        #expect(Array(translator.text.bytes[request.content.indices]) == Array(frame[quick.content.indices]))
        #expect(request.priority == quick.priority)
        #expect(request.exclusive == quick.exclusive)
        #expect(request.producer == quick.producer)
    }

    @Test("of what renderers and applications tell keeps who, what and how")
    mutating func others() throws {
        for (json, words) in [
            (#"{"dismiss":{"id":"A","action":"ok","revision":"7","client":"r"}}"#, "dismiss A ok 7 r"),
            (#"{"dismiss":{"id":"A"}}"#, "dismiss A  any "),
            (#"{"report":{"id":"A","client":"r","displayed":{}}}"#, "report A r displayed"),
            (#"{"report":{"id":"A","client":"r","visible":{}}}"#, "report A r visible"),
            (#"{"report":{"id":"A","client":"r","hidden":{}}}"#, "report A r hidden"),
            (#"{"answer":{"id":"A","client":"r","accept":{}}}"#, "answer A r accept"),
            (#"{"answer":{"id":"A","client":"r","veto":{}}}"#, "answer A r veto"),
            (#"{"answer":{"id":"A","client":"r","later":{}}}"#, "answer A r later(retry: nil)"),
            (#"{"answer":{"id":"A","client":"r","later":{"retryMs":0}}}"#, "answer A r later(retry: Optional(0))"),
            (#"{"lease":{"client":"r","groups":["a","b/*"]}}"#, "lease r a\nb/*\n"),
            (#"{"lease":{"client":"r"}}"#, "lease r "),
            (#"{"setSession":{"group":"g","session":"s"}}"#, "session g s"),
            (#"{"page":{"tree":"t","open":{"node":"n","parent":"p","value":"v"}}}"#, "page t open n p v"),
            (#"{"page":{"tree":"t","open":{"node":"n","value":"v"}}}"#, "page t open n  v"),
            (#"{"page":{"tree":"t","enter":{"node":"n"}}}"#, "page t enter n"),
            (#"{"page":{"tree":"t","close":{"node":"n"}}}"#, "page t close n"),
            (#"{"page":{"tree":"t","clear":{}}}"#, "page t clear"),
        ] {
            let command = try translate(json)
            #expect(summary(command) == words, "\(json)")
        }
    }

    private func summary(_ command: Command?) -> String {
        switch command {
        case .dismiss(let dismissal):
            "dismiss \(text(dismissal.id)) \(text(dismissal.action)) \(dismissal.revision.map(String.init) ?? "any") "
                + text(dismissal.client)
        case .report(let report): "report \(text(report.id)) \(text(report.client)) \(report.kind)"
        case .answer(let answer): "answer \(text(answer.id)) \(text(answer.client)) \(answer.choice)"
        case .lease(let lease): "lease \(text(lease.client)) \(text(lease.patterns))"
        case .setSession(let group, let session): "session \(text(group)) \(text(session))"
        case .page(let page):
            switch page.kind {
            case .open(let node, let parent, let value):
                "page \(text(page.tree)) open \(text(node)) \(text(parent)) \(text(value))"
            case .enter(let node): "page \(text(page.tree)) enter \(text(node))"
            case .close(let node): "page \(text(page.tree)) close \(text(node))"
            case .clear: "page \(text(page.tree)) clear"
            }
        default: "something else"
        }
    }

    @Test("of a policy takes over every field")
    func policy() throws {
        let message = try Ingress.command(
            json: Array(
                #"""
                {"setPolicy":{"group":"g","preset":"FIFO","higher":"STOP","peers":"NEVER","lower":"PAUSE",
                "ignorePriority":false,"resume":"RESTART","gapMinMs":1,"gapMaxMs":2,"gatherMs":3,"defaultDurationMs":4,
                "maxDurationMs":5,"clock":"VISIBLE","offerMs":6,"offerDefault":"CLOSE","retryMs":7,"displayTimeoutMs":18,
                "undisplayed":"SKIP","rendererLost":"REQUEUE","maxAttempts":9,"quorumAll":true,
                "caps":[{"most":10,"perMs":11},{"capKey":"c","most":12,"perMs":13}],
                "quiet":[{"from":"22:30","to":"07:05","timeZone":"UTC","minPriority":-4},
                {"from":"00:00","to":"23:59","timeZone":"UTC"}],
                "maxWaiting":14,"overflow":"DROP_OLDEST","agingMs":15,"pageTree":"t"}}
                """#.utf8)
        ).setPolicy
        var policy = Policy()
        policy.higher = .stop
        policy.peers = .never
        policy.lower = .pause
        policy.resumption = .restart
        policy.gap = 1...2
        policy.gather = 3
        policy.defaultDuration = 4
        policy.maxDuration = 5
        policy.clock = .visible
        policy.offer = 6
        policy.offerDefault = .close
        policy.retry = 7
        policy.displayTimeout = 18
        policy.undisplayed = .skip
        policy.rendererLost = .requeue
        policy.maxAttempts = 9
        policy.quorumAll = true
        policy.caps = [Cap(most: 10, window: 11), Cap(key: Array("c".utf8), most: 12, window: 13)]
        policy.quiet = [
            QuietWindow(from: 1350, to: 425, zone: .utc, minimumPriority: -4),
            QuietWindow(from: 0, to: 1439, zone: .utc),
        ]
        policy.maxWaiting = 14
        policy.overflow = .dropOldest
        policy.aging = 15
        policy.pageTree = Array("t".utf8)
        let utc = TimeZoneBytes(version: UInt8(ascii: "2"), offsets: [0], changes: [], footer: "UTC0")
        var zones = TimeZoneTable()
        zones.enter(try TimeZoneData(name: "UTC", bytes: utc.bytes))
        #expect(PolicyTranslator.translate(message, zones: zones) == policy)
    }

    @Test("of an empty policy gives the defaults")
    func emptyPolicy() {
        #expect(PolicyTranslator.translate(.with { $0.group = "g" }, zones: TimeZoneTable()) == Policy())
    }

    @Test("goes by the same limits as the scheduler")
    func limits() {
        #expect(WireLimits.maxListedRules == Limits.listedRules)
        #expect(Int(WireLimits.largestCap) == Limits.largestCap)
        #expect(WireLimits.maxIDBytes <= Limits.nameBytes)
    }
}
