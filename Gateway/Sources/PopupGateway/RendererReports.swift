import Synchronization

/// The reports of the gateway for one stream of a renderer. The renderer's own report on a popup is always the last: the
/// gateway knows only that the bytes are written, the renderer whether somebody sees the popup.
///
///     a state is taken ──▶ its bytes are written ──▶ `displayed` ──▶ `visible`
///                  │                   │                  │
///                  └───────────────────┴──────────────────┴──▶ the renderer reports by itself: no `visible`
final class RendererReports: Sendable {
    /// A popup as a group shows it. After another showing or an update it is a different one.
    private struct Showing: Equatable {
        var epoch: UInt64
        var popup: String
        var since: UInt64
    }

    /// A showing on which the gateway has not reported yet.
    private struct Pending {
        let number: UInt64
        let popup: String
        var isWritten = false
        var isReportedByRenderer = false
    }

    private struct State {
        /// The showings that were reported or will be, by group.
        var showings: [String: Showing] = [:]
        /// The showings to report on, by group. A newer one takes the place of the one before.
        var pending: [String: Pending] = [:]
        /// The groups whose showings are not written yet.
        var unwritten: [String] = []
        /// The groups whose showings are written, in order.
        var written: [String] = []
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Records the popup of an item that is about to be written: each popup once, and again after a reconnect of the
    /// broker.
    func take(_ item: Watch.Item) {
        state.withLock { state in
            if case .broker = item { state.showings = [:] }
            guard case .state(let group) = item else { return }
            let showing = group.active.map { Showing(epoch: group.epoch, popup: $0.id, since: $0.since) }
            guard state.showings[group.group] != showing else { return }
            state.showings[group.group] = showing
            state.lastNumber += 1
            state.pending[group.group] = showing.map { Pending(number: state.lastNumber, popup: $0.popup) }
            if showing != nil { state.unwritten.append(group.group) }
        }
    }

    /// Records that the bytes of all items so far are written. Returns whether there is something to report.
    func recordWritten() -> Bool {
        state.withLock { state in
            for group in state.unwritten where state.pending[group]?.isWritten == false {
                state.pending[group]?.isWritten = true
                state.written.append(group)
            }
            state.unwritten = []
            return !state.written.isEmpty
        }
    }

    /// Records that the renderer is about to report on a popup. After that, the gateway does not report it as visible until
    /// a state of another showing is taken.
    func recordReport(ofRendererOn popup: String, in group: String) {
        state.withLock { state in
            if state.pending[group]?.popup == popup { state.pending[group]?.isReportedByRenderer = true }
        }
    }

    /// Reports on the popups whose bytes are written.
    ///
    /// - Parameters:
    ///   - displayed: Reports a popup as displayed.
    ///   - visible: Queues the report that a popup is visible. While it runs, no renderer's report can be recorded: one that
    ///     is recorded later is also sent later.
    func report(displayed: @Sendable (String) async -> Void, visible: @Sendable (String) -> Void) async {
        let groups = state.withLock { state in
            defer { state.written = [] }
            return state.written
        }
        for group in groups {
            guard let pending = state.withLock({ $0.pending[group] }), pending.isWritten else { continue }
            await displayed(pending.popup)
            state.withLock { state in
                guard let present = state.pending[group], present.number == pending.number else { return }
                state.pending[group] = nil
                if !present.isReportedByRenderer { visible(present.popup) }
            }
        }
    }
}
