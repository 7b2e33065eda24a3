import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Questions are answered from what is committed and applied. They are entries of a batch that is committed and applied at
// once; while a batch is in flight, and when one is handed over, they are answered before it lands.
extension BrokerCore {
    /// Enters a question, or answers it if a batch is in flight.
    mutating func ask(_ query: WireQuery, call: Int?) {
        if flying == nil { batch.enter(.query(query), call: call) } else { replies.append(answer(query)) }
    }

    /// The answer as of now.
    mutating func answer(_ query: WireQuery) -> WireReply {
        answerer.answer(query, from: &scheduler, at: now, stats: currentStats())
    }

    /// What is told to whoever asked a question that is refused.
    static func refused(_ query: WireQuery, _ refusal: CommandRefusal) -> WireReply {
        .with {
            $0.client = query.client
            $0.nonce = query.nonce
            $0.reply.refused = EventEncoder.refused(refusal)
        }
    }

    /// Publishes what was answered to the message that was read last.
    mutating func sendReplies() throws {
        for reply in replies { try publish(reply) }
        replies.removeAll(keepingCapacity: true)
    }

    /// Answers the questions of a batch that is handed over.
    mutating func answerQuestions(of closed: inout Batch) throws {
        for place in closed.others.indices {
            switch closed.others[place] {
            case .query(let query):
                try publish(answer(query))
                closed.others[place] = .answered
            case .refused(let refusal, let query?):
                try publish(Self.refused(query, refusal))
                closed.others[place] = .refused(refusal, nil)
            default: break
            }
        }
    }
}
