/// The replies to queries that are answered while a message is read, because another batch is being committed.
struct EarlyReplies {
    /// The number of popups and groups visited in this turn.
    private(set) var visits = 0
    /// Whether the current message has received a reply.
    private(set) var hasReplied = false
    /// The error of the transport while a reply was published.
    private var failure: (any Error)?

    init() {}

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
