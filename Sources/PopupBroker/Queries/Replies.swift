import PopupProtocol
import PopupScheduling
import PopupState

/// The replies to queries.
///
/// While another batch is being committed, they are published as soon as a query is read: to collect the replies to a
/// frame full of queries would need much memory. An error of the transport waits until the message is read.
struct Replies {
    private var queryHandler: QueryHandler
    /// The number of popups and groups that were visited in this turn for replies while messages were read.
    private(set) var visits = 0
    /// Whether the current message has received a reply.
    private(set) var hasReplied = false
    /// The error of the transport while a reply was published.
    private var failure: (any Error)?

    /// - Parameter queryResults: The maximum number of results of a query.
    init(queryResults: Int) { queryHandler = QueryHandler(queryResults: queryResults) }

    /// Returns the present answer to a query.
    ///
    /// - Parameter stats: The counters of the broker, if it asks for them.
    mutating func answer(
        _ query: WireQuery, in state: inout BrokerState, at now: Milliseconds, stats: WireStatsResult
    ) -> WireReply { state.answer(query, by: &queryHandler, at: now, stats: stats) }

    // MARK: - While a message is read

    mutating func beginTurn() { visits = 0 }

    mutating func spend(visits: Int) { self.visits += visits }

    /// Begins a reply. Returns whether to publish it: the transport has not failed.
    mutating func begin() -> Bool {
        hasReplied = true
        return failure == nil
    }

    /// Records that the transport has failed.
    mutating func fail(_ error: any Error) { failure = error }

    /// Ends the replies to a message that has been read.
    ///
    /// - Throws: The error of the transport while they were published.
    mutating func endMessage() throws {
        hasReplied = false
        if let failure = failure.take() { throw failure }
    }
}

extension WireReply {
    /// Creates the reply to a query that is refused.
    init(to query: WireQuery, refusedFor refusal: CommandRefusal) {
        self.init(to: query, .refused(EventEncoder.refused(refusal)))
    }
}
