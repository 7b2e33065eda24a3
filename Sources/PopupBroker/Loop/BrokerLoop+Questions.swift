import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Questions are answered from what is committed and applied. They are entries of a batch that is committed and applied
// at once; while a batch is in flight, and when one is submitted, they are answered before it completes.
extension BrokerLoop {
    /// Enters a question, or answers it if a batch is in flight or is being applied.
    mutating func ask(_ query: WireQuery, call: Int?) {
        if let answer = answerOfAccess(to: query) {
            reply(answer)
            if let call { calls.answer(call, nil) }
        } else if pipeline.isCommitting {
            reply(answer(query))
        } else {
            pipeline.gathered.enter(.query(query), call: call)
        }
    }

    /// Returns the answer to a question that the rights of the present user answer alone: who it is, or that it may not
    /// know of a popup.
    func answerOfAccess(to query: WireQuery) -> WireReply? {
        let result: WireResult.OneOf_Result
        switch query.query {
        case .whoami: result = .whoami(access.whoami)
        case .explain(let explain) where access.hides(popup: explain.id, in: state.scheduler):
            result = .explain(WireExplainResult(.unknown(explain.id)))
        default: return nil
        }
        return .with {
            $0.client = query.client
            $0.nonce = query.nonce
            $0.reply.result = result
        }
    }

    /// Counts the popups, or groups, that a command goes through.
    ///
    /// - Throws: `OVERLOAD` when the frame goes through too many.
    mutating func spendVisits(of content: WireCommand.OneOf_Command) throws(CommandRefusal) {
        let visits = try admission.spendVisits(of: content, in: state.scheduler)
        // What is answered at once does not fill the batch, which waits for the one in flight. A clear waits with it.
        if case .query = content, pipeline.isCommitting {
            repliedVisits += visits
        } else {
            pipeline.gathered.visits += visits
        }
    }

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
