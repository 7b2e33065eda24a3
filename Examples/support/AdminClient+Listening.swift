public import PopupClient

extension AdminClient {
    /// The events of groups from now on: when it returns the broker has the subscription, so that nothing which is
    /// sent afterwards, by anybody, is missed.
    ///
    /// A question is answered on the same connection, behind the subscription; its answer tells that both are there.
    ///
    /// - Throws: `ClientError`, `notConnected` when there is no broker.
    public func listening(to groups: [String]) async throws -> Events {
        let events = try events(of: groups)
        _ = try await statistics()
        return events
    }
}
