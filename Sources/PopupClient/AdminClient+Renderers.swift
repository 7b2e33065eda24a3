import PopupProtocol
@_spi(Wire) public import PopupValues

// Reports and answers by popup instead of by state, for renderers without `Renderer`, tools and tests. All methods
// throw the errors of `BrokerConnection.send`. A report has no acknowledgement, because renderers repeat their reports;
// events show what the broker refuses of them (`STALE`, `NOT_FOUND`).
extension AdminClient {
    /// Reports what a renderer did with the active popup of its group.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - id: The popup.
    ///   - client: The renderer. Without a lease (`Renderer` keeps one), it counts as displaying the popup until it closes.
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
    /// - Parameters:
    ///   - answer: The answer.
    ///   - id: The popup.
    ///   - client: The renderer.
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
