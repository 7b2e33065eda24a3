import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Questions are answered from what is committed and applied. They are entries of a batch that is committed and applied
// at once; while a batch is in flight, and when one is submitted, they are answered before it completes.
extension BrokerCore {
    /// Enters a question, or answers it if a batch is in flight or is being applied.
    mutating func ask(_ query: WireQuery, call: Int?) {
        if pipeline.isCommitting { reply(answer(query)) } else { pipeline.gathered.enter(.query(query), call: call) }
    }

    /// Counts the popups, or groups, that a command goes through: all, unless it needs to look at a few only. A batch
    /// takes no further message beyond `Ingress.visitedPopups` of them, and a frame no further such command; its first
    /// is always taken.
    mutating func spendVisits(of content: WireCommand.OneOf_Command) throws(CommandRefusal) {
        let visits: Int
        switch content {
        case .clear: visits = state.scheduler.popupCount
        case .query(let query):
            switch query.query {
            case .list, .count: visits = state.scheduler.popupCount
            default: visits = Self.visitsOfSmallQuestion
            }
        case .suspend(let suspend) where suspend.group.hasSuffix("*"): visits = state.scheduler.groupCount
        case .setPolicy(let policy) where policy.group.hasSuffix("*"): visits = state.scheduler.groupCount
        case .resume: visits = state.scheduler.groupCount
        default: return
        }
        guard frameVisits == 0 || frameVisits + visits <= Ingress.visitedPopups else {
            throw CommandRefusal(
                .overload,
                "questions, clears and commands for patterns in one frame go through more than"
                    + " \(Ingress.visitedPopups) popups or groups; send them singly")
        }
        frameVisits += max(visits, 1)
        // What is answered at once does not fill the batch, which waits for the one in flight. A clear waits with it.
        if case .query = content, pipeline.isCommitting {
            repliedVisits += visits
        } else {
            pipeline.gathered.visits += visits
        }
    }

    private static var visitsOfSmallQuestion: Int { 100 }

    /// The answer as of now.
    mutating func answer(_ query: WireQuery) -> WireReply {
        state.answer(query, by: &queryHandler, at: now, stats: currentStats())
    }

    /// What is told to whoever asked a question that is refused.
    static func refused(_ query: WireQuery, _ refusal: CommandRefusal) -> WireReply {
        .with {
            $0.client = query.client
            $0.nonce = query.nonce
            $0.reply.refused = EventEncoder.refused(refusal)
        }
    }

    /// Publishes a reply while a message is read: those to one frame full of questions together would be large.
    mutating func reply(_ reply: WireReply) {
        repliesOfMessage += 1
        guard replyFailure == nil else { return }
        do { try publisher.publish(reply) } catch { replyFailure = error }
    }

    /// Ends the replies to a message that has been read.
    ///
    /// - Throws: What the transport threw when they were published.
    mutating func finishReplies() throws {
        repliesOfMessage = 0
        if let failure = replyFailure.take() { throw failure }
    }
}
