public import PopupProtocol

// What a renderer tells, by popup instead of by screen: for renderers of one's own making, tools and tests. All throw
// as `BrokerConnection.send`. A report goes without an acknowledgement, as it is told again while a renderer follows
// its group; what the broker refuses of it (`STALE`, `NOT_FOUND`) is told by events.
extension AdminClient {
    /// Tells what a renderer did with the popup that its group shows.
    ///
    /// - Parameter client: the renderer. Without a lease (`Renderer` keeps one) it counts as displaying for good.
    public func report(_ report: Renderer.Report, on id: String, as client: ClientToken) async throws {
        var command = WireReport()
        command.id = id
        command.client = client.text
        command.report =
            switch report {
            case .displayed: .displayed(WireEmpty())
            case .visible: .visible(WireEmpty())
            case .hidden: .hidden(WireEmpty())
            }
        try await send(.report(command))
    }

    /// Answers the offer of a popup.
    ///
    /// - Parameter client: the renderer.
    public func answer(_ answer: OfferAnswer, to id: String, as client: ClientToken) async throws {
        var command = WireAnswer()
        command.id = id
        command.client = client.text
        switch answer {
        case .accept: command.accept = WireEmpty()
        case .veto: command.veto = WireEmpty()
        case .later(let delay):
            command.later = WireLater()
            if let delay { command.later.retryMs = delay.wireMilliseconds }
        }
        try await send(.answer(command))
    }
}
