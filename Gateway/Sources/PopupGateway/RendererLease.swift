@_spi(Wire) internal import PopupClient
import PopupProtocol
import Synchronization

/// The lease of a stream that shows popups: the broker counts it as a renderer while the stream is open, and for
/// another 3 s, so that a reconnect is not a loss.
final class RendererLease: Sendable {
    /// The showings of the renderer, and the reports of the gateway.
    private let reports: RendererReports
    private let client: ClientToken
    private let tabs: RendererTabs
    private let reportConnection: BrokerConnection
    private let rope: AsyncStream<Void>.Continuation
    private let tasks: [Task<Void, Never>]

    /// Creates a lease of groups.
    ///
    /// - Parameters:
    ///   - connection: The connection of the lease.
    ///   - tab: The tab of the renderer that has the stream; `nil` if it has no name.
    ///   - tabs: The tabs of all renderers, until the lease ends also this one.
    ///   - reportConnection: The connection of the gateway's reports. That of the renderer's own reports, so that the
    ///     broker gets both in order.
    ///   - isReporting: Whether the gateway reports popups as displayed and visible.
    ///   - checkTime: Checks the time that the popup of a group has left.
    /// - Throws: `ClientError.tooManyLeasedGroups`, `tooManyStreams`, `closed`.
    init(
        _ connection: BrokerConnection, _ client: ClientToken, _ groups: [String], tab: ClientToken?,
        of tabs: RendererTabs, reportingOn reportConnection: BrokerConnection, isReporting: Bool,
        checkTime: @escaping @Sendable (_ group: String) -> Void
    ) throws(ClientError) {
        let states = try Renderer(connection, name: client, reporting: .manual).states(of: groups)
        let (rings, rope) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let reports = RendererReports(isReporting: isReporting)
        tabs.add(reports, of: client, tab: tab)
        self.reports = reports
        self.tabs = tabs
        self.rope = rope
        self.client = client
        self.reportConnection = reportConnection
        tasks = [
            Task {
                do {
                    // The lease lasts as long as the loop; the stream has the states from the hub.
                    for try await _ in states {}
                } catch {
                    // The connection is closed, or the gateway's user may not watch the groups: no lease any more.
                }
            },
            Task {
                let admin = AdminClient(reportConnection)
                for await _ in rings {
                    // Reports are not acknowledged. A report that is lost with the connection is repeated after the
                    // reconnect.
                    await reports.report { popup in
                        try? await admin.report(.displayed, on: popup, as: client)
                    } visible: { shown, isOld in
                        Self.report(.visible(WireEmpty()), on: shown.popup, as: client, to: reportConnection)
                        // Nobody may have seen it until now.
                        if isOld { checkTime(shown.group) }
                    } alone: { body in
                        tabs.whileNoneReports(body)
                    }
                }
            },
        ]
    }

    /// Records the popup of an item that is about to be written.
    func take(_ item: Watch.Item, at now: ContinuousClock.Instant) {
        reports.take(item, at: now)
    }

    /// Reports the recorded popups as displayed and visible, since their bytes are written.
    func report() {
        if reports.recordWritten() { rope.yield() }
    }

    private static func report(
        _ report: WireReport.OneOf_Report, on popup: String, as client: ClientToken, to connection: BrokerConnection
    ) {
        var wire = WireReport()
        (wire.id, wire.client) = (popup, client.text)
        wire.report = report
        var command = WireCommand()
        command.report = wire
        try? connection.enqueue(command, delivery: .bestEffort)
    }

    /// Ends the lease after 3 s. Then, what no other tab of the renderer shows is reported as hidden.
    func endLater() {
        Task {
            try? await Task.sleep(for: .seconds(3))
            rope.finish()
            for task in tasks { task.cancel() }
            tabs.remove(reports, of: client) { shown in
                Self.report(.hidden(WireEmpty()), on: shown.popup, as: client, to: reportConnection)
            }
        }
    }
}
