public import PopupClient

extension AdminClient {
    /// Returns the events of groups from now on. When it returns, the broker has the subscription, so no event of a
    /// later command is missed, whoever sends the command.
    ///
    /// A query is answered on the same connection, after the subscription; its answer shows that both have arrived.
    ///
    /// - Throws: `ClientError`, such as `notConnected` without a broker.
    public func listening(to groups: [String]) async throws -> Events {
        let events = try events(of: groups)
        _ = try await statistics()
        return events
    }
}
