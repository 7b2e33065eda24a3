internal import PopupClient
internal import Synchronization

/// The lease of a stream that shows popups: the broker counts it as a renderer while the stream is open, and for
/// another 3 s, so that a reconnect is not a loss.
final class RendererLease: Sendable {
    /// A popup as a group shows it. After another showing or an update it is a different one.
    private struct Showing: Equatable {
        var epoch: UInt64
        var popup: String
        var since: UInt64
    }

    private let isReporting: Bool
    private struct State {
        /// The showings that were reported or will be, by group.
        var showings: [String: Showing] = [:]
        /// The popups that are not written yet.
        var unwritten: [String] = []
    }

    private let state = Mutex(State())
    private let reports: AsyncStream<String>.Continuation
    private let tasks: [Task<Void, Never>]

    /// Creates a lease of groups.
    ///
    /// - Throws: `ClientError.tooManyLeasedGroups`, `tooManyStreams`, `closed`.
    init(
        _ connection: BrokerConnection, _ client: ClientToken, _ groups: [String], isReporting: Bool
    ) throws(ClientError) {
        let states = try Renderer(connection, name: client, reporting: .manual).states(of: groups)
        let (popups, reports) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1024))
        self.isReporting = isReporting
        self.reports = reports
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
                let admin = AdminClient(connection)
                for await popup in popups {
                    // Reports are not acknowledged. A report that is lost with the connection is repeated after the
                    // reconnect.
                    try? await admin.report(.displayed, on: popup, as: client)
                    try? await admin.report(.visible, on: popup, as: client)
                }
            },
        ]
    }

    /// Records the popup of an item that is about to be written: each popup once, and again after a reconnect of the
    /// broker.
    func take(_ item: Watch.Item) {
        guard isReporting else { return }
        state.withLock { state in
            if case .broker = item { state.showings = [:] }
            guard case .state(let group) = item else { return }
            let showing = group.active.map { Showing(epoch: group.epoch, popup: $0.id, since: $0.since) }
            guard state.showings[group.group] != showing else { return }
            state.showings[group.group] = showing
            if let showing { state.unwritten.append(showing.popup) }
        }
    }

    /// Reports the recorded popups as displayed and visible, since their bytes are written.
    func report() {
        let popups = state.withLock { state in
            defer { state.unwritten = [] }
            return state.unwritten
        }
        for popup in popups { reports.yield(popup) }
    }

    /// Ends the lease after 3 s.
    func endLater() {
        let (tasks, reports) = (tasks, reports)
        Task {
            try? await Task.sleep(for: .seconds(3))
            reports.finish()
            for task in tasks { task.cancel() }
        }
    }
}
