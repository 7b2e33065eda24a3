import PopupProtocol
@_spi(Wire) public import PopupValues

/// A client that asks for popups.
///
/// Each call returns when the broker has committed the command, unless `delivery` says otherwise.
/// `AdminClient.events(of:)` reports what happens to the popup afterwards. All calls throw the errors of
/// `BrokerConnection.send`.
public struct Producer: BrokerClient {
    /// The connection. Several clients may share it.
    public let connection: BrokerConnection
    /// The condition for which a call waits.
    public let delivery: Delivery

    /// Creates a producer on a connection.
    public init(_ connection: BrokerConnection, delivery: Delivery = .confirmed) {
        self.connection = connection
        self.delivery = delivery
    }

    /// Creates a producer with a connection of its own.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints of the broker.
    ///   - delivery: The condition for which `show` and `update` wait.
    ///   - outbox: The path of a file that keeps popups until the broker has settled them, also after the end of this
    ///     process: see `submit` and `BrokerConnection.outbox`.
    ///   - limits: The limits of queues and waiting times.
    /// - Throws: The errors of `BrokerConnection.init`.
    public init(
        _ endpoints: BrokerEndpoints = .standard, delivery: Delivery = .confirmed, outbox: String? = nil,
        limits: ClientLimits = ClientLimits()
    ) throws(ClientError) {
        self.init(try BrokerConnection(endpoints, limits: limits, outbox: outbox), delivery: delivery)
    }

    /// Asks for a popup, and returns when the broker has committed it, unless `delivery` says otherwise.
    ///
    /// - Throws: The errors of `BrokerConnection.send`.
    /// - Returns: Its id; made here if it has none. Use it to update, cancel or repeat the popup.
    @discardableResult
    public func show(_ popup: Popup) async throws -> String {
        let popup = popup.named()
        try await send(.show(popup.wire))
        return popup.id
    }

    /// Asks for many popups without waiting for each. They are sent in few frames. See `flush`.
    ///
    /// - Throws: `ClientError`: `refused`, `tooLarge`, `queueFull`, `closed`. The popups before the failed one are sent.
    /// - Returns: Their ids, as for `show`.
    @discardableResult
    public func enqueue(_ popups: some Sequence<Popup>) throws(ClientError) -> [String] {
        var ids: [String] = []
        for popup in popups {
            let popup = popup.named()
            var command = WireCommand()
            command.show = popup.wire
            try connection.enqueue(command, delivery: delivery)
            ids.append(popup.id)
        }
        return ids
    }

    /// Asks for popups, and returns when they are safe: with an outbox as soon as they are on disk, even without a broker;
    /// without an outbox when the broker has settled them. `flush` reports which ones the broker refuses.
    ///
    /// - Throws: The errors of `BrokerConnection.submit`.
    /// - Returns: Their ids, as for `show`.
    @discardableResult
    public func submit(_ popups: some Sequence<Popup>) async throws -> [String] {
        let commands = popups.map { popup in
            var command = WireCommand()
            command.show = popup.named().wire
            return command
        }
        try await connection.submit(commands)
        return commands.map(\.show.id)
    }

    /// Waits until the broker has settled all commands of the connection so far, and reports what it refused. With
    /// `Delivery.bestEffort`, it waits until they are sent.
    ///
    /// - Throws: The errors of `BrokerConnection.flush`.
    public func flush() async throws {
        try await connection.flush()
    }

    /// Changes a live popup in place. Fields that the update does not have stay as they are.
    ///
    /// - Throws: The errors of `BrokerConnection.send`.
    public func update(_ update: PopupUpdate) async throws {
        try await send(.update(update.wire))
    }

    /// Closes a popup that is no longer needed (`DISMISSED`).
    ///
    /// - Parameters:
    ///   - id: The popup.
    ///   - group: Its group, which the broker checks; empty for any.
    ///   - action: The action that its event names; empty for none.
    /// - Throws: The errors of `BrokerConnection.send`.
    public func cancel(_ id: String, of group: String = "", action: String = "") async throws {
        var dismiss = WireDismiss()
        dismiss.id = id
        dismiss.group = group
        dismiss.action = action
        try await send(.dismiss(dismiss))
    }
}
