import PopupProtocol

/// The common part of producers, renderers and administration clients: a connection to the broker.
public protocol BrokerClient: Sendable {
    /// The connection. Several clients may share it.
    var connection: BrokerConnection { get }
    /// The condition for which a command waits.
    var delivery: Delivery { get }
}

extension BrokerClient {
    /// Waits until the broker can receive commands.
    ///
    /// - Throws: `ClientError.notConnected` if that takes longer than `timeout`; `CancellationError`.
    public func connected(timeout: Duration = .seconds(5)) async throws {
        try await connection.connected(timeout: timeout)
    }

    /// Closes the connection for all clients that share it, and waits until everything that was sent has left the machine.
    public func close() async {
        await connection.close()
    }

    /// Sets the session of a group. Popups of its previous session close (`SESSION_ENDED`); those of the new one may be
    /// shown.
    ///
    /// - Parameters:
    ///   - session: The session; empty: none.
    ///   - group: The group.
    /// - Throws: The errors of `BrokerConnection.send`.
    public func setSession(_ session: String, of group: String) async throws {
        var command = WireSetSession()
        command.group = group
        command.session = session
        try await send(.setSession(command))
    }

    /// Returns the tree of pages with a name.
    public func pages(of tree: String) -> PageTree {
        PageTree(connection, name: tree, delivery: delivery)
    }

    func send(_ command: WireCommand.OneOf_Command) async throws {
        var frame = WireCommand()
        frame.command = command
        try await connection.send(frame, delivery: delivery)
    }
}
