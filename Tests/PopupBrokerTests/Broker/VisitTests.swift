import PopupProtocol
import SwiftProtobuf
import Testing

@testable import PopupBroker

@Suite("What goes through all popups")
struct VisitTests {
    private let broker: Harness

    init() throws {
        broker = try Harness()
        for part in 0..<60 {
            let shows = (0..<1000).map { #"{"show":{"id":"p\#(part * 1000 + $0)","group":"g\#($0)"}}"# }
            for start in stride(from: 0, to: 1000, by: 250) {
                try broker.send(#"{"commands":[\#(shows[start..<start + 250].joined(separator: ","))]}"#)
            }
        }
    }

    private func count(_ nonce: Int) -> String { #"{"query":{"client":"c","nonce":"\#(nonce)","count":{}}}"# }

    private func replies(to frames: [String]) throws -> [String] {
        broker.client.subscribe(to: "replies+json/c/")
        try broker.turn()
        _ = broker.receivedMessages(of: broker.client)
        for frame in frames { broker.client.send(Array(frame.utf8)) }
        try broker.turn()
        return broker.receivedMessages(of: broker.client).map { message in
            let reply = try? WireEncoding.json.decode(message.body, as: WireReply.self)
            return message.topic + (reply?.reply.refused.reason == .overload ? " OVERLOAD" : "")
        }
    }

    @Test("is done for one query of a frame; further ones are refused when that is much")
    func oneFrame() throws {
        let frame = #"{"commands":[\#((1...3).map { count($0) }.joined(separator: ","))]}"#
        #expect(
            try replies(to: [frame]) == [
                "replies+json/c/1/", "replies+json/c/2/ OVERLOAD", "replies+json/c/3/ OVERLOAD",
            ])
    }

    @Test("is done for each frame, a few in one turn")
    func manyFrames() throws {
        #expect(try replies(to: (1...5).map { count($0) }) == (1...5).map { "replies+json/c/\($0)/" })
    }

    @Test("ends the turn, so that others have theirs")
    func turns() throws {
        broker.client.subscribe(to: "replies+json/c/")
        try broker.turn()
        _ = broker.receivedMessages(of: broker.client)
        for number in 1...5 { broker.client.send(Array(count(number).utf8)) }
        // 60,000 each: one is all that a turn has time for.
        var answers: [Int] = []
        for _ in 1...3 {
            _ = try broker.turnOnce()
            answers.append(broker.receivedMessages(of: broker.client).count)
        }
        #expect(answers == [1, 1, 1])
    }

    @Test("is not done for a query whose answer nobody would receive")
    func unheard() throws {
        let before = broker.visits
        let frame = #"{"commands":[\#((1...3).map { count($0) }.joined(separator: ","))]}"#
        try broker.send(frame, count(4))
        #expect(broker.visits == before)
        // Once somebody listens, whose answers it wants or not, it is.
        broker.client.subscribe(to: "replies/other/")
        try broker.send(count(5))
        #expect(broker.visits == before + 60_000)
    }

    @Test("is refused for clears of a frame, too, and changes nothing then")
    func clears() throws {
        let clear = #"{"clear":{"selector":{"group":"*","surface":"none"}}}"#
        let before = broker.stats.refused
        try broker.send(#"{"commands":[\#(clear),\#(clear),\#(clear)]}"#)
        #expect(broker.stats.refused == before + 2)
        #expect(broker.stats.popups == 60_000)
    }

    @Test("and all groups is refused, too, as commands for patterns of one frame, and free for names")
    func patterns() throws {
        // 1000 groups: a hundred such commands.
        func frame(_ group: String) -> String {
            let commands = (0..<150).map { #"{"suspend":{"group":"\#(group)","token":"\#(group)\#($0)"}}"# }
            return #"{"commands":[\#(commands.joined(separator: ","))]}"#
        }
        let before = broker.stats.refused
        try broker.send(frame("g1"))
        #expect(broker.stats.refused == before)
        try broker.send(frame("*"))
        #expect(broker.stats.refused == before + 50)
    }

    private func refused(_ commands: [String]) throws -> UInt64 {
        let before = broker.stats.refused
        try broker.send(#"{"commands":[\#(commands.joined(separator: ","))]}"#)
        return broker.stats.refused - before
    }

    @Test("is refused for changes of pages to which many popups are bound, and opening a page below another is free")
    func pages() throws {
        for part in 0..<6 {
            let shows = (0..<200).map {
                #"{"show":{"id":"b\#(part)-\#($0)","group":"b","page":{"tree":"t","value":"shop"}}}"#
            }
            try broker.send(#"{"commands":[\#(shows.joined(separator: ","))]}"#)
        }
        func open(_ node: String, _ parent: String) -> String {
            #"{"page":{"tree":"t","open":{"node":"\#(node)","parent":"\#(parent)","value":"shop"}}}"#
        }
        #expect(try refused([open("root", "")]) == 0)
        #expect(try refused((0..<20).map { open("p\($0)", "root") }) == 0)
        #expect(try refused((0..<3).map { #"{"page":{"tree":"t","enter":{"node":"p\#($0)"}}}"# }) == 2)
    }

    @Test("is refused for sessions of groups with many popups")
    func sessions() throws {
        // 60 popups each.
        let commands = (0..<1800).map { #"{"setSession":{"group":"g1","session":"\#($0 % 2)"}}"# }
        #expect(try refused(commands) == 1800 - 1666)
    }

    @Test("is refused for popups that clear every group")
    func exclusive() throws {
        let commands = (0..<3).map { #"{"show":{"id":"x\#($0)","group":"x","exclusive":"ALL"}}"# }
        #expect(try refused(commands) == 2)
    }

    @Test("is refused to no call from the process: each is as a frame of its own")
    func calls() throws {
        for _ in 1...3 {
            let refusal = try broker.perform(.with { $0.clear.selector.group = "none/*" })
            #expect(refusal == nil)
        }
    }
}
