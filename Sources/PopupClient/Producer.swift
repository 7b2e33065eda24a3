public import PopupProtocol

/// Asks for popups.
///
/// Each call returns when the broker has committed the command, unless `delivery` says otherwise; what the scheduler
/// makes of it is told by `AdminClient.events(of:)`. All throw as `BrokerConnection.send`.
public struct Producer: BrokerClient {
    /// The connection, which others may share.
    public let connection: BrokerConnection
    /// What its calls wait for.
    public let delivery: Delivery

    /// A producer on a connection.
    public init(_ connection: BrokerConnection, delivery: Delivery = .confirmed) {
        self.connection = connection
        self.delivery = delivery
    }

    /// A producer with a connection of its own.
    ///
    /// - Parameter outbox: the path of a file that keeps what was asked for until the broker has it, through the end of
    ///   this process: see `submit` and `BrokerConnection.outbox`.
    /// - Throws: as `BrokerConnection.init`.
    public init(
        _ endpoints: BrokerEndpoints = .standard, delivery: Delivery = .confirmed, outbox: String? = nil,
        limits: ClientLimits = ClientLimits()
    ) throws(ClientError) {
        self.init(try BrokerConnection(endpoints, limits: limits, outbox: outbox), delivery: delivery)
    }

    /// Asks for a popup.
    ///
    /// - Returns: its id, made here when it has none: with it the popup can be updated, withdrawn, and sent again.
    @discardableResult
    public func show(_ popup: Popup) async throws -> String {
        let popup = popup.named()
        try await send(.show(popup))
        return popup.id
    }

    /// Asks for many popups without waiting for each: they go in few frames. See `flush`.
    ///
    /// - Throws: `ClientError`: `refused`, `tooLarge`, `queueFull`, `closed`; those before the one that failed are
    ///   sent.
    /// - Returns: their ids, as of `show`.
    @discardableResult
    public func enqueue(_ popups: some Sequence<Popup>) throws(ClientError) -> [String] {
        var ids: [String] = []
        for popup in popups {
            let popup = popup.named()
            var command = WireCommand()
            command.show = popup
            try connection.enqueue(command, delivery: delivery)
            ids.append(popup.id)
        }
        return ids
    }

    /// Asks for popups and returns when that is safe: with an outbox file as soon as it is on disk, also while no
    /// broker is there; without one when the broker has settled it. What it refuses of them is told by `flush`.
    ///
    /// - Throws: as `BrokerConnection.submit`.
    /// - Returns: their ids, as of `show`.
    @discardableResult
    public func submit(_ popups: some Sequence<Popup>) async throws -> [String] {
        let commands = popups.map { popup in
            var command = WireCommand()
            command.show = popup.named()
            return command
        }
        try await connection.submit(commands)
        return commands.map(\.show.id)
    }

    /// Waits until the broker has settled all that was asked for so far on the connection and tells what it refused;
    /// with `Delivery.bestEffort`, until it is under way.
    ///
    /// - Throws: as `BrokerConnection.flush`.
    public func flush() async throws {
        try await connection.flush()
    }

    /// Changes a live popup in place.
    public func update(_ update: PopupUpdate) async throws {
        try await send(.update(update))
    }

    /// Closes a popup (`DISMISSED`): it is no longer needed.
    public func cancel(_ id: String, action: String = "") async throws {
        var dismiss = WireDismiss()
        dismiss.id = id
        dismiss.action = action
        try await send(.dismiss(dismiss))
    }
}

extension WirePopup {
    fileprivate func named() -> WirePopup {
        guard id.isEmpty else { return self }
        var generator = SystemRandomNumberGenerator()
        var popup = self
        popup.id = ProducerName(using: &generator).description
        return popup
    }
}
