import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Queries are answered from the applied state. A query is an entry of a batch that is committed and applied at once.
// While a batch is in flight, and when one is submitted, it is answered before that batch completes.
extension BrokerLoop {
    /// Adds a query to the batch, or answers it at once if a batch is in flight or being applied. A query whose answer
    /// nobody would receive is skipped: a client that is gone leaves thousands of them in the queues of its connection.
    mutating func ask(_ query: WireQuery, call: Int?) throws(CommandRefusal) {
        guard publisher.wantsReplies else {
            if let call { calls.answer(call, nil) }
            return
        }
        try spendVisits(of: .query(query))
        if let answer = answerOfAccess(to: query) {
            reply(answer)
            if let call { calls.answer(call, nil) }
        } else if pipeline.isCommitting {
            reply(answer(query))
            if let call { calls.answer(call, nil) }
        } else {
            pipeline.gathered.enter(.query(query), call: call)
        }
    }

    /// Returns the answer to a query that the rights of the current user determine: the user's own rights, or that a
    /// popup is unknown because the user may not read it. `nil` for all other queries.
    func answerOfAccess(to query: WireQuery) -> WireReply? {
        let result: WireResult.OneOf_Result
        switch query.query {
        case .whoami: result = .whoami(access.whoami)
        case .explain(let explain) where access.hides(popup: explain.id, in: state.scheduler):
            result = .explain(WireExplainResult(.unknown(explain.id)))
        default: return nil
        }
        return WireReply(to: query, result)
    }

    /// Counts the popups and groups that a command visits.
    ///
    /// - Throws: `OVERLOAD` if the frame visits too many.
    mutating func spendVisits(of content: WireCommand.OneOf_Command) throws(CommandRefusal) {
        let visits = try admission.spendVisits(
            of: content, in: state.scheduler, producers: state.producers.count)
        // Queries that are answered at once do not count towards the gathered batch, which waits for the one in flight.
        // A clear waits with it.
        if case .query = content, pipeline.isCommitting {
            replies.spend(visits: visits)
        } else {
            pipeline.gathered.recordVisits(visits)
        }
    }

    /// Returns the current answer to a query.
    mutating func answer(_ query: WireQuery) -> WireReply {
        var stats = WireStatsResult()
        if case .stats = query.query { stats = currentStats() }
        var answer = replies.answer(query, in: &state, at: now, stats: stats)
        if case .renderers = query.query { leases.addSilence(to: &answer.reply.renderers.renderers, at: time.clock) }
        return answer
    }

    /// Publishes a reply while a message is read.
    mutating func reply(_ reply: WireReply) {
        guard replies.begin() else { return }
        do { try publisher.publish(reply) } catch { replies.fail(error) }
    }
}
