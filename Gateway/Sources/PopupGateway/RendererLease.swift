internal import PopupClient
import PopupProtocol
import Synchronization

/// The lease of a stream that shows popups: the broker counts it as a renderer while the stream is open, and for
/// another 3 s, so that a reconnect is not a loss.
final class RendererLease: Sendable {
    private let reports: RendererReports?
    private let rope: AsyncStream<Void>.Continuation
    private let tasks: [Task<Void, Never>]

    /// Creates a lease of groups.
    ///
    /// - Parameters:
    ///   - connection: The connection of the lease.
    ///   - reportConnection: The connection of the gateway's reports. That of the renderer's own reports, so that the
    ///     broker gets both in order.
    ///   - isReporting: Whether the gateway reports popups as displayed and visible.
    /// - Throws: `ClientError.tooManyLeasedGroups`, `tooManyStreams`, `closed`.
    init(
        _ connection: BrokerConnection, _ client: ClientToken, _ groups: [String],
        reportingOn reportConnection: BrokerConnection, isReporting: Bool
    ) throws(ClientError) {
        let states = try Renderer(connection, name: client, reporting: .manual).states(of: groups)
        let (rings, rope) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let reports = isReporting ? RendererReports() : nil
        self.reports = reports
        self.rope = rope
        tasks = [
            Task {
                do {
                    // The lease lasts as long as the loop; the stream has the states from the hub.
                    for try await _ in states {}
                } catch {
                    // The connection is closed, and the lease with it.
                }
            },
            Task {
                let admin = AdminClient(reportConnection)
                for await _ in rings {
                    // Reports are not acknowledged. A report that is lost with the connection is repeated after the
                    // reconnect.
                    await reports?.report { popup in
                        try? await admin.report(.displayed, on: popup, as: client)
                    } visible: { popup in
                        var report = WireReport()
                        (report.id, report.client, report.visible) = (popup, client.text, WireEmpty())
                        var command = WireCommand()
                        command.report = report
                        try? reportConnection.enqueue(command, delivery: .bestEffort)
                    }
                }
            },
        ]
    }

    /// Records the popup of an item that is about to be written.
    func take(_ item: Watch.Item) {
        reports?.take(item)
    }

    /// Reports the recorded popups as displayed and visible, since their bytes are written.
    func report() {
        if reports?.recordWritten() == true { rope.yield() }
    }

    /// Records that the renderer is about to report on a popup by itself.
    fileprivate func recordReport(ofRendererOn popup: String, in group: String) {
        reports?.recordReport(ofRendererOn: popup, in: group)
    }

    /// Ends the lease after 3 s.
    ///
    /// - Parameter onEnd: Called when it ends.
    func endLater(onEnd: @escaping @Sendable () -> Void) {
        let (tasks, rope) = (tasks, rope)
        Task {
            try? await Task.sleep(for: .seconds(3))
            rope.finish()
            for task in tasks { task.cancel() }
            onEnd()
        }
    }
}

/// The leases that have not ended, by renderer. A renderer that reconnects has two for a while.
final class RendererLeases: Sendable {
    private let leases = Mutex<[ClientToken: [RendererLease]]>([:])

    /// Adds a lease of a renderer.
    func add(_ lease: RendererLease, of client: ClientToken) {
        leases.withLock { $0[client, default: []].append(lease) }
    }

    /// Ends a lease after 3 s, and removes it.
    func endLater(_ lease: RendererLease, of client: ClientToken) {
        lease.endLater { [weak self] in
            self?.leases.withLock { leases in
                leases[client]?.removeAll { $0 === lease }
                if leases[client]?.isEmpty == true { leases[client] = nil }
            }
        }
    }

    /// Records that a renderer is about to report on a popup: the gateway must not report it as visible afterwards.
    func recordReport(_ report: WireReport) {
        guard let client = ClientToken(report.client) else { return }
        for lease in leases.withLock({ $0[client] }) ?? [] {
            lease.recordReport(ofRendererOn: report.id, in: report.group)
        }
    }
}
