public import PopupProtocol

/// Controls a broker and asks it questions.
///
/// Commands return when the broker has committed them, unless `delivery` says otherwise, and throw as
/// `BrokerConnection.send`. A question is answered after the commands that were sent before it on the same connection
/// have been applied.
public struct AdminClient: BrokerClient {
    /// The connection, which others may share.
    public let connection: BrokerConnection
    /// What its commands wait for.
    public let delivery: Delivery

    /// A console on a connection.
    public init(_ connection: BrokerConnection, delivery: Delivery = .confirmed) {
        self.connection = connection
        self.delivery = delivery
    }

    /// A console with a connection of its own.
    ///
    /// - Throws: `ClientError.socket` for an endpoint that is none.
    public init(
        _ endpoints: BrokerEndpoints = .standard, delivery: Delivery = .confirmed,
        limits: ClientLimits = ClientLimits()
    ) throws(ClientError) {
        self.init(try BrokerConnection(endpoints, limits: limits), delivery: delivery)
    }
}

// MARK: - Commands

extension AdminClient {
    /// Asks for a popup, as it is: without an id the broker makes one.
    public func show(_ popup: Popup) async throws {
        try await send(.show(popup))
    }

    /// Changes a live popup in place.
    public func update(_ update: PopupUpdate) async throws {
        try await send(.update(update))
    }

    /// Closes a popup, with what the person did.
    ///
    /// - Parameters:
    ///   - revision: what it answers: refused `STALE` when the popup changed since.
    ///   - client: the renderer that it counts for, where several have to dismiss the popup; nil: it closes at once.
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

    /// Closes whichever popup the group shows.
    public func advance(_ group: String) async throws {
        var advance = WireAdvance()
        advance.group = group
        try await send(.advance(advance))
    }

    /// Closes the popups that a selector chooses. One that names nothing is refused (`INVALID`): everything is the
    /// group `*`.
    public func clear(_ selector: PopupSelector) async throws {
        var clear = WireClear()
        clear.selector = selector
        try await send(.clear(clear))
    }

    /// Keeps popups off the screens of groups until the token is released.
    ///
    /// - Parameter minPriority: those of this priority and above are shown; nil: none.
    public func suspend(_ groups: String, token: String, minPriority: Int32? = nil) async throws {
        var suspend = WireSuspend()
        suspend.group = groups
        suspend.token = token
        if let minPriority { suspend.minPriority = minPriority }
        try await send(.suspend(suspend))
    }

    /// Releases a suspension.
    public func resume(_ token: String) async throws {
        var resume = WireResume()
        resume.token = token
        try await send(.resume(resume))
    }

    /// Sets the rules of a group or pattern, in place of its earlier ones.
    public func setPolicy(_ policy: GroupPolicy) async throws {
        try await send(.setPolicy(policy))
    }
}

// MARK: - What can be followed

extension AdminClient {
    /// What groups show now, and as it changes.
    ///
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyStreams`, `closed`.
    public func states(of groups: [String]) throws(ClientError) -> GroupStates {
        try connection.states(of: groups)
    }

    /// What happens to the popups of groups.
    ///
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyStreams`, `closed`.
    public func events(of groups: [String]) throws(ClientError) -> Events {
        try connection.events(of: groups)
    }
}
