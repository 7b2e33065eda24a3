import PopupAccess
@testable import PopupBroker
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("Reading")
struct ReadingTests {
    private static let show = #"{"show":{"id":"a","group":"g","text":"t","durationMs":50}}"#

    @Test(
        "a subscription beyond the rights delivers nothing, ever",
        arguments: [
            "", "state", "state/", "state+json/h/", "state/g", "events/g/", "feed/", "acks/", "replies/", "sync/",
        ])
    func denied(prefix: String) throws {
        let log = LogLines()
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.watch], in: "g")]], log: log)
        let reader = broker.client("clerk")
        reader.subscribe(to: prefix)
        for group in ["g", "h"] {
            #expect(
                try broker.send("chief", Self.show.replacing(#""g""#, with: #""\#(group)""#)) != "PERMISSION_DENIED")
        }
        try broker.harness.advance(by: 20_000)
        #expect(broker.harness.receivedMessages(of: reader).isEmpty)
        guard case .whoami(let answer) = try broker.ask("clerk", #""whoami":{}"#) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.denied.map(\.prefix) == [prefix])
        #expect(broker.denied.map { $0.hasPrefix("clerk ") } == [true])
        #expect(broker.harness.stats.connectionsCut == 0)
    }

    @Test("a subscription within the rights delivers all that it matches", arguments: ["state/g/", "heartbeat"])
    func allowed(prefix: String) throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.watch], in: "g")]])
        let reader = broker.client("clerk")
        reader.subscribe(to: prefix == "heartbeat" ? "heartbeat/" : prefix)
        #expect(try broker.send("chief", Self.show) == nil)
        try broker.harness.advance(by: 10_000)
        #expect(!broker.harness.receivedMessages(of: reader).isEmpty)
        #expect(broker.denied == [])
    }

    @Test("acknowledgements, replies and syncs are read by whoever used their name first, and by nobody else")
    func names() throws {
        let rights = [GuardedBroker.grant(Right.allCases, in: "g")]
        let broker = try GuardedBroker(["clerk": rights, "spy": rights])
        #expect(try broker.send("clerk", Self.show) == nil)
        let clerk = broker.client("clerk")
        clerk.subscribe(to: "replies/screen/")
        try broker.harness.turn()
        let spy = broker.client("spy")
        for prefix in [
            "acks/\(ProducerName(high: 7, low: 1))/", "replies/screen/", "replies/screen/1/", "sync/screen/1/g/",
        ] {
            spy.subscribe(to: prefix)
        }
        try broker.harness.turn()
        clerk.send(Array(#"{"query":{"client":"screen","nonce":"1","count":{"selector":{"group":"g"}}}}"#.utf8))
        #expect(try broker.send("clerk", Self.show.replacing(#""a""#, with: #""b""#)) == nil)
        #expect(broker.harness.receivedMessages(of: spy).isEmpty)
        #expect(broker.harness.receivedMessages(of: clerk).map(\.topic) == ["replies/screen/1/"])
        #expect(broker.denied == ["spy  4"])
        clerk.subscribe(to: "sync/screen/2/g/")
        try broker.harness.turn()
        #expect(broker.harness.receivedMessages(of: clerk).first?.topic == "sync/screen/2/g/")
    }

    @Test("a first command that is refused is acknowledged, also to a user without restrictions")
    func firstRefusal() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.show], in: "g")]])
        for user in ["root", "clerk"] {
            #expect(try broker.send(user, #"{"show":{"id":"a","group":"no group","text":"t"}}"#) == "INVALID")
        }
    }

    @Test("the name under which a user without restrictions asks is not given to another")
    func unrestrictedName() throws {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([.watch], in: "g")]])
        let (root, clerk) = (broker.client("root"), broker.client("clerk"))
        root.subscribe(to: "sync/screen/1/*/")
        try broker.harness.turn()
        clerk.subscribe(to: "sync/screen/")
        try broker.harness.turn()
        root.subscribe(to: "sync/screen/2/*/")
        try broker.harness.turn()
        #expect(!broker.harness.receivedMessages(of: root).isEmpty)
        #expect(broker.harness.receivedMessages(of: clerk).isEmpty)
        #expect(broker.denied == ["clerk  1"])
        // Another's it reads nevertheless.
        clerk.subscribe(to: "replies/own/")
        try broker.harness.turn()
        root.subscribe(to: "replies/own/")
        try broker.harness.turn()
        #expect(broker.denied == ["clerk  1"])
    }

    @Test("who has a right takes a client's name from who has none, and what it asks for never goes to that one")
    func syncUnderAReadName() throws {
        let broker = try GuardedBroker(["spy": [], "screen": [GuardedBroker.grant([.watch], in: "g")]])
        #expect(try broker.send("chief", Self.show) == nil)
        for (user, topic) in [("screen", "sync/wall/1/g/"), ("root", "sync/kiosk/1/*/")] {
            let spy = broker.client("spy")
            let name = topic.split(separator: "/")[1]
            spy.subscribe(to: "sync/\(name)/")
            spy.subscribe(to: "replies/\(name)/")
            try broker.harness.turn()
            let cuts = broker.harness.stats.connectionsCut
            let reader = broker.client(user)
            reader.subscribe(to: topic)
            try broker.harness.turn()
            #expect(broker.harness.receivedMessages(of: reader).isEmpty)
            // The spy's reading has ended; the reader is asked to come again.
            try broker.harness.turn()
            #expect(broker.harness.stats.connectionsCut == cuts + 2)
            let again = broker.client(user)
            let spyAgain = broker.client("spy")
            spyAgain.subscribe(to: "sync/\(name)/")
            again.subscribe(to: topic)
            try broker.harness.turn()
            #expect(!broker.harness.receivedMessages(of: again).isEmpty)
            #expect(broker.harness.receivedMessages(of: spy).isEmpty)
            #expect(broker.harness.receivedMessages(of: spyAgain).isEmpty)
        }
    }

    @Test("a sync is not answered under a name of another with rights")
    func syncUnderAnothersName() throws {
        let rights = [GuardedBroker.grant([.watch], in: "g")]
        let broker = try GuardedBroker(["one": rights, "other": rights])
        let one = broker.client("one")
        one.subscribe(to: "sync/wall/1/g/")
        try broker.harness.turn()
        for user in ["other", "root"] {
            let reader = broker.client(user)
            reader.subscribe(to: "sync/wall/2/g/")
            try broker.harness.turn()
            #expect(broker.harness.receivedMessages(of: reader).isEmpty)
        }
        #expect(broker.harness.stats.connectionsCut == 0)
        #expect(broker.denied == ["other  1", "root  1"])
    }

    @Test("whoever only reads under a producer's name loses it to an allowed command, and to no other")
    func producersOfReaders() throws {
        let broker = try GuardedBroker(["squatter": [], "clerk": [GuardedBroker.grant([.show], in: "g")]])
        let producer = ProducerName(high: 1, low: 2)
        let show = #"{"producer":"\#(producer)","sequence":"1","show":{"id":"a","group":"g","text":"t"}}"#
        let (squatter, clerk) = (broker.client("squatter"), broker.client("clerk"))
        squatter.subscribe(to: "acks/\(producer)/")
        try broker.harness.turn()
        clerk.subscribe(to: "acks/\(producer)/")
        clerk.send(Array(show.replacing(#""g""#, with: #""h""#).utf8))
        try broker.harness.turn()
        #expect(broker.denied == ["clerk  1", "clerk show 1"])
        #expect(broker.harness.stats.connectionsCut == 0)
        // The first allowed command ends the reading of the squatter, and is put off: its acknowledgement would go there.
        clerk.send(Array(show.utf8))
        try broker.harness.turn()
        try broker.harness.turn()
        #expect(broker.harness.stats.popups == 0)
        #expect(broker.harness.stats.connectionsCut == 2)
        // The clerk comes again, and may read now.
        let again = broker.client("clerk")
        again.subscribe(to: "acks/\(producer)/")
        try broker.harness.turn()
        again.send(Array(show.utf8))
        try broker.harness.turn()
        #expect(broker.harness.stats.popups == 1)
        let ack = try #require(broker.harness.receivedMessages(of: again).last)
        #expect(try WireAck(serializedBytes: ack.body).cumulative == 1)
        let spy = broker.client("squatter")
        spy.subscribe(to: "acks/\(producer)/")
        try broker.harness.advance(by: 2000)
        // Nothing but that nothing is settled.
        for message in broker.harness.receivedMessages(of: squatter) {
            #expect(try WireAck(serializedBytes: message.body) == .with { $0.epoch = 1 })
        }
        #expect(broker.harness.receivedMessages(of: spy).isEmpty)
        #expect(broker.denied == ["clerk  1", "clerk show 1", "squatter  1"])
    }

    @Test("who may not read under another's name is asked to come again when that one is gone")
    func freedName() throws {
        let rights = [GuardedBroker.grant([.show, .watch], in: "g")]
        let broker = try GuardedBroker(["old": rights, "new": rights])
        #expect(try broker.send("old", Self.show) == nil)
        let producer = ProducerName(high: 7, low: 1)
        let new = broker.client("new")
        new.subscribe(to: "acks/\(producer)/")
        try broker.harness.turn()
        #expect(broker.denied == ["new  1"])
        var configuration = BrokerConfiguration()
        configuration.access = try GuardedBroker.rules(["new": rights])
        try broker.harness.reconfigure(configuration)
        try broker.harness.turn()
        // That of the user that is gone, and the one whose subscription was denied.
        #expect(broker.harness.stats.connectionsCut == 2)
        let again = broker.client("new")
        again.subscribe(to: "acks/\(producer)/")
        try broker.harness.turn()
        #expect(broker.denied == ["new  1"])
    }

    @Test("whoever loses a name to newer ones reads under it no more")
    func lostNames() throws {
        let rights = [GuardedBroker.grant([.query], in: "g")]
        let broker = try GuardedBroker(["clerk": rights, "other": rights])
        let clerk = broker.client("clerk")
        clerk.subscribe(to: "replies/0/")
        try broker.harness.turn()
        func ask(_ user: InProcessClient, _ names: Range<Int>) throws {
            for name in names {
                user.send(
                    Array(#"{"query":{"client":"\#(name)","nonce":"1","count":{"selector":{"group":"g"}}}}"#.utf8))
                try broker.harness.turn()
            }
            try broker.harness.turn()
        }
        let another = broker.client("clerk")
        try ask(another, 1..<AccessControl.namesPerUser)
        #expect(broker.harness.stats.connectionsCut == 0)
        try ask(another, AccessControl.namesPerUser..<AccessControl.namesPerUser + 1)
        #expect(broker.harness.stats.connectionsCut == 1)
        let other = broker.client("other")
        other.subscribe(to: "replies/0/")
        try broker.harness.turn()
        try ask(other, 0..<1)
        #expect(broker.harness.receivedMessages(of: other).map(\.topic) == ["replies/0/1/"])
        #expect(broker.harness.receivedMessages(of: clerk).isEmpty)
    }

    @Test("whoever only reads under a client's name loses it to a command that needs a right")
    func namesOfReaders() throws {
        let broker = try GuardedBroker([
            "squatter": [], "screen": [GuardedBroker.grant([.render, .query], in: "g")],
            "other": [GuardedBroker.grant([.query], in: "g")],
        ])
        let (squatter, screen, other) = (broker.client("squatter"), broker.client("screen"), broker.client("other"))
        squatter.subscribe(to: "replies/left/")
        try broker.harness.turn()
        let query = Array(#"{"query":{"client":"left","nonce":"1","count":{"selector":{"group":"g"}}}}"#.utf8)
        // What needs no right takes nobody's name.
        squatter.send(Array(#"{"query":{"client":"left","nonce":"1","whoami":{}}}"#.utf8))
        other.send(Array(#"{"query":{"client":"left","nonce":"1","whoami":{}}}"#.utf8))
        try broker.harness.turn()
        #expect(broker.denied == ["other  1"])
        #expect(broker.harness.receivedMessages(of: squatter).map(\.topic) == ["replies/left/1/"])
        // The first query ends the reading of the squatter, and is put off: its answer would go there.
        screen.send(query)
        try broker.harness.turn()
        #expect(broker.harness.receivedMessages(of: squatter).isEmpty)
        screen.subscribe(to: "replies/left/")
        try broker.harness.turn()
        #expect(broker.harness.stats.connectionsCut == 1)
        screen.send(query)
        try broker.harness.turn()
        #expect(broker.harness.receivedMessages(of: screen).map(\.topic) == ["replies/left/1/"])
        // It has used the name: nobody takes it.
        other.send(query)
        let reader = broker.client("squatter")
        reader.subscribe(to: "replies/left/")
        try broker.harness.turn()
        #expect(broker.denied == ["other  2", "squatter  1"])
        #expect(try broker.send("screen", #"{"lease":{"client":"left","groups":["g"]}}"#) == nil)
    }

    @Test("whoami tells the user, its grants and no more")
    func whoami() throws {
        let grant = GuardedBroker.grant([.show, .query], in: "g", "h/*", priority: 3, exclusive: .group, own: true)
        let broker = try GuardedBroker(["clerk": [grant]])
        guard case .whoami(let answer) = try broker.ask("clerk", #""whoami":{}"#),
            case .whoami(let chief) = try broker.ask("chief", #""whoami":{}"#)
        else {
            Issue.record("no answer")
            return
        }
        #expect(answer.user == "clerk")
        #expect(!answer.unrestricted)
        #expect(
            answer.grants == [
                .with {
                    $0.groups = ["g", "h/*"]
                    $0.rights = ["show", "query"]
                    $0.maxPriority = 3
                    $0.exclusive = .group
                    $0.own = true
                }
            ])
        #expect(answer.denied == [])
        #expect(chief.user == "chief")
        #expect(chief.unrestricted)
    }
}
