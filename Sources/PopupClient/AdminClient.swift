import PopupProtocol
@_spi(Wire) public import PopupValues

/// A client that controls a broker and queries it.
///
/// Commands return when the broker has committed them, unless `delivery` says otherwise. They throw the errors of
/// `BrokerConnection.send`. A query is answered after the commands that were sent before it on the same connection have
/// been applied. It throws `ClientError.refused` if the broker refuses it, `ClientError.noReply` if no reply arrives
/// within `limits.replyTimeout`, and the errors of `BrokerConnection.send`.
public struct AdminClient: BrokerClient {
    /// The connection. Several clients may share it.
    public let connection: BrokerConnection
    /// The condition for which a command waits.
    public let delivery: Delivery

    /// Creates an administration client on a connection.
    public init(_ connection: BrokerConnection, delivery: Delivery = .confirmed) {
        self.connection = connection
        self.delivery = delivery
    }

    /// Creates an administration client with a connection of its own.
    ///
    /// - Throws: `ClientError.socket` for an invalid endpoint.
    public init(
        _ endpoints: BrokerEndpoints = .standard, delivery: Delivery = .confirmed,
        limits: ClientLimits = ClientLimits()
    ) throws(ClientError) {
        self.init(try BrokerConnection(endpoints, limits: limits), delivery: delivery)
    }
}

// MARK: - Commands

extension AdminClient {
    /// Asks for a popup as it is. If it has no id, the broker makes one. A live or remembered id has no effect.
    ///
    /// - Throws: The errors of `BrokerConnection.send`.
    public func show(_ popup: Popup) async throws {
        try await send(.show(popup.wire))
    }

    /// Changes a live popup in place. Fields that the update does not have stay as they are.
    ///
    /// - Throws: The errors of `BrokerConnection.send`.
    public func update(_ update: PopupUpdate) async throws {
        try await send(.update(update.wire))
    }

    /// Closes a popup with the action of the user.
    ///
    /// - Parameters:
    ///   - id: The popup.
    ///   - action: The action of the user; empty for none.
    ///   - revision: The revision that it answers; refused `STALE` if the popup has changed since.
    ///   - client: The renderer for which it counts towards a quorum; `nil`: the popup closes at once.
    public func dismiss(
        _ id: String, action: String = "", revision: UInt64? = nil, client: ClientToken? = nil
    ) async throws {
        var dismiss = WireDismiss()
        dismiss.id = id
        dismiss.action = action
        if let revision { dismiss.revision = revision }
        dismiss.client = client?.text ?? ""
        try await send(.dismiss(dismiss))
    }

    /// Closes the active popup of a group. Without effect if it shows none.
    ///
    /// - Throws: The errors of `BrokerConnection.send`.
    public func advance(_ group: String) async throws {
        var advance = WireAdvance()
        advance.group = group
        try await send(.advance(advance))
    }

    /// Closes the selected popups. An empty selector is refused (`INVALID`); the group `*` selects all popups.
    public func clear(_ selector: PopupSelector) async throws {
        var clear = WireClear()
        clear.selector = selector.wire
        try await send(.clear(clear))
    }

    /// Suspends groups until `resume` with the same token.
    ///
    /// - Parameters:
    ///   - groups: The group or pattern.
    ///   - token: The name of the suspension, for `resume`.
    ///   - minPriority: Popups of this priority and above are shown nevertheless; `nil`: none.
    public func suspend(_ groups: String, token: String, minPriority: Int32? = nil) async throws {
        var suspend = WireSuspend()
        suspend.group = groups
        suspend.token = token
        if let minPriority { suspend.minPriority = minPriority }
        try await send(.suspend(suspend))
    }

    /// Ends a suspension.
    public func resume(_ token: String) async throws {
        var resume = WireResume()
        resume.token = token
        try await send(.resume(resume))
    }

    /// Sets the policy of a group or pattern. It replaces the earlier one completely.
    public func setPolicy(_ policy: GroupPolicy) async throws {
        try await send(.setPolicy(policy.wire))
    }

    /// Removes the policy of a group or pattern. If the configuration has one for it, that one is in force again.
    public func unsetPolicy(_ groups: String) async throws {
        var unset = WireUnsetPolicy()
        unset.group = groups
        try await send(.unsetPolicy(unset))
    }
}

// MARK: - Streams

extension AdminClient {
    /// Returns a stream of what groups show, now and whenever it changes. Without the right `watch`, the stream throws.
    ///
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyStreams`, `closed`.
    public func states(of groups: [String]) throws(ClientError) -> GroupStates {
        try connection.states(of: groups)
    }

    /// Returns a stream of the events of groups. Without the right `events`, the stream throws.
    ///
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyStreams`, `closed`.
    public func events(of groups: [String]) throws(ClientError) -> Events {
        try connection.events(of: groups)
    }
}
