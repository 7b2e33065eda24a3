import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("The queries for groups, suspensions, renderers, producers and history")
struct InventoryTests {
    private func ask(_ broker: Harness, _ query: String) throws -> WireResult.OneOf_Result? {
        _ = try broker.received()
        try broker.send(#"{"query":{"client":"me","nonce":"1",\#(query)}}"#)
        let message = try #require(try broker.received().first { $0.hasPrefix("replies+json/me/1/ ") })
        let reply: WireReply = try WireEncoding.json.decode(Array(message.drop { $0 != " " }.dropFirst().utf8))
        return reply.reply.result
    }

    private func history(_ broker: Harness, _ query: String = "") throws -> [String] {
        guard case .history(let result)? = try ask(broker, #""history":{\#(query)}"#) else { return ["no history"] }
        return result.popups.map { popup in
            [
                "\(popup.time)", popup.group, popup.id, "\(popup.closed.reason)", popup.closed.action, popup.cause,
                popup.title, popup.excerpt,
            ].filter { !$0.isEmpty }.joined(separator: " ")
        } + (result.truncated ? ["…"] : [])
    }

    @Test("history is what closed, the latest first, with reason, action, cause and content")
    func history() throws {
        let broker = try Harness(subscriptions: ["replies+json/me/"])
        #expect(try history(broker) == [])
        try broker.send(
            #"{"show":{"id":"A","group":"g","text":"Hello","presentation":{"title":"Welcome"}}}"#,
            #"{"show":{"id":"B","group":"h/1","durationMs":50}}"#)
        try broker.advance(to: 100)
        try broker.send(#"{"dismiss":{"id":"A","action":"ok"}}"#)
        #expect(
            try history(broker) == ["100 g A dismissed ok Welcome Hello", "50 h/1 B timedOut"])
        #expect(try history(broker, #""group":"g""#) == ["100 g A dismissed ok Welcome Hello"])
        #expect(try history(broker, #""group":"h/*""#) == ["50 h/1 B timedOut"])
        #expect(try history(broker, #""group":"x""#) == [])
        try broker.send(
            #"{"show":{"id":"C","group":"g","collapseKey":"k"}}"#,
            #"{"show":{"id":"D","group":"g","collapseKey":"k"}}"#)
        #expect(try history(broker, #""group":"g","limit":1"#) == ["100 g C replaced D", "…"])
    }

    @Test("history survives a restart, its contents as far as the journal is read again")
    func restart() throws {
        let journal = KeepingJournal()
        do {
            let broker = try Harness(journal: journal, subscriptions: ["replies+json/me/"])
            try broker.send(#"{"show":{"id":"A","group":"g","text":"Hello"}}"#, #"{"dismiss":{"id":"A"}}"#)
            try broker.close()
        }
        let broker = try Harness(journal: journal, subscriptions: ["replies+json/me/"])
        #expect(try history(broker) == ["0 g A dismissed Hello"])
    }

    @Test("history has the title and the beginning of the text of a popup with a long content, as a list has them")
    func longContents() throws {
        let text = String(repeating: "é", count: 5000)
        let actions = (0..<32).map { #"{"id":"action-\#($0)","label":"Label \#($0)"}"# }.joined(separator: ",")
        let long = #""text":"\#(text)","actions":[\#(actions)],"presentation":{"title":"Long"}"#
        let data = #""data":"\#(String(repeating: "AAAA", count: 500))","presentation":{"title":"Bytes"}"#
        let journal = KeepingJournal()
        let expected = ["0 g B dismissed Bytes", "0 g A dismissed Long " + String(repeating: "é", count: 58) + "…"]
        do {
            let broker = try Harness(journal: journal, subscriptions: ["replies+json/me/"])
            try broker.send(
                #"{"show":{"id":"A","group":"g",\#(long)}}"#, #"{"dismiss":{"id":"A"}}"#,
                #"{"show":{"id":"B","group":"g",\#(data)}}"#, #"{"dismiss":{"id":"B"}}"#)
            #expect(try history(broker) == expected)
            try broker.close()
        }
        #expect(try history(Harness(journal: journal, subscriptions: ["replies+json/me/"])) == expected)
    }

    @Test("history keeps the contents of the last thousand popups, and of four before them of each group")
    func contents() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.queryResults = 2000
        let broker = try Harness(configuration, subscriptions: ["replies+json/me/"])
        for number in 0...1004 {
            try broker.send(
                #"{"show":{"id":"\#(number)","group":"g","text":"popup \#(number)"}}"#,
                #"{"dismiss":{"id":"\#(number)"}}"#)
        }
        let told = try history(broker)
        #expect(told.first == "0 g 1004 dismissed popup 1004")
        #expect(told.suffix(2) == ["0 g 1 dismissed popup 1", "0 g 0 dismissed"])
    }

    private func groups(_ broker: Harness, _ query: String = "") throws -> [String] {
        guard case .groups(let result)? = try ask(broker, #""groups":{\#(query)}"#) else { return ["no groups"] }
        return result.groups.map { group in
            "\(group.group)#\(group.revision) \(group.active)\(group.offered ? "?" : "") +\(group.waiting) ~\(group.paused)"
                + " \(group.delayed) \(group.session)"
        } + (result.truncated ? ["…"] : [])
    }

    @Test("groups come in the order of their names, page by page, with their counts")
    func groups() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.queryResults = 2
        let broker = try Harness(configuration, subscriptions: ["replies+json/me/"])
        try broker.send(
            #"{"show":{"id":"A","group":"s/2","priority":1}}"#, #"{"show":{"id":"B","group":"s/2","priority":2}}"#,
            #"{"show":{"id":"C","group":"s/2"}}"#, #"{"show":{"id":"D","group":"s/2","delayMs":9}}"#,
            #"{"show":{"id":"E","group":"s/1"}}"#, #"{"show":{"id":"F","group":"t"}}"#,
            #"{"setSession":{"group":"t","session":"night"}}"#)
        #expect(try groups(broker) == ["s/1#1 E +0 ~0 0 ", "s/2#4 B +2 ~1 1 ", "…"])
        #expect(try groups(broker, #""after":"s/2""#) == ["t#1 F +0 ~0 0 night"])
        #expect(try groups(broker, #""group":"s/*","after":"s/1""#) == ["s/2#4 B +2 ~1 1 "])
        #expect(try groups(broker, #""group":"t""#) == ["t#1 F +0 ~0 0 night"])
        #expect(try groups(broker, #""group":"s/*","after":"t""#) == [])
        #expect(try groups(broker, #""group":"nobody""#) == [])
    }

    private func suspensions(_ broker: Harness, _ query: String = "") throws -> [String] {
        guard case .suspensions(let result)? = try ask(broker, #""suspensions":{\#(query)}"#) else { return ["none"] }
        return result.suspensions.map { suspension in
            let priority = suspension.hasMinPriority ? " <\(suspension.minPriority)" : ""
            return "\(suspension.token) \(suspension.group)\(priority) \(suspension.since)"
        } + (result.truncated ? ["…"] : [])
    }

    @Test("suspensions come in the order of their tokens, those of a group with those of its patterns")
    func suspensions() throws {
        let journal = KeepingJournal()
        let broker = try Harness(journal: journal, subscriptions: ["replies+json/me/"])
        try broker.advance(to: 7)
        try broker.send(
            #"{"suspend":{"group":"s/*","token":"night","minPriority":5}}"#,
            #"{"suspend":{"group":"*","token":"all"}}"#, #"{"suspend":{"group":"t","token":"one"}}"#)
        let all = ["all * 7", "night s/* <5 7", "one t 7"]
        #expect(try suspensions(broker) == all)
        #expect(try suspensions(broker, #""after":"all""#) == ["night s/* <5 7", "one t 7"])
        #expect(try suspensions(broker, #""group":"s/1""#) == ["all * 7", "night s/* <5 7"])
        #expect(try suspensions(broker, #""group":"t""#) == ["all * 7", "one t 7"])
        #expect(try suspensions(broker, #""group":"s/1/*""#) == ["all * 7", "night s/* <5 7"])
        try broker.close()
        let next = try Harness(journal: journal, subscriptions: ["replies+json/me/"])
        #expect(try suspensions(next) == all)
        try next.send(#"{"resume":{"token":"night"}}"#)
        #expect(try suspensions(next) == ["all * 7", "one t 7"])
    }

    private func renderers(_ broker: Harness, _ query: String = "") throws -> [String] {
        guard case .renderers(let result)? = try ask(broker, #""renderers":{\#(query)}"#) else { return ["none"] }
        return result.renderers.map { renderer in
            let displays = renderer.displays.map { "\($0.id)@\($0.group)\($0.visible ? "" : " hidden")" }
            return ([renderer.client, "\(renderer.groups)", "\(renderer.silentMs)"] + displays).joined(separator: " ")
        } + (result.truncated ? ["…"] : [])
    }

    @Test("renderers are those with a lease, with what they display and when they were seen last")
    func renderers() throws {
        let broker = try Harness(subscriptions: ["replies+json/me/"])
        try broker.send(
            #"{"show":{"id":"A","group":"s/1"}}"#, #"{"show":{"id":"B","group":"t"}}"#,
            #"{"lease":{"client":"kiosk","groups":["s/*","t"]}}"#, #"{"lease":{"client":"car","groups":["t"]}}"#,
            #"{"report":{"id":"A","client":"kiosk","visible":{}}}"#,
            #"{"report":{"id":"B","client":"kiosk","displayed":{}}}"#,
            #"{"report":{"id":"B","client":"passer-by","displayed":{}}}"#)
        try broker.jump(to: 300)
        #expect(
            try renderers(broker) == [#"car ["t"] 300"#, #"kiosk ["s/*", "t"] 300 B@t hidden A@s/1"#])
        try broker.send(#"{"lease":{"client":"car","groups":["t"]}}"#)
        #expect(try renderers(broker, #""group":"s/*""#) == [#"kiosk ["s/*"] 300 A@s/1"#])
        #expect(try renderers(broker, #""group":"t","after":"car""#) == [#"kiosk ["t"] 300 B@t hidden"#])
        #expect(try renderers(broker, #""group":"t""#).first == #"car ["t"] 0"#)
        try broker.send(#"{"lease":{"client":"kiosk"}}"#)
        #expect(try renderers(broker) == [#"car ["t"] 0"#])
    }

    @Test("renderers with many groups and popups come in pages of about a mebibyte, and each comes once")
    func largeRenderers() throws {
        let broker = try Harness(subscriptions: ["replies+json/me/"])
        let long = String(repeating: "x", count: 64) + "/" + String(repeating: "y", count: 64)
        let groups = (0..<120).map { "\(long)/\(String(repeating: "z", count: 60))\($0)" }
        let list = groups.map { "\"\($0)\"" }.joined(separator: ",")
        let clients = (0..<70).map { "c\(100 + $0)" }
        for client in clients { try broker.send(#"{"lease":{"client":"\#(client)","groups":[\#(list)]}}"#) }
        var (seen, pages, last) = ([String](), 0, "")
        repeat {
            guard case .renderers(let page)? = try ask(broker, #""renderers":{"after":"\#(last)"}"#) else { break }
            #expect(page.renderers.allSatisfy { $0.groups.count == 100 })
            #expect(try page.serializedData().count < 1_200_000)
            seen += page.renderers.map(\.client)
            last = page.truncated ? seen.last ?? "" : ""
            pages += 1
        } while !last.isEmpty && pages < 10
        #expect(pages == 2)
        #expect(seen == clients)
    }

    @Test("of a renderer that displays very much, what it displayed last is told, within bounds")
    func displays() throws {
        let broker = try Harness(subscriptions: ["replies+json/me/"])
        try broker.send(#"{"lease":{"client":"wall","groups":["*"]}}"#)
        for start in stride(from: 0, to: 1200, by: 100) {
            let commands = (start..<start + 100).flatMap {
                [
                    #"{"show":{"id":"p\#($0)","group":"g/\#($0)"}}"#,
                    #"{"report":{"id":"p\#($0)","client":"wall","displayed":{}}}"#,
                ]
            }
            try broker.send(#"{"commands":[\#(commands.joined(separator: ","))]}"#)
        }
        let all = try renderers(broker).first ?? ""
        #expect(all.hasPrefix(#"wall ["*"] 0 p1199@g/1199 hidden p1198@g/1198 hidden"#))
        #expect(all.split(separator: " ").count { $0.contains("@") } == 100)
        #expect(try renderers(broker, #""group":"g/200""#) == [#"wall ["*"] 0 p200@g/200 hidden"#])
        // It reported on a thousand others since.
        #expect(try renderers(broker, #""group":"g/199""#) == [#"wall ["*"] 0"#])
    }

    private func producers(_ broker: Harness, _ query: String = "") throws -> [String] {
        guard case .producers(let result)? = try ask(broker, #""producers":{\#(query)}"#) else { return ["none"] }
        return result.producers.map { producer in
            "\(producer.producer.suffix(2)) \(producer.cumulative)/\(producer.highest) \(producer.popups) \(producer.silentMs)"
        } + (result.truncated ? ["…"] : [])
    }

    @Test("producers come with their sequences and live popups, the one that sent last first")
    func producers() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.queryResults = 1
        let broker = try Harness(configuration, subscriptions: ["replies+json/me/"])
        let (first, second) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
        try broker.send(
            #"{"producer":"\#(first)","sequence":"1","show":{"id":"A","group":"g"}}"#,
            #"{"producer":"\#(first)","sequence":"3","show":{"id":"B","group":"g"}}"#)
        try broker.advance(to: 40)
        try broker.send(#"{"producer":"\#(second)","sequence":"1","show":{"id":"C","group":"g"}}"#)
        #expect(try producers(broker) == ["bb 1/1 1 0", "…"])
        #expect(try producers(broker, #""producer":"\#(first)""#) == ["aa 1/3 2 40"])
        #expect(try producers(broker, #""producer":"\#(String(repeating: "c", count: 32))""#) == [])
        #expect(try producers(broker, #""producer":"\#(second)","after":"\#(second)""#) == ["bb 1/1 1 0"])
    }

    @Test("as many producers as asked for, the last ones to send, are told, but no more than a reply contains")
    func latestProducers() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.queryResults = 3
        let broker = try Harness(configuration, subscriptions: ["replies+json/me/"])
        for number in 10..<15 {
            try broker.advance(to: Milliseconds(number))
            try broker.send(numbered(number, 1))
        }
        try broker.advance(to: 20)
        try broker.send(numbered(11, 2))
        #expect(try producers(broker, #""limit":2"#) == ["11 2/2 2 0", "14 1/1 1 6", "…"])
        #expect(try producers(broker) == ["11 2/2 2 0", "14 1/1 1 6", "13 1/1 1 7", "…"])
        #expect(try producers(broker, #""limit":4"#) == producers(broker))
        #expect(try producers(broker, #""after":"","limit":1"#) == ["10 1/1 1 10", "…"])
    }

    @Test("of producers that sent in one millisecond, the one that began last comes first, also after a restart")
    func producersOfOneMillisecond() throws {
        let journal = KeepingJournal()
        func latest(_ broker: Harness, _ query: String = "") throws -> [String] {
            try producers(broker, query).map { String($0.prefix(2)) }
        }
        let order = ["13", "24", "27", "21", "28"]
        do {
            let broker = try Harness(journal: journal, subscriptions: ["replies+json/me/"])
            try broker.send(numbered(13, 1))
            try broker.advance(to: 5)
            for number in [28, 21, 27, 24] { try broker.send(numbered(number, 1)) }
            for number in [28, 13, 21] { try broker.send(numbered(number, 2)) }
            #expect(try latest(broker) == order)
            #expect(try latest(broker, #""limit":2"#) == ["13", "24", "…"])
            try broker.close()
        }
        let broker = try Harness(journal: journal, subscriptions: ["replies+json/me/"])
        #expect(try latest(broker) == order)
    }

    @Test("with `after`, producers come page by page, and each that stays comes once, whoever comes and goes")
    func producerPages() throws {
        var configuration = BrokerConfiguration()
        configuration.limits.queryResults = 2
        configuration.limits.maxProducers = 9
        let broker = try Harness(configuration, subscriptions: ["replies+json/me/"])
        // They send in another order than that of their ids.
        for number in [28, 21, 27, 22, 26, 23, 25, 24] { try broker.send(numbered(number, 1)) }
        func page(after last: String) throws -> [String] {
            try producers(broker, #""after":"\#(last)""#).map { String($0.prefix(2)) }
        }
        #expect(try page(after: "") == ["21", "22", "…"])
        // Producers of this page and of others send again, and one begins that belongs to this page.
        try broker.jump(to: 61_000)
        for number in [22, 21, 23, 26] { try broker.send(numbered(number, 2)) }
        try broker.send(numbered(19, 1))
        #expect(try page(after: Self.id(22)) == ["23", "24", "…"])
        // The table is full. The last producer of this page is forgotten for one of a later page.
        for number in [28, 27, 25] { try broker.send(numbered(number, 2)) }
        try broker.send(numbered(29, 1))
        #expect(try producers(broker, #""producer":"\#(Self.id(24))""#) == [])
        #expect(try page(after: Self.id(24)) == ["25", "26", "…"])
        #expect(try page(after: Self.id(26)) == ["27", "28", "…"])
        #expect(try page(after: Self.id(28)) == ["29"])
        #expect(try page(after: Self.id(29)) == [])
        // No producer ever had this id. Its digits are in upper case.
        #expect(try page(after: String(repeating: "0", count: 30) + "1F") == ["21", "22", "…"])
    }

    @Test("a page of producers is as long as asked for, wherever it begins in a large table")
    func producerSelection() throws {
        let broker = try Harness(subscriptions: ["replies+json/me/"])
        // Each number once, far from its place in the order.
        let numbers = (0..<2000).map { 10_000 + $0 * 777 % 2000 }
        for number in numbers { try broker.send(numbered(number, 1)) }
        for (after, limit) in [(0, 1), (0, 7), (10_003, 64), (11_500, 499), (11_500, 501), (0, 1000), (11_999, 3)] {
            let query = #""producers":{"after":"\#(Self.id(after))","limit":\#(limit)}"#
            guard case .producers(let page)? = try ask(broker, query) else {
                Issue.record("not answered")
                continue
            }
            let rest = (10_000..<12_000).filter { $0 > after }
            #expect(page.producers.map(\.producer) == rest.prefix(limit).map { Self.id($0) })
            #expect(page.truncated == (rest.count > limit))
        }
    }

    /// Returns the id of a producer that ends with a number.
    private static func id(_ number: Int) -> String {
        String(repeating: "0", count: 32 - "\(number)".count) + "\(number)"
    }

    /// Returns a numbered command of a producer.
    private func numbered(_ number: Int, _ sequence: Int) -> String {
        #"{"producer":"\#(Self.id(number))","sequence":"\#(sequence)","show":{"id":"\#(number)-\#(sequence)","group":"g"}}"#
    }
}
