import PopupProtocol
@_spi(Wire) public import PopupValues

/// A client that shows the popups of groups, and sends the answers of the user.
///
/// While it follows groups, it renews a lease for them, so that the broker knows that it is alive. The lease ends when the
/// last of its loops has ended, or the connection is closed. To follow groups without being a renderer, use
/// `AdminClient.states(of:)`.
public struct Renderer: BrokerClient {
    /// The sender of the reports on popups.
    public enum Reporting: Sendable {
        /// The library. A popup is displayed when the loop receives its state, and visible unless `setVisible` says
        /// otherwise. The report is repeated after an update of the popup, and after a lost connection.
        case automatic
        /// The application, by `report(_:on:)`: if a popup is not displayed as soon as the loop receives it.
        case manual
    }

    /// A report of a renderer on a popup.
    public enum Report: String, Sendable, CaseIterable {
        /// The renderer displays the popup.
        case displayed
        /// The user can see it; it is displayed, too.
        case visible
        /// The user cannot see it at present.
        case hidden
    }

    /// The connection. Several clients may share it.
    public let connection: BrokerConnection
    /// The name of the renderer. Several answers of one renderer count once.
    public let name: ClientToken
    /// The sender of the reports on popups.
    public let reporting: Reporting
    /// The condition for which dismissals and answers wait. If one is lost, the popup stays on screen, and delays the
    /// next ones.
    public let delivery: Delivery

    /// Creates a renderer on a connection.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - name: The name; `nil`: that of the connection. Renderers with the same name are one renderer to the broker.
    ///   - reporting: The sender of the reports on popups.
    ///   - delivery: The condition for which dismissals and answers wait.
    public init(
        _ connection: BrokerConnection, name: ClientToken? = nil, reporting: Reporting = .automatic,
        delivery: Delivery = .confirmed
    ) {
        self.connection = connection
        self.name = name ?? connection.client
        self.reporting = reporting
        self.delivery = delivery
    }

    /// Creates a renderer with a connection of its own.
    ///
    /// - Throws: `ClientError.socket` for an invalid endpoint.
    public init(
        _ endpoints: BrokerEndpoints = .standard, name: ClientToken? = nil, reporting: Reporting = .automatic,
        delivery: Delivery = .confirmed, limits: ClientLimits = ClientLimits()
    ) throws(ClientError) {
        self.init(
            try BrokerConnection(endpoints, limits: limits), name: name, reporting: reporting, delivery: delivery)
    }

    /// Returns a stream of what groups show, now and whenever it changes: the newest state of each group, and never an
    /// older one after it. Without the right `watch`, the stream throws.
    ///
    /// - Parameter groups: Names and patterns.
    /// - Throws: `ClientError`: `invalidGroup`, `tooManyLeasedGroups`, `tooManyStreams`, `closed`.
    public func states(of groups: String...) throws(ClientError) -> GroupStates {
        try states(of: groups)
    }

    /// Returns a stream of what groups show, now and whenever it changes.
    ///
    /// - Throws: The errors of the other `states(of:)`.
    public func states(of groups: [String]) throws(ClientError) -> GroupStates {
        try connection.states(
            for: RendererSubject(client: name.text, groups: groups, isReporting: reporting == .automatic))
    }

    /// Dismisses the active or offered popup of a state with an action of the user. If the popup has been updated or
    /// shown again since, the broker refuses it (`STALE`). For a state without a popup, nothing is sent.
    ///
    /// - Throws: The errors of `BrokerConnection.send`; a refusal as `ClientError.refused`.
    public func dismiss(_ state: GroupState, action: String) async throws {
        guard let popup = state.popup ?? state.offered else { return }
        var dismiss = WireDismiss()
        dismiss.id = popup.id
        dismiss.action = action
        dismiss.revision = popup.sinceRevision
        dismiss.client = name.text
        dismiss.group = state.group
        try await send(.dismiss(dismiss))
    }
}

// MARK: - Reports

extension Renderer {
    /// Reports whether the user can see this renderer: not while its window is covered or the device is locked. This
    /// applies to present and later popups, also before any group is followed. The initial value is true. Without effect
    /// with `Reporting.manual`.
    public func setVisible(_ isVisible: Bool) {
        connection.setVisible(isVisible, client: name.text)
    }

    /// Reports what the renderer did with the popup of a state, for `Reporting.manual`. For a state without a popup,
    /// nothing is sent.
    ///
    /// - Throws: The errors of `BrokerConnection.send`.
    public func report(_ report: Report, on state: GroupState) async throws {
        guard let popup = state.popup else { return }
        try await AdminClient(connection, delivery: delivery).report(report, on: popup.id, as: name)
    }
}

// MARK: - Offers

extension Renderer {
    /// Accepts an offer: the popup is shown now. For a state without an offer, nothing is sent.
    ///
    /// - Throws: The errors of `BrokerConnection.send`.
    public func accept(_ state: GroupState) async throws {
        try await answer(.accept, state)
    }

    /// Rejects an offer: the popup closes (`VETOED`).
    ///
    /// - Throws: The errors of `accept`.
    public func veto(_ state: GroupState) async throws {
        try await answer(.veto, state)
    }

    /// Postpones an offer: the popup returns to the queue, and is offered again in its turn.
    ///
    /// - Parameters:
    ///   - state: The state with the offer.
    ///   - delay: The least time before the next offer; `nil`: that of the group's policy.
    /// - Throws: The errors of `accept`.
    public func postpone(_ state: GroupState, after delay: Duration? = nil) async throws {
        try await answer(.later(after: delay), state)
    }

    private func answer(_ answer: OfferAnswer, _ state: GroupState) async throws {
        guard let popup = state.offered else { return }
        try await AdminClient(connection, delivery: delivery).answer(answer, to: popup.id, as: name)
    }
}

/// The answer to an offer.
public enum OfferAnswer: Hashable, Sendable {
    /// Show it.
    case accept
    /// Close it (`VETOED`).
    case veto
    /// Offer it again later, after at least this time; `nil`: that of the group's policy.
    case later(after: Duration?)
}
