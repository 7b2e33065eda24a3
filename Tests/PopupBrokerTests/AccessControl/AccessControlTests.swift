import PopupAccess
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("Rights")
struct AccessControlTests {
    private static func show(_ id: String, _ group: String, _ more: String = "") -> String {
        #"{"show":{"id":"\#(id)","group":"\#(group)","text":"t"\#(more)}}"#
    }

    @Test("a higher priority than the greatest is refused, not lowered, also by an update")
    func priority() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.show, .update], in: "g", priority: 5)]])
        #expect(try broker.send("clerk", Self.show("a", "g", #","priority":5"#), as: .binary) == nil)
        let refusal = try broker.refusal("clerk", Self.show("b", "g", #","priority":6"#), as: .binary)
        #expect(refusal?.reason == "PERMISSION_DENIED")
        #expect(refusal?.detail.contains("up to the priority 5") == true)
        #expect(try broker.send("clerk", #"{"update":{"id":"a","priority":6}}"#) == "PERMISSION_DENIED")
        #expect(try broker.send("clerk", #"{"update":{"id":"a","priority":4}}"#) == nil)
    }

    @Test("exclusive reaches no farther than the grant")
    func exclusive() throws {
        let broker = try GuardedBroker([
            "none": [GuardedBroker.grant([.show], in: "*")],
            "group": [GuardedBroker.grant([.show], in: "*", exclusive: .group)],
        ])
        #expect(try broker.send("none", Self.show("a", "g", #","exclusive":"GROUP""#)) == "PERMISSION_DENIED")
        #expect(try broker.send("group", Self.show("b", "g", #","exclusive":"GROUP""#), as: .binary) == nil)
        #expect(try broker.send("group", Self.show("c", "g", #","exclusive":"ALL""#)) == "PERMISSION_DENIED")
        #expect(try broker.send("chief", Self.show("d", "g", #","exclusive":"ALL""#)) == nil)
    }

    @Test("a pattern must be contained in a granted one, and is never narrowed")
    func patterns() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.control, .render, .query], in: "a/*", "b")]])
        for pattern in ["a/*", "a/x/*", "a/x", "b"] {
            let commands =
                [
                    #"{"clear":{"selector":{"group":"\#(pattern)"}}}"#,
                    #"{"suspend":{"group":"\#(pattern)","token":"t"}}"#,
                    #"{"lease":{"client":"r","groups":["\#(pattern)"]}}"#,
                    #"{"query":{"client":"q","nonce":"n","list":{"selector":{"group":"\#(pattern)"}}}}"#,
                ]
                + ["history", "groups", "suspensions", "renderers"].map { query in
                    #"{"query":{"client":"q","nonce":"n","\#(query)":{"group":"\#(pattern)"}}}"#
                }
            for command in commands { #expect(try broker.send("clerk", command) == nil, "\(command)") }
        }
        for pattern in ["*", "a", "b/*", "c"] {
            let commands =
                [
                    #"{"clear":{"selector":{"group":"\#(pattern)"}}}"#,
                    #"{"suspend":{"group":"\#(pattern)","token":"t"}}"#,
                    #"{"setPolicy":{"group":"\#(pattern)","preset":"FIFO"}}"#,
                    #"{"lease":{"client":"r","groups":["b","\#(pattern)"]}}"#,
                    #"{"query":{"client":"q","nonce":"n","list":{"selector":{"group":"\#(pattern)"}}}}"#,
                ]
                + ["history", "groups", "suspensions", "renderers"].map { query in
                    #"{"query":{"client":"q","nonce":"n","\#(query)":{"group":"\#(pattern)"}}}"#
                }
            for command in commands {
                #expect(try broker.send("clerk", command) == "PERMISSION_DENIED", "\(command)")
            }
        }
        for query in ["history", "groups", "suspensions", "renderers", "producers", "policies"] {
            func command(_ client: String) -> String {
                #"{"query":{"client":"\#(client)","nonce":"n","\#(query)":{}}}"#
            }
            #expect(try broker.send("clerk", command("q")) == "PERMISSION_DENIED", "\(query)")
            #expect(try broker.send("chief", command("c")) == nil, "\(query)")
        }
        // A selector that names no group is of all groups.
        #expect(try broker.send("clerk", #"{"clear":{"selector":{"surface":"s"}}}"#) == "PERMISSION_DENIED")
    }

    @Test("a token that suspends groups of others is neither released nor taken over")
    func tokens() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.control], in: "g")]])
        #expect(try broker.send("chief", #"{"suspend":{"group":"*","token":"all"}}"#) == nil)
        #expect(try broker.send("clerk", #"{"resume":{"token":"all"}}"#) == "PERMISSION_DENIED")
        #expect(try broker.send("clerk", #"{"suspend":{"group":"g","token":"all"}}"#) == "PERMISSION_DENIED")
        #expect(try broker.send("clerk", #"{"suspend":{"group":"g","token":"own"}}"#) == nil)
        #expect(try broker.send("clerk", #"{"resume":{"token":"own"}}"#) == nil)
        #expect(try broker.send("clerk", #"{"resume":{"token":"none"}}"#) == "NOT_FOUND")
    }

    @Test("a token that comes in the same moment is not taken over either")
    func tokensOfOneBatch() throws {
        let broker = try GuardedBroker([
            "clerk": [GuardedBroker.grant([.control], in: "g")], "other": [GuardedBroker.grant([.control], in: "h")],
        ])
        let (clerk, other) = (broker.client("clerk"), broker.client("other"))
        other.send(Array(#"{"suspend":{"group":"h","token":"t"}}"#.utf8))
        clerk.send(Array(#"{"suspend":{"group":"g","token":"t"}}"#.utf8))
        clerk.send(Array(#"{"resume":{"token":"t"}}"#.utf8))
        try broker.harness.turn()
        #expect(broker.denied == ["clerk control 2"])
        clerk.send(Array(#"{"suspend":{"group":"g","token":"own"}}"#.utf8))
        clerk.send(Array(#"{"resume":{"token":"own"}}"#.utf8))
        try broker.harness.turn()
        // Released in the same moment; the other one stands.
        #expect(try broker.send("clerk", #"{"resume":{"token":"own"}}"#) == "NOT_FOUND")
        #expect(try broker.send("other", #"{"resume":{"token":"t"}}"#) == nil)
        #expect(try broker.send("other", #"{"resume":{"token":"t"}}"#) == "NOT_FOUND")
    }

    @Test("a token with more pending patterns than are told apart counts as one of all groups")
    func manyPatternsOfOneBatch() throws {
        let most = PendingCommands.patternsPerToken
        let broker = try GuardedBroker([
            "clerk": [GuardedBroker.grant([.control], in: "g/*")],
            "other": [GuardedBroker.grant([.control], in: "g/*")],
        ])
        let (clerk, other) = (broker.client("clerk"), broker.client("other"))
        func suspend(_ client: InProcessClient, _ token: String, _ patterns: Int) {
            for pattern in 1...patterns {
                client.send(Array(#"{"suspend":{"group":"g/\#(pattern)","token":"\#(token)"}}"#.utf8))
            }
        }
        suspend(clerk, "few", most)
        suspend(clerk, "few", most)
        suspend(other, "few", 1)
        try broker.harness.turn()
        #expect(broker.denied == [])
        suspend(clerk, "many", most + 1)
        suspend(other, "many", 1)
        try broker.harness.turn()
        #expect(broker.denied == ["other control 1"])
        // What is applied is told apart again.
        suspend(other, "many", 1)
        try broker.harness.turn()
        #expect(broker.denied == ["other control 1"])
    }

    @Test("a flow's requirement tells nothing of a popup of another group", arguments: GuardedBroker.Form.allCases)
    func requirement(form: GuardedBroker.Form) throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.show, .query], in: "g")]])
        for id in ["secret", "closed"] { #expect(try broker.send("chief", Self.show(id, "h")) == nil) }
        #expect(try broker.send("chief", #"{"dismiss":{"id":"closed"}}"#) == nil)
        var told: Set<String> = []
        for id in ["secret", "closed", "none"] {
            let flow = #","flow":{"key":"\#(id)","requires":{"popup":"\#(id)"}}"#
            let first = Self.show("first of \(id)", "g", #","flow":{"key":"\#(id)"}"#)
            #expect(try broker.send("clerk", first, as: form) == nil)
            let refusal = try broker.refusal("clerk", Self.show("second of \(id)", "g", flow), as: form)
            guard case .explain(let result) = try broker.ask("clerk", #""explain":{"id":"second of \#(id)"}"#) else {
                Issue.record("no answer")
                return
            }
            told.insert("\(refusal as Any) \(result.text) \(result.phase)".replacing(id, with: "ID"))
        }
        #expect(told.count == 1, "\(told)")
    }

    @Test("an id that a user may not see is to it as one that is not there", arguments: GuardedBroker.Form.allCases)
    func oracle(form: GuardedBroker.Form) throws {
        let rights: [Right] = [.update, .dismiss, .render, .query, .watch]
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant(rights, in: "g")]])
        for (id, group) in [("seen", "g"), ("secret", "h"), ("closed", "h")] {
            #expect(try broker.send("chief", Self.show(id, group)) == nil)
        }
        #expect(try broker.send("chief", #"{"dismiss":{"id":"closed"}}"#) == nil)
        for group in ["", #","group":"g""#] {
            var told: Set<String> = []
            for id in ["secret", "closed", "none"] {
                let commands = [
                    #"{"dismiss":{"id":"\#(id)"\#(group)}}"#, #"{"update":{"id":"\#(id)","text":"u"\#(group)}}"#,
                    #"{"report":{"id":"\#(id)","client":"r","visible":{}\#(group)}}"#,
                    #"{"answer":{"id":"\#(id)","client":"r","accept":{}\#(group)}}"#,
                ]
                for command in commands {
                    let refusal = try broker.refusal("clerk", command, as: form)
                    told.insert("\(refusal?.reason ?? "none"): \(refusal?.detail ?? "")")
                }
            }
            #expect(told.count == 1, "\(told)")
            #expect(told.first?.hasPrefix("NOT_FOUND") == true)
        }
        // The group that is named is decided on before anybody looks whether the popup is there.
        for id in ["secret", "none"] {
            let command = #"{"dismiss":{"id":"\#(id)","group":"h"}}"#
            #expect(try broker.send("clerk", command, as: form) == "PERMISSION_DENIED")
        }
        #expect(try broker.send("clerk", #"{"dismiss":{"id":"seen"}}"#, as: form) == nil)
    }

    @Test("explain tells nothing of a popup that a user may not see")
    func explain() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.query], in: "g")]])
        for (id, group) in [("seen", "g"), ("secret", "h")] {
            #expect(try broker.send("chief", Self.show(id, group)) == nil)
        }
        func explanation(_ id: String) throws -> WireExplainResult? {
            guard case .explain(let result) = try broker.ask("clerk", #""explain":{"id":"\#(id)"}"#) else { return nil }
            return result
        }
        var unknown = try #require(try explanation("none"))
        #expect(unknown.phase == .unknown)
        unknown.text = unknown.text.replacing("none", with: "secret")
        unknown.id = "secret"
        #expect(try explanation("secret") == unknown)
        #expect(try explanation("seen")?.phase == .active)
    }

    @Test("with own a user changes and closes only what it has shown, also after a restart")
    func own() throws {
        let journal = MemoryJournal()
        let rights: [Right] = [.show, .update, .dismiss, .control, .watch]
        let users = [
            "clerk": [GuardedBroker.grant(rights, in: "g", own: true)],
            "other": [GuardedBroker.grant([.show], in: "g")],
        ]
        do {
            let broker = try GuardedBroker(users, journal: journal)
            #expect(try broker.send("clerk", Self.show("mine", "g"), as: .binary) == nil)
            #expect(try broker.send("clerk", Self.show("mine too", "g", #","session":"""#)) == nil)
            #expect(try broker.send("other", Self.show("foreign", "g"), as: .binary) == nil)
            #expect(try broker.send("chief", #"{"update":{"id":"mine","text":"changed"}}"#) == nil)
            try broker.harness.close()
        }
        let broker = try GuardedBroker(users, journal: journal, run: 8)
        #expect(try broker.send("clerk", #"{"update":{"id":"foreign","text":"u"}}"#) == "PERMISSION_DENIED")
        #expect(try broker.send("clerk", #"{"dismiss":{"id":"foreign","group":"g"}}"#) == "PERMISSION_DENIED")
        #expect(try broker.send("clerk", #"{"advance":{"group":"g"}}"#) == "PERMISSION_DENIED")
        #expect(try broker.send("clerk", #"{"clear":{"selector":{"group":"g"}}}"#) == "PERMISSION_DENIED")
        #expect(try broker.send("clerk", #"{"update":{"id":"mine","text":"u"}}"#) == nil)
        #expect(try broker.send("clerk", #"{"dismiss":{"id":"mine"}}"#, as: .binary) == nil)
        #expect(try broker.send("clerk", #"{"dismiss":{"id":"mine too"}}"#) == nil)
    }

    @Test("with own a user changes and closes what it has just sent, and nothing that may be another's")
    func ownOfOneBatch() throws {
        let broker = try GuardedBroker([
            "clerk": [GuardedBroker.grant([.show, .update, .dismiss], in: "g", own: true)],
            "other": [GuardedBroker.grant([.show], in: "g")],
        ])
        let (clerk, other) = (broker.client("clerk"), broker.client("other"))
        func send(_ client: InProcessClient, _ command: String) throws {
            client.send(try Ingress.command(json: Array(command.utf8)).serializedBytes())
        }
        for id in ["named", "unnamed", "changed"] { try send(clerk, Self.show(id, "g")) }
        try send(clerk, #"{"dismiss":{"id":"named","group":"g"}}"#)
        try send(clerk, #"{"dismiss":{"id":"unnamed"}}"#)
        try send(clerk, #"{"update":{"id":"changed","priority":3}}"#)
        try broker.harness.turn()
        #expect(broker.harness.stats.popups == 1)
        #expect(broker.harness.stats.refused == 0)

        try send(other, Self.show("foreign", "g"))
        try send(clerk, Self.show("foreign", "g"))
        try send(clerk, #"{"dismiss":{"id":"foreign","group":"g"}}"#)
        try send(clerk, #"{"dismiss":{"id":"foreign"}}"#)
        try broker.harness.turn()
        #expect(broker.harness.stats.popups == 2)
        #expect(broker.harness.stats.refused == 2)
    }

    @Test("a clear goes through all popups, however many there are")
    func clearOfMany() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.show, .control], in: "g")]])
        for id in 1...6 { #expect(try broker.send("clerk", Self.show("\(id)", "g")) == nil) }
        broker.harness.limitVisits(ofFrame: 10)
        #expect(try broker.send("clerk", #"{"clear":{"selector":{"group":"g"}}}"#) == nil)
        #expect(broker.harness.stats.popups == 0)
    }

    @Test("a lease without groups needs the right to render, too")
    func emptyLease() throws {
        let broker = try GuardedBroker([
            "clerk": [GuardedBroker.grant([.show], in: "g")], "screen": [GuardedBroker.grant([.render], in: "g")],
        ])
        let lease = #"{"lease":{"client":"r"}}"#
        #expect(try broker.send("clerk", lease) == "PERMISSION_DENIED")
        #expect(try broker.send("screen", lease) == nil)
    }

    @Test("a user that is gone has no rights while its connection lasts, not even where all others have all")
    func goneUser() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.show], in: "g")]])
        #expect(try broker.send("clerk", Self.show("a", "g")) == nil)
        try broker.harness.reconfigure(BrokerConfiguration())
        #expect(try broker.send("clerk", Self.show("b", "h")) != nil)
        broker.client("").send(Array(Self.show("c", "h").utf8))
        try broker.harness.turn()
        #expect(broker.harness.stats.popups == 2)
    }

    @Test("with own a collapse key replaces no popup of others", arguments: GuardedBroker.Form.allCases)
    func collapse(form: GuardedBroker.Form) throws {
        let broker = try GuardedBroker([
            "clerk": [GuardedBroker.grant([.show], in: "g", own: true)],
            "other": [GuardedBroker.grant([.show], in: "g")],
        ])
        func key(_ id: String, _ key: String, _ more: String = "") -> String {
            Self.show(id, "g", #","collapseKey":"\#(key)"\#(more)"#)
        }
        #expect(try broker.send("other", key("a", "k"), as: form) == nil)
        let refusal = try broker.refusal("clerk", key("b", "k"), as: form)
        #expect(refusal?.reason == "PERMISSION_DENIED")
        #expect(refusal?.detail.contains("may replace in \"g\" only popups that the user itself has shown") == true)
        #expect(try broker.send("clerk", key("c", "mine"), as: form) == nil)
        #expect(try broker.send("clerk", key("d", "mine"), as: form) == nil)
        // What it replaces is decided when it arrives: then the key may be another's.
        for more in [#","delayMs":1000"#, #","flow":{"key":"f"}"#] {
            #expect(try broker.send("clerk", key("e", "later", more), as: form) == "PERMISSION_DENIED")
        }
        #expect(try broker.send("clerk", Self.show("f", "g", #","delayMs":1000"#), as: form) == nil)
        // Without the limit, keys replace as ever.
        #expect(try broker.send("other", key("g", "mine", #","delayMs":1000"#), as: form) == nil)
        #expect(try broker.send("other", key("h", "mine"), as: form) == nil)
    }

    @Test("with own a collapse key replaces no popup of others that comes in the same moment")
    func collapseOfOneBatch() throws {
        let broker = try GuardedBroker([
            "clerk": [GuardedBroker.grant([.show], in: "g", own: true)],
            "other": [GuardedBroker.grant([.show], in: "g")],
        ])
        let (clerk, other) = (broker.client("clerk"), broker.client("other"))
        func send(_ client: InProcessClient, _ id: String, _ key: String) throws {
            let command = Self.show(id, "g", #","collapseKey":"\#(key)""#)
            client.send(try Ingress.command(json: Array(command.utf8)).serializedBytes())
        }
        try send(other, "a", "k")
        try send(clerk, "b", "k")
        try send(clerk, "c", "mine")
        try send(clerk, "d", "mine")
        try broker.harness.turn()
        #expect(broker.denied == ["clerk show 1"])
        #expect(broker.harness.stats.popups == 2)
        try send(other, "e", "mine")
        try send(clerk, "f", "mine")
        try broker.harness.turn()
        #expect(broker.denied == ["clerk show 2"])
    }

    @Test("events tell a limited number of a user's refusals a second")
    func refusalEvents() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.watch], in: "g")]])
        let (reader, clerk) = (broker.client("chief"), broker.client("clerk"))
        reader.subscribe(to: "events/g/")
        try broker.harness.turn()
        func refusals() throws -> Int {
            for index in 1...50 {
                clerk.send(Array(Self.show("\(index)", "g").utf8))
                // What is not a command of its group either.
                clerk.send(Array(#"{"update":{"id":"","group":"g"}}"#.utf8))
            }
            try broker.harness.turn()
            return broker.harness.receivedMessages(of: reader).count
        }
        #expect(try refusals() == RefusalEvents.perSecond)
        #expect(try refusals() == 0)
        try broker.harness.advance(by: 1000)
        #expect(try refusals() == RefusalEvents.perSecond)
        #expect(broker.denied == ["clerk show 150"])
        // Whoever may do everything is told of everything.
        let chief = broker.client("chief")
        for _ in 1...50 { chief.send(Array(#"{"update":{"id":"none","group":"g","text":"t"}}"#.utf8)) }
        try broker.harness.turn()
        #expect(broker.harness.receivedMessages(of: reader).count == 50)
    }

    @Test("events, list and explain tell whose a command and a popup were; what time brings is nobody's")
    func users() throws {
        let journal = MemoryJournal()
        let users = ["clerk": [GuardedBroker.grant([.show, .update], in: "g")]]
        let popups = { (broker: GuardedBroker) throws -> [String] in
            guard case .list(let list) = try broker.ask("chief", #""list":{}"#) else { return [] }
            return list.popups.map { "\($0.id) \($0.by)" }
        }
        do {
            let broker = try GuardedBroker(users, journal: journal)
            let reader = broker.client("chief")
            reader.subscribe(to: "events/")
            for form in GuardedBroker.Form.allCases {
                #expect(try broker.send("clerk", Self.show("\(form)", "g", #","durationMs":1000"#), as: form) == nil)
            }
            #expect(try broker.send("chief", #"{"dismiss":{"id":"json"}}"#, as: .binary) == nil)
            #expect(try broker.send("clerk", #"{"dismiss":{"id":"no","group":"g"}}"#) == "PERMISSION_DENIED")
            // In a group in which it has no right nobody hears of it.
            #expect(try broker.send("clerk", Self.show("no", "h")) == "PERMISSION_DENIED")
            #expect(try broker.send("clerk", #"{"update":{"id":"binary","priority":-1}}"#) == nil)
            try broker.harness.advance(by: 1500)
            let events = try broker.harness.receivedMessages(of: reader).map { try WireEvent(serializedBytes: $0.body) }
            #expect(
                events.map { "\($0.popup) \(Harness.short($0).split(separator: " ")[3]) \($0.by)" } == [
                    "json shown clerk", "jsonBatch queued clerk", "binary queued clerk", "binaryBatch queued clerk",
                    "json closed chief", "jsonBatch shown chief", "no refused clerk", "binary updated clerk",
                    "jsonBatch closed ", "binaryBatch shown ",
                ])
            #expect(try popups(broker) == ["binaryBatch clerk", "binary clerk"])
            try broker.harness.close()
        }
        let broker = try GuardedBroker(users, journal: journal, run: 8)
        #expect(try popups(broker) == ["binaryBatch clerk", "binary clerk"])
        guard case .explain(let explanation) = try broker.ask("chief", #""explain":{"id":"binary"}"#) else {
            Issue.record("no answer")
            return
        }
        #expect(explanation.user == "clerk")
    }

    @Test(
        "a command of a user is recognized when it comes again after a restart", arguments: GuardedBroker.Form.allCases)
    func repetition(form: GuardedBroker.Form) throws {
        let journal = MemoryJournal()
        let commands = [
            Self.show("a", "g"), #"{"dismiss":{"id":"a"}}"#, #"{"setSession":{"group":"g","session":"s"}}"#,
            #"{"query":{"client":"q","nonce":"n","stats":{}}}"#,
        ]
        for run in 1...2 {
            let broker = try GuardedBroker([:], journal: journal)
            for command in commands { #expect(try broker.send("chief", command, as: form) == nil) }
            #expect(broker.harness.stats.repetitions == (run == 1 ? 0 : 4))
            try broker.harness.close()
        }
    }

    @Test("the journal keeps the user behind what was sent, and nothing for a client without a key")
    func journal() throws {
        let sent: [[UInt8]] = try [
            WireCommand.with { $0.show = .with { ($0.id, $0.group) = ("a", "g") } }.serializedBytes(),
            WireCommand.with { $0.dismiss.id = "a" }.serializedBytes(),
            WireCommand.with { $0.setSession = .with { ($0.group, $0.session) = ("g", "s") } }.serializedBytes(),
        ]
        for user in ["chief", nil] {
            let journal = MemoryJournal()
            let harness =
                try user.map { _ in try GuardedBroker([:], journal: journal).harness } ?? Harness(journal: journal)
            let client = harness.makeClient(user: user.flatMap { UserName($0) })
            for frame in sent { client.send(frame) }
            try harness.turn()
            var kept: [[UInt8]] = []
            try journal.replay(from: 1) { batch in
                for entry in try CommandLog.entries(in: batch.commands) where entry.kind == .command {
                    kept.append(Array(batch.commands[entry.range]))
                }
            }
            #expect(kept == sent.map { $0 + CommandUser.field(user) })
        }
    }

    @Test("nobody sends under another's name of a producer or client, numbered or not")
    func names() throws {
        let broker = try GuardedBroker([
            "clerk": [GuardedBroker.grant([.show, .query, .render], in: "g")],
            "thief": [GuardedBroker.grant([.show, .query, .render], in: "g")],
        ])
        #expect(try broker.send("clerk", Self.show("a", "g")) == nil)
        #expect(try broker.send("clerk", #"{"lease":{"client":"screen","groups":["g"]}}"#) == nil)
        #expect(try broker.send("thief", #"{"lease":{"client":"screen","groups":[]}}"#) == "PERMISSION_DENIED")
        #expect(broker.harness.leasedPatterns == ["g\n"])
        let thief = broker.client("thief")
        let producer = ProducerName(high: 7, low: 1)
        // Its sequences are neither settled nor answered.
        thief.send(Array(#"{"producer":"\#(producer)","sequence":3,"show":{"id":"b","group":"g"}}"#.utf8))
        thief.send(Array(#"{"producer":"\#(producer)","show":{"id":"c","group":"g"}}"#.utf8))
        thief.send(Array(#"{"producer":"\#(producer)","sequence":3,"nonsense":{}}"#.utf8))
        thief.send(
            try WireCommand.with {
                $0.producer = producer.description
                $0.sequence = 3
                $0.show = .with { ($0.id, $0.group) = ("d", "g") }
            }.serializedBytes())
        try broker.harness.turn()
        #expect(broker.harness.stats.popups == 1)
        #expect(broker.denied == ["thief  5"])
        #expect(try broker.send("clerk", Self.show("e", "g")) == nil)
    }

    @Test("a producer's name stays its user's after a restart, with and without a snapshot", arguments: [false, true])
    func namesAfterRestart(hasSnapshot: Bool) throws {
        let journal = KeepingJournal()
        let grants = [GuardedBroker.grant([.show, .control, .watch], in: "g", own: true)]
        let users = ["clerk": grants, "thief": grants]
        var broker = try GuardedBroker(users, journal: journal)
        #expect(try broker.send("clerk", Self.show("a", "g"), as: .binary) == nil)
        #expect(try broker.send("clerk", Self.show("b", "g")) == nil)
        try broker.harness.close()
        if hasSnapshot { try journal.makeSnapshot(of: journal.batches.count) }

        broker = try GuardedBroker(users, journal: journal)
        // The same name, which `clerk` had in the run before.
        #expect(try broker.send("thief", Self.show("c", "g")) == "NO ACKNOWLEDGEMENT")
        let clear = #"{"clear":{"selector":{"group":"g","producer":"\#(ProducerName(high: 7, low: 1))"}}}"#
        broker.client("thief").send(Array(clear.utf8))
        try broker.harness.turn()
        #expect(broker.denied == ["thief  2", "thief control 1"])
        #expect(broker.harness.stats.popups == 2)
        broker.client("clerk").send(Array(clear.utf8))
        try broker.harness.turn()
        #expect(broker.harness.stats.popups == 0)
        // Names of users that are gone are free.
        try broker.harness.close()
        broker = try GuardedBroker(["thief": grants], journal: journal)
        _ = try broker.send("thief", Self.show("c", "g"))
        #expect(broker.denied == [])
    }

    @Test("what comes after a restart without a key belongs to nobody")
    func nobodyAfterRestart() throws {
        let journal = MemoryJournal()
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.show], in: "g")]], journal: journal)
        #expect(try broker.send("clerk", Self.show("a", "g")) == nil)
        try broker.harness.close()

        let open = try Harness(journal: journal)
        var command = try Ingress.command(json: Array(Self.show("b", "g").utf8))
        command.producer = ProducerName(high: 9, low: 1).description
        command.sequence = 1
        open.client.send(try command.serializedBytes())
        try open.turn()
        let sessions = open.sessions()
        try open.close()
        #expect(sessions.count == 2)
        #expect(try Harness(journal: journal).sessions() == sessions)
    }

    @Test("queries for all policies count what they go through")
    func policiesOfFrame() throws {
        let broker = try GuardedBroker([:])
        broker.harness.limitVisits(ofFrame: 15_000)
        let query = #"{"query":{"client":"q","nonce":"NONCE","policies":{}}}"#
        let commands = ["1", "2"].map { query.replacing("NONCE", with: $0) }.joined(separator: ",")
        let chief = broker.client("chief")
        chief.subscribe(to: "replies/q/")
        try broker.harness.turn()
        chief.send(Array("{\"commands\":[\(commands)]}".utf8))
        try broker.harness.turn()
        #expect(broker.harness.stats.refused == 1)
    }

    @Test("with own a user clears no popup that another one requested under the same producer's name")
    func clearOfOthers() throws {
        let journal = MemoryJournal()
        let rights: [Right] = [.show, .control, .watch]
        let users = ["clerk": [GuardedBroker.grant(rights, in: "g", own: true)], "other": [.everything]]
        var broker = try GuardedBroker(users, journal: journal)
        let producer = ProducerName(high: 9, low: 9)
        func send(_ user: String, _ command: String) throws {
            broker.client(user).send(Array("{\"producer\":\"\(producer)\",\(command.dropFirst())".utf8))
            try broker.harness.turn()
        }
        // A name without sequences is forgotten when the broker ends; the popup stays.
        try send("other", Self.show("foreign", "g"))
        try broker.harness.close()
        broker = try GuardedBroker(users, journal: journal)
        try send("clerk", Self.show("mine", "g"))
        let clear = #"{"clear":{"selector":{"group":"g","producer":"\#(producer)"}}}"#
        try send("clerk", clear)
        #expect(broker.harness.stats.popups == 2)
        #expect(broker.denied == ["clerk control 1"])
        try send("other", #"{"dismiss":{"id":"foreign"}}"#)
        #expect(broker.denied == ["clerk control 1", "other  1"])
        #expect(try broker.send("chief", #"{"dismiss":{"id":"foreign"}}"#) == nil)
        try send("clerk", clear)
        #expect(broker.harness.stats.popups == 0)
    }

    @Test("what is denied gives no name", arguments: GuardedBroker.Form.allCases)
    func deniedNames(form: GuardedBroker.Form) throws {
        let grants = [GuardedBroker.grant([.show, .query, .render, .watch], in: "g")]
        let broker = try GuardedBroker(["thief": [GuardedBroker.grant([.show], in: "h")], "clerk": grants])
        let producer = ProducerName(high: 9, low: 9)
        func frame(_ id: String, _ sequence: UInt64) throws -> [UInt8] {
            var command = try Ingress.command(json: Array(Self.show(id, "g").utf8))
            command.producer = producer.description
            command.sequence = sequence
            return switch form {
            case .json: Array(try command.jsonString().utf8)
            case .jsonBatch: Array("{\"commands\":[\(try command.jsonString())]}".utf8)
            case .binary: try command.serializedBytes()
            case .binaryBatch: try WireBatch.with { $0.commands = [command] }.serializedBytes()
            }
        }
        let (thief, clerk) = (broker.client("thief"), broker.client("clerk"))
        thief.send(try frame("a", 1))
        thief.send(Array(#"{"lease":{"client":"screen","groups":["g"]}}"#.utf8))
        thief.send(Array(#"{"query":{"client":"screen","nonce":"1","count":{}}}"#.utf8))
        try broker.harness.turn()
        #expect(broker.denied == ["thief query 1", "thief render 1", "thief show 1"])
        #expect(broker.harness.stats.producers == 0)
        clerk.send(try frame("b", 1))
        clerk.send(Array(#"{"lease":{"client":"screen","groups":["g"]}}"#.utf8))
        try broker.harness.turn()
        #expect(broker.harness.stats.popups == 1)
        #expect(broker.harness.stats.sequencesReused == 0)
        #expect(broker.harness.leasedPatterns == ["g\n"])
    }

    @Test("a query under another's client name is refused without a word to that client")
    func stolenQuery() throws {
        let grants = [GuardedBroker.grant([.query], in: "g")]
        let broker = try GuardedBroker(["thief": grants, "clerk": grants])
        let clerk = broker.client("clerk")
        clerk.subscribe(to: "replies/me/")
        try broker.harness.turn()
        for query in [#""count":{"selector":{"group":"g"}}"#, #""count":{}"#, #""peek":{"group":"/"}"#] {
            let thief = broker.client("thief")
            thief.send(Array(#"{"query":{"client":"me","nonce":"1",\#(query)}}"#.utf8))
            thief.send(Array(#"{"commands":[{"query":{"client":"me","nonce":"1",\#(query)}}]}"#.utf8))
            try broker.harness.turn()
        }
        #expect(broker.harness.stats.refused == 6)
        #expect(broker.harness.receivedMessages(of: clerk).isEmpty)
    }

    @Test("a message of too many frames is refused to who sent it")
    func tooManyFrames() throws {
        let broker = try GuardedBroker(["clerk": [], "other": []])
        broker.client("other").send(Array(#"{"show":{"id":"a","group":"g"}}"#.utf8))
        broker.client("clerk").send(frames: [[], [], []])
        try broker.harness.turn()
        #expect(broker.harness.stats.refused == 2)
        #expect(broker.harness.sender == UserName("clerk"))
    }

    @Test("clients without a key have the rights that the anonymous ones are given")
    func anonymous() throws {
        let broker = try GuardedBroker([:])
        #expect(try broker.send("", Self.show("a", "g")) == "PERMISSION_DENIED")
        #expect(broker.denied == [" show 1"])
        #expect(broker.harness.stats.popups == 0)
    }

    @Test("rights that change are in force at once, and connections that they concern are cut off")
    func change() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.show, .watch], in: "g")]])
        let (reader, chief) = (broker.client("clerk"), broker.client("chief"))
        reader.subscribe(to: "state/g/")
        chief.subscribe(to: "state/g/")
        #expect(try broker.send("clerk", Self.show("a", "g")) == nil)
        #expect(!broker.harness.receivedMessages(of: reader).isEmpty)
        var configuration = BrokerConfiguration()
        configuration.access = try GuardedBroker.rules(["clerk": [GuardedBroker.grant([.show], in: "h")]])
        try broker.harness.reconfigure(configuration)
        #expect(try broker.send("clerk", Self.show("b", "g")) == "PERMISSION_DENIED")
        #expect(try broker.send("clerk", Self.show("c", "h")) == nil)
        #expect(try broker.send("chief", Self.show("d", "g", #","priority":9"#)) == nil)
        #expect(broker.harness.receivedMessages(of: reader).isEmpty)
        #expect(broker.harness.stats.connectionsCut == 1)
    }

    @Test("what the broker sets is taken away when a client sends it", arguments: [true, false])
    func forged(isUser: Bool) throws {
        let journal = MemoryJournal()
        let broker = isUser ? try GuardedBroker([:], journal: journal) : nil
        let harness = try broker?.harness ?? Harness(journal: journal)
        let client = harness.makeClient(user: isUser ? UserName("chief") : nil)
        client.subscribe(to: "state/")
        for id in ["a", "b"] {
            var command = WireCommand.with { $0.show = .with { ($0.id, $0.group) = (id, id) } }
            if id == "a" { command.by = "another" } else { command.show.by = "another" }
            client.send(try command.serializedBytes())
            try harness.turn()
        }
        let shown = try harness.receivedMessages(of: client).map { try Harness.state($0).active.by }
        #expect(shown == (isUser ? ["chief", "chief"] : ["", ""]))
    }

    @Test("a query that comes again under its sequence is answered by the rights of now")
    func repeatedQuery() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.query], in: "g")]])
        let client = broker.client("clerk")
        let query = Array(
            #"{"producer":"0000000000000000000000000000000c","sequence":1,"query":{"client":"me","nonce":"1","count":{"selector":{"group":"g"}}}}"#
                .utf8)
        client.subscribe(to: "replies/me/")
        func answer() throws -> WireResult.OneOf_Result? {
            client.send(query)
            try broker.harness.turn()
            try broker.harness.advance(by: 100)
            return try broker.harness.receivedMessages(of: client).last.flatMap {
                try WireReply(serializedBytes: $0.body).reply.result
            }
        }
        try broker.harness.turn()
        for _ in 1...2 {
            guard case .count? = try answer() else { Issue.record("not answered"); return }
        }
        var configuration = BrokerConfiguration()
        configuration.access = try GuardedBroker.rules(["clerk": [GuardedBroker.grant([.query], in: "h")]])
        try broker.harness.reconfigure(configuration)
        guard case .refused(let refused)? = try answer() else { Issue.record("answered"); return }
        #expect(refused.reason == .permissionDenied)
    }

    @Test("who renders dismisses what its group shows as a renderer, not as an administrator")
    func rendererDismissal() throws {
        let broker = try GuardedBroker(["screen": [GuardedBroker.grant([.render, .watch], in: "g")]])
        #expect(try broker.send("chief", Self.show("a", "g")) == nil)
        #expect(try broker.send("screen", #"{"dismiss":{"id":"a"}}"#) == "PERMISSION_DENIED")
        #expect(try broker.send("screen", #"{"dismiss":{"id":"a","client":"left"}}"#) == nil)
    }
}
