public import PopupProtocol

/// Shows what groups show, and tells what the person did.
public struct Renderer: BrokerClient {
    /// The connection, which others may share.
    public let connection: BrokerConnection
    /// Names the renderer: several answers of one renderer count once.
    public let name: ClientToken

    /// A renderer on a connection.
    ///
    /// - Parameter name: nil: the connection's.
    public init(_ connection: BrokerConnection, name: ClientToken? = nil) {
        self.connection = connection
        self.name = name ?? connection.client
    }

    /// A renderer with a connection of its own.
    ///
    /// - Throws: `ClientError.socket` for an endpoint that is none.
    public init(
        _ endpoints: BrokerEndpoints = .standard, name: ClientToken? = nil, limits: ClientLimits = ClientLimits()
    ) throws(ClientError) {
        self.init(try BrokerConnection(endpoints, limits: limits), name: name)
    }

    /// What groups show now, and as it changes: the newest screen of each, never an older one after it.
    ///
    /// - Parameter groups: names and patterns.
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyStreams`, `closed`.
    public func screens(of groups: String...) throws(ClientError) -> Screens {
        try connection.screens(of: groups)
    }

    /// The person is done with the popup of a screen. It answers that screen: when the popup has been updated or shown
    /// again since, the broker refuses it (`STALE`).
    ///
    /// - Throws: as `BrokerConnection.send`. A screen without a popup: nothing is sent.
    public func dismiss(_ screen: Screen, action: String) async throws {
        guard let popup = screen.popup else { return }
        var dismiss = WireDismiss()
        dismiss.id = popup.id
        dismiss.action = action
        dismiss.revision = popup.sinceRevision
        dismiss.client = name.text
        try await send(.dismiss(dismiss))
    }
}
