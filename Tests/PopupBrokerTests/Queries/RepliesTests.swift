@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

/// The replies to queries, and those that a message receives while a batch is being committed.
@Suite struct RepliesTests {
    private struct Failure: Error {}

    @Test func `a message has replied until it ends`() throws {
        var replies = Replies(queryResults: 10)
        let isPublished = replies.begin()
        #expect(isPublished && replies.hasReplied)
        try replies.endMessage()
        #expect(!replies.hasReplied)
    }

    @Test func `after a failure nothing is published, and the message ends with it, once`() throws {
        var replies = Replies(queryResults: 10)
        _ = replies.begin()
        replies.fail(Failure())
        let isPublished = replies.begin()
        #expect(!isPublished)
        #expect(throws: Failure.self) { try replies.endMessage() }
        try replies.endMessage()
        let isPublishedAgain = replies.begin()
        #expect(isPublishedAgain)
    }

    @Test func `visits are counted for a turn`() throws {
        var replies = Replies(queryResults: 10)
        replies.spend(visits: 3)
        try replies.endMessage()
        replies.spend(visits: 4)
        #expect(replies.visits == 7)
        replies.beginTurn()
        #expect(replies.visits == 0)
    }

    @Test func `an answer has at most the results that are allowed`() {
        var state = BrokerState(JournaledSettings(limits: Limits(), seed: 0))
        var output = EventBuffer()
        for number in 0..<3 {
            let show = WireCommand.with {
                $0.show.id = "p\(number)"
                $0.show.group = "g"
            }
            _ = state.apply(.command(show), at: 0, into: &output)
        }
        var replies = Replies(queryResults: 2)
        let query = WireQuery.with {
            $0.client = "console"
            $0.nonce = "n"
            $0.list.selector.group = "g"
        }
        let answer = replies.answer(query, in: &state, at: 0, stats: WireStatsResult())
        #expect(answer.client == "console" && answer.nonce == "n")
        #expect(answer.reply.list.popups.count == 2 && answer.reply.list.truncated)
    }

    @Test func `a refusal answers the query to which it belongs`() {
        let query = WireQuery.with {
            $0.client = "console"
            $0.nonce = "n"
        }
        let reply = WireReply(to: query, refusedFor: CommandRefusal(.overload, "too many"))
        #expect(reply.client == "console" && reply.nonce == "n")
        #expect(reply.reply.refused.reason == .overload && reply.reply.refused.detail == "too many")
    }
}
