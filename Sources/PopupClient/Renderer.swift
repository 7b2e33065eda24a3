public import PopupProtocol

/// Shows what groups show, and tells what the person did.
///
/// While it follows groups it keeps a lease of them, so that the broker knows that it lives; it leaves when the last of
/// its loops has ended, or the connection is closed. To look at groups without counting as a renderer, use
/// `AdminClient.states(of:)`.
public struct Renderer: BrokerClient {
    /// Who tells the broker what is on screen.
    public enum Reporting: Sendable {
        /// The library: a popup is displayed when the loop is given its screen, and visible unless `setVisible` says
        /// that nothing is. It is told again when the popup has been updated, or the connection was lost meanwhile.
        case automatic
        /// The application, with `report(_:on:)`: when a popup that the loop was given is not on screen at once.
        case manual
    }

    /// What a renderer did with a popup.
    public enum Report: String, Sendable, CaseIterable {
        /// Put it on screen.
        case displayed
        /// The person can see it; it is displayed, too.
        case visible
        /// The person can't see it for now.
        case hidden
    }

    /// The connection, which others may share.
    public let connection: BrokerConnection
    /// Names the renderer: several answers of one renderer count once.
    public let name: ClientToken
    /// Who tells the broker what is on screen.
    public let reporting: Reporting
    /// What dismissals and answers wait for. A lost one would leave the popup on screen and hold up what waits behind
    /// it.
    public let delivery: Delivery

    /// A renderer on a connection.
    ///
    /// - Parameters:
    ///   - name: nil: the connection's. Renderers of one name on one connection are one to the broker.
    ///   - reporting: who tells the broker what is on screen.
    ///   - delivery: what dismissals and answers wait for.
    public init(
        _ connection: BrokerConnection, name: ClientToken? = nil, reporting: Reporting = .automatic,
        delivery: Delivery = .confirmed
    ) {
        self.connection = connection
        self.name = name ?? connection.client
        self.reporting = reporting
        self.delivery = delivery
    }

    /// A renderer with a connection of its own.
    ///
    /// - Throws: `ClientError.socket` for an endpoint that is none.
    public init(
        _ endpoints: BrokerEndpoints = .standard, name: ClientToken? = nil, reporting: Reporting = .automatic,
        delivery: Delivery = .confirmed, limits: ClientLimits = ClientLimits()
    ) throws(ClientError) {
        self.init(
            try BrokerConnection(endpoints, limits: limits), name: name, reporting: reporting, delivery: delivery)
    }

    /// What groups show now, and as it changes: the newest screen of each, never an older one after it.
    ///
    /// - Parameter groups: names and patterns.
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyLeasedGroups`, `tooManyStreams`, `closed`.
    public func states(of groups: String...) throws(ClientError) -> GroupStates {
        try states(of: groups)
    }

    /// What groups show now, and as it changes.
    ///
    /// - Throws: as the other `states(of:)`.
    public func states(of groups: [String]) throws(ClientError) -> GroupStates {
        try connection.states(
            for: RendererSubject(client: name.text, groups: groups, isReporting: reporting == .automatic))
    }

    /// The person is done with the popup of a screen, shown or offered. It answers that screen: when the popup has been
    /// updated or shown again since, the broker refuses it (`STALE`).
    ///
    /// - Throws: as `BrokerConnection.send`, the refusal as `ClientError.refused`. A screen without a popup: nothing is
    ///   sent.
    public func dismiss(_ screen: GroupState, action: String) async throws {
        guard let popup = screen.popup ?? screen.offered else { return }
        var dismiss = WireDismiss()
        dismiss.id = popup.id
        dismiss.action = action
        dismiss.revision = popup.sinceRevision
        dismiss.client = name.text
        dismiss.group = screen.group
        try await send(.dismiss(dismiss))
    }
}

// MARK: - What is on screen

extension Renderer {
    /// Tells whether the person can see what this renderer shows: it is hidden while its window is covered or the
    /// device is locked. It holds for what is on screen now and what comes, also before anything is followed; at first
    /// it is true. With `Reporting.manual` it does nothing.
    public func setVisible(_ isVisible: Bool) {
        connection.setVisible(isVisible, client: name.text)
    }

    /// Tells what became of the popup of a screen, for an application that reports itself.
    ///
    /// - Throws: as `BrokerConnection.send`. A screen without a popup: nothing is sent.
    public func report(_ report: Report, on screen: GroupState) async throws {
        guard let popup = screen.popup else { return }
        try await AdminClient(connection, delivery: delivery).report(report, on: popup.id, as: name)
    }
}

// MARK: - Offers

extension Renderer {
    /// Answers an offer: the popup is shown now.
    ///
    /// - Throws: as `BrokerConnection.send`. A screen that offers nothing: nothing is sent.
    public func accept(_ screen: GroupState) async throws {
        try await answer(.accept, screen)
    }

    /// Answers an offer: the popup closes (`VETOED`).
    ///
    /// - Throws: as `accept`.
    public func veto(_ screen: GroupState) async throws {
        try await answer(.veto, screen)
    }

    /// Answers an offer: not now. The popup goes back into the queue and is offered again in its turn.
    ///
    /// - Parameter delay: not sooner than after it; nil: as long as the group's policy says.
    /// - Throws: as `accept`.
    public func postpone(_ screen: GroupState, after delay: Duration? = nil) async throws {
        try await answer(.later(after: delay), screen)
    }

    private func answer(_ answer: OfferAnswer, _ screen: GroupState) async throws {
        guard let popup = screen.offered else { return }
        try await AdminClient(connection, delivery: delivery).answer(answer, to: popup.id, as: name)
    }
}

/// The answer to an offer.
public enum OfferAnswer: Hashable, Sendable {
    /// Show it.
    case accept
    /// Close it (`VETOED`).
    case veto
    /// Not now: not sooner than after this time; nil: as long as the group's policy says.
    case later(after: Duration?)
}
