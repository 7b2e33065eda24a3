import PopupBroker
import PopupJournal
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("States")
struct StatePublishingTests {
    @Test("are published whole at every change, with their cause")
    func changes() throws {
        let broker = try Harness(subscriptions: ["state/"])
        try broker.send(#"{"show":{"id":"A","group":"g","priority":1,"durationMs":3000}}"#)
        try broker.advance(to: 500)
        try broker.send(#"{"show":{"id":"B","group":"g","priority":9}}"#)
        try broker.advance(to: 900)
        try broker.send(#"{"dismiss":{"id":"B","action":"ok"}}"#)
        try broker.advance(to: 3400)
        #expect(
            try broker.receivedStates() == [
                "g#1 A 3000ms (shown A)", "g#2 B ~1 (paused A)", "g#3 A 2500ms (closed B)", "g#4 (closed A)",
            ])
    }

    @Test("hold the popup as it was sent, and what the broker knows of it")
    func wholePopup() throws {
        let broker = try Harness(subscriptions: ["state+json/g/"])
        try broker.send(
            #"{"show":{"id":"A","group":"g","priority":-2,"durationMs":0,"interruptible":false,"text":"Grüß Gott","contentType":"text/plain","#
                + #""actions":[{"id":"ok","label":"OK"}],"presentation":{"scene":"TOP_BAR","title":"Hello"}}}"#)
        #expect(
            try broker.received() == [
                #"state+json/g/ {"epoch":"1","group":"g","revision":"1","active":{"id":"A","group":"g","priority":-2,"interruptible":false,"text":"Grüß Gott","#
                    + #""contentType":"text/plain","actions":[{"id":"ok","label":"OK"}],"presentation":{"scene":"TOP_BAR","title":"Hello"},"#
                    + #""attempt":1,"sinceRevision":"1"},"cause":{"kind":"SHOWN","popup":"A"}}"#
            ])
    }

    @Test("name the language of the popup as it was sent; a tag has at most 35 bytes")
    func language() throws {
        let broker = try Harness(subscriptions: ["state/", "events/"])
        let tags = ["de-CH", "zh-Hant-CN-x-private1-private2", String(repeating: "a", count: 35)]
        for (number, tag) in tags.enumerated() {
            try broker.send(#"{"show":{"group":"json/\#(number)","text":"Grüezi","language":"\#(tag)"}}"#)
            try broker.send(
                .with {
                    $0.show = .with {
                        $0.id = tag; $0.group = "binary/\(number)"; $0.language = tag
                    }
                })
        }
        let messages = broker.receivedMessages(of: broker.client).filter { $0.topic.hasPrefix("state/") }
        #expect(try messages.map { try Harness.state($0).active.language } == tags.flatMap { [$0, $0] })

        try broker.send(#"{"show":{"id":"A","group":"g","language":"\#(String(repeating: "a", count: 36))"}}"#)
        #expect(try broker.receivedEvents() == ["0 g A refused INVALID"])
    }

    @Test("are the same in binary and in JSON")
    func encodings() throws {
        let broker = try Harness(subscriptions: ["state/g/", "state+json/g/"])
        try broker.send(#"{"show":{"id":"A","group":"g","durationMs":70000,"data":"AAEC"}}"#)
        try broker.advance(to: 10)
        try broker.send(#"{"dismiss":{"id":"A","action":"ok"}}"#)
        let messages = broker.receivedMessages(of: broker.client)
        #expect(messages.map(\.topic) == ["state/g/", "state+json/g/", "state/g/", "state+json/g/"])
        let states = try messages.map(Harness.state)
        #expect(states[0] == states[1])
        #expect(states[2] == states[3])
        #expect(
            states[2]
                == .with {
                    $0.epoch = 1
                    $0.group = "g"
                    $0.revision = 2
                    $0.cause = .with {
                        $0.kind = .closed; $0.popup = "A"; $0.reason = .dismissed; $0.action = "ok"
                    }
                })
    }

    @Test("say that a popup is only offered")
    func offered() throws {
        let broker = try Harness(subscriptions: ["state+json/"])
        try broker.send(
            #"{"show":{"id":"A","group":"g","durationMs":50,"offerMs":900}}"#, #"{"show":{"id":"B","group":"g"}}"#)
        try broker.advance(to: 10)
        try broker.send(#"{"answer":{"id":"A","client":"r","accept":{}}}"#)
        #expect(
            try broker.received() == [
                #"state+json/g/ {"epoch":"1","group":"g","revision":"1","active":{"id":"A","group":"g","durationMs":50,"offerMs":900,"remainingMs":50,"sinceRevision":"1"},"cause":{"kind":"OFFERED","popup":"A"},"offered":true}"#,
                #"state+json/g/ {"epoch":"1","group":"g","revision":"2","active":{"id":"A","group":"g","durationMs":50,"offerMs":900,"remainingMs":50,"sinceRevision":"1"},"waiting":1,"cause":{"kind":"QUEUED","popup":"B"},"offered":true}"#,
                #"state+json/g/ {"epoch":"1","group":"g","revision":"3","active":{"id":"A","group":"g","durationMs":50,"offerMs":900,"remainingMs":50,"attempt":1,"sinceRevision":"3"},"waiting":1,"cause":{"kind":"SHOWN","popup":"A"}}"#,
            ])
    }

    @Test("do not carry what a producer forges")
    func forgedOutput() throws {
        let broker = try Harness(subscriptions: ["state+json/"])
        try broker.send(
            #"{"show":{"id":"A","group":"g","remainingMs":5,"attempt":9,"sinceRevision":"77"}}"#)
        #expect(
            try broker.received() == [
                #"state+json/g/ {"epoch":"1","group":"g","revision":"1","active":{"id":"A","group":"g","attempt":1,"sinceRevision":"1"},"cause":{"kind":"SHOWN","popup":"A"}}"#
            ])
    }

    @Test("show an updated popup with all that was changed")
    func update() throws {
        let broker = try Harness(subscriptions: ["state+json/"])
        try broker.send(
            #"{"show":{"id":"A","group":"g","priority":1,"durationMs":1000,"text":"old","contentType":"text/plain"}}"#)
        try broker.advance(to: 400)
        _ = try broker.received()
        try broker.send(
            #"{"update":{"id":"A","priority":7,"durationMs":5000,"text":"new","actions":[{"id":"go"}]}}"#)
        #expect(
            try broker.received() == [
                #"state+json/g/ {"epoch":"1","group":"g","revision":"2","active":{"id":"A","group":"g","priority":7,"durationMs":5000,"text":"new","#
                    + #""contentType":"text/plain","actions":[{"id":"go"}],"remainingMs":4600,"attempt":1,"sinceRevision":"2"},"cause":{"kind":"UPDATED","popup":"A"}}"#
            ])
    }

    @Test("are each published by itself, though timers fell due together")
    func timersOneByOne() throws {
        var configuration = BrokerConfiguration()
        configuration.refreshInterval = 1_000_000
        let broker = try Harness(configuration, subscriptions: ["state/"])
        try broker.send(
            #"{"show":{"id":"A","group":"g","durationMs":100}}"#, #"{"show":{"id":"B","group":"g","durationMs":100}}"#,
            #"{"show":{"id":"C","group":"h","durationMs":150}}"#)
        _ = try broker.receivedStates()
        // The broker wakes late: what was due meanwhile is handled step by step.
        try broker.jump(to: 1000)
        // B's time was over before it could be told; it is told all the same.
        #expect(
            try broker.receivedStates() == [
                "g#3 B 0ms (closed A)", "h#2 (closed C)", "g#4 (closed B)",
            ])
    }

    @Test("go only to those who subscribe to their group, and groups below it")
    func isolation() throws {
        let broker = try Harness(subscriptions: ["state/lobby/"])
        try broker.send(
            #"{"show":{"id":"A","group":"lobby"}}"#, #"{"show":{"id":"B","group":"lobby2"}}"#,
            #"{"show":{"id":"C","group":"lobby/left"}}"#)
        #expect(try broker.receivedStates() == ["lobby#1 A (shown A)", "lobby/left#1 C (shown C)"])
    }
}

@Suite("The feed")
struct FeedTests {
    @Test("has all changes of a batch in one message")
    func batch() throws {
        let broker = try Harness(subscriptions: ["feed/"])
        try broker.send(
            #"{"commands":[{"show":{"id":"A","group":"g"}},{"show":{"id":"B","group":"h"}},{"dismiss":{"id":"A"}}]}"#)
        let messages = broker.receivedMessages(of: broker.client)
        #expect(messages.map(\.topic) == ["feed/"])
        let feed = try WireFeed(serializedBytes: messages[0].body)
        #expect(feed.states.map(Harness.short) == ["g#1 A (shown A)", "h#1 B (shown B)", "g#2 (closed A)"])
    }

    @Test("is told in messages of 1 MiB at most, which together have each change once")
    func bounded() throws {
        let broker = try Harness(subscriptions: ["feed/"])
        let text = String(repeating: "x", count: 60_000)
        for group in 0..<50 {
            try broker.send(#"{"show":{"id":"P\#(group)","group":"g\#(group)","text":"\#(text)"}}"#)
        }
        try broker.send(#"{"suspend":{"group":"*","token":"t"}}"#)
        _ = broker.receivedMessages(of: broker.client)
        try broker.send(#"{"resume":{"token":"t"}}"#)
        let messages = broker.receivedMessages(of: broker.client)
        #expect(messages.count >= 3 && messages.allSatisfy { $0.body.count <= 1 << 20 })
        let states = try messages.flatMap { try WireFeed(serializedBytes: $0.body).states }
        let back = states.filter { $0.active.id.hasPrefix("P") }.map(\.group)
        #expect(back.count == 50 && Set(back).count == 50)
    }
}

@Suite("Events")
struct EventPublishingTests {
    @Test("are published once each, in order, in both encodings", arguments: ["events/", "events+json/"])
    func order(channel: String) throws {
        let broker = try Harness(subscriptions: [channel])
        try broker.send(
            #"{"show":{"id":"A","group":"g","durationMs":3000}}"#, #"{"show":{"id":"B","group":"g"}}"#,
            #"{"show":{"id":"C","group":"g","priority":1}}"#)
        try broker.advance(to: 40)
        try broker.send(#"{"dismiss":{"id":"C","action":"ok"}}"#, #"{"update":{"id":"A","text":"x"}}"#)
        try broker.advance(to: 5000)
        #expect(
            try broker.receivedEvents() == [
                "0 g A shown 1", "0 g B queued", "0 g A paused", "0 g C shown 1",
                "40 g C closed dismissed ok after 40ms",
                "40 g A resumed", "40 g A updated", "3040 g A closed timedOut after 3000ms", "3040 g B shown 1",
            ])
    }

    @Test("carry the path of their group's page tree", arguments: ["events/", "events+json/"])
    func paths(channel: String) throws {
        let broker = try Harness(subscriptions: [channel])
        try broker.send(
            #"{"setPolicy":{"group":"g","pageTree":"t"}}"#, #"{"show":{"id":"A","group":"g"}}"#,
            #"{"page":{"tree":"t","open":{"node":"1","value":"home"}}}"#,
            #"{"page":{"tree":"t","open":{"node":"2","parent":"1","value":"shop"}}}"#,
            #"{"page":{"tree":"t","enter":{"node":"2"}}}"#, #"{"dismiss":{"id":"A","action":"buy"}}"#,
            #"{"show":{"id":"B","group":"h"}}"#)
        let events = try broker.receivedMessages(of: broker.client).map { message in
            let encoding: WireEncoding = channel == "events+json/" ? .json : .binary
            return try encoding.decode(message.body, as: WireEvent.self)
        }
        #expect(events.map(\.popup) == ["A", "A", "B"])
        #expect(events.map(\.path) == [[], ["home", "shop"], []])
    }

    @Test("name the broker's epoch, also those of refusals", arguments: ["events/", "events+json/"])
    func epoch(channel: String) throws {
        let journal = MemoryJournal(firstEpoch: 6)
        try Harness(journal: journal).close()
        let broker = try Harness(journal: journal, subscriptions: [channel])
        try broker.send(
            #"{"show":{"id":"A","group":"g"}}"#, #"{"show":{"id":"B","group":"g","exclusive":"MAYBE"}}"#,
            #"{"dismiss":{"id":"A","revision":"9"}}"#, #"{"dismiss":{"id":"A"}}"#)
        let events = try broker.receivedMessages(of: broker.client).map { message in
            let encoding: WireEncoding = channel == "events+json/" ? .json : .binary
            return try encoding.decode(message.body, as: WireEvent.self)
        }
        #expect(events.map(\.popup) == ["A", "B", "A", "A"])
        #expect(events.map(\.epoch) == [7, 7, 7, 7])
    }

    @Test("tell refusals where the group is known, among the others")
    func refusals() throws {
        let broker = try Harness(subscriptions: ["events/"])
        try broker.send(
            #"{"show":{"id":"A","group":"g"}}"#, #"{"show":{"id":"B","group":"g","exclusive":"MAYBE"}}"#,
            #"{"dismiss":{"id":"A"}}"#, #"{"dismiss":{"id":"A"}}"#, #"{"dismiss":{"id":"never"}}"#, "nonsense",
            #"{"show":{"id":"C","group":"no group"}}"#, #"{"setSession":{"group":"g","session":"\n"}}"#)
        #expect(
            try broker.receivedEvents() == [
                "0 g A shown 1", "0 g B refused INVALID", "0 g A closed dismissed after 0ms", "0 g A refused STALE",
                "0 g  refused INVALID",
            ])
        #expect(broker.stats.refused == 6)
        #expect(broker.stats.commands == 4)
    }
}
