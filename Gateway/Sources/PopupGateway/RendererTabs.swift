internal import PopupClient
internal import PopupProtocol
import Synchronization

/// The tabs of each renderer whose leases have not ended. A tab that reconnects has two streams for a while.
///
/// A renderer has several tabs if a tab with its name is copied, for example. For the broker they are one renderer, which
/// shows what one of its tabs shows: what one tab hides is hidden only when no other shows it.
///
/// Reports are queued for the broker while the lock is held that decides about them, so that the broker gets them in the
/// order of the decisions.
final class RendererTabs: Sendable {
    private struct Stream {
        /// The name of its tab; `nil` if it has not sent one.
        let tab: ClientToken?
        let reports: RendererReports
    }

    private let streams = Mutex<[ClientToken: [Stream]]>([:])

    /// Adds a stream of a renderer.
    func add(_ reports: RendererReports, of client: ClientToken, tab: ClientToken?) {
        streams.withLock { streams in
            for stream in streams[client] ?? [] where stream.tab == tab { reports.continueFrom(stream.reports) }
            streams[client, default: []].append(Stream(tab: tab, reports: reports))
        }
    }

    /// Removes a stream of a renderer.
    ///
    /// - Parameter hide: Queues the report that a popup is hidden. It is called for those that no stream of the renderer
    ///   shows any more, if it has others.
    func remove(
        _ reports: RendererReports, of client: ClientToken, hide: (_ shown: RendererReports.Shown) -> Void
    ) {
        streams.withLock { streams in
            streams[client]?.removeAll { $0.reports === reports }
            guard let others = streams[client], !others.isEmpty else { return streams[client] = nil }
            for shown in reports.visible where !others.contains(where: { $0.reports.isVisible(shown) }) { hide(shown) }
        }
    }

    /// Records the report of a tab on a popup: the gateway must not report it as visible afterwards.
    ///
    /// - Parameters:
    ///   - tab: The tab; `nil`: all tabs of the renderer.
    ///   - send: Queues the report. It is not called for a popup that is hidden by one tab, and shown by another.
    func record<Failure: Error>(
        _ report: WireReport, ofTab tab: ClientToken?, send: () throws(Failure) -> Void
    ) throws(Failure) {
        guard let client = ClientToken(report.client) else { return try send() }
        let shown = RendererReports.Shown(popup: report.id, group: report.group)
        let isHidden: Bool? =
            switch report.report {
            case .hidden: true
            case .visible: false
            default: nil
            }
        try streams.withLock { streams throws(Failure) in
            let all = streams[client] ?? []
            for stream in all where tab == nil || stream.tab == tab {
                stream.reports.recordReport(ofRendererOn: shown, isHidden: isHidden)
            }
            let isShownByOther =
                isHidden == true && tab != nil && all.contains { $0.tab != tab && $0.reports.isVisible(shown) }
            if !isShownByOther { try send() }
        }
    }

    /// Runs what queues a report of the gateway, while no tab reports.
    func whileNoneReports(_ body: () -> Void) {
        streams.withLock { _ in body() }
    }
}
