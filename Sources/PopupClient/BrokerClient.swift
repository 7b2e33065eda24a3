import PopupProtocol

/// What producers, renderers and consoles have in common: a connection to the broker.
public protocol BrokerClient: Sendable {
    /// The connection, which several of them may share.
    var connection: BrokerConnection { get }
    /// What its commands wait for.
    var delivery: Delivery { get }
}

extension BrokerClient {
    /// Waits until the broker takes commands.
    ///
    /// - Throws: `ClientError.notConnected` when it does not come about in time, `CancellationError`.
    public func connected(timeout: Duration = .seconds(5)) async throws {
        try await connection.connected(timeout: timeout)
    }

    /// Closes the connection, for all that share it, and waits until what was sent has left the machine.
    public func close() async {
        await connection.close()
    }

    /// Changes a group's session: popups of the old one close (`SESSION_ENDED`), those of the new one may be shown.
    ///
    /// - Parameter session: empty: none.
    /// - Throws: as `BrokerConnection.send`.
    public func setSession(_ session: String, of group: String) async throws {
        var command = WireSetSession()
        command.group = group
        command.session = session
        try await send(.setSession(command))
    }

    /// A tree of pages, by its name.
    public func pages(of tree: String) -> PageTree {
        PageTree(connection, name: tree, delivery: delivery)
    }

    func send(_ command: WireCommand.OneOf_Command) async throws {
        var frame = WireCommand()
        frame.command = command
        try await connection.send(frame, delivery: delivery)
    }
}
