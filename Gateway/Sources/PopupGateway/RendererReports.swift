import Synchronization

/// The reports of the gateway for one stream of a renderer. The renderer's own report on a popup is always the last: the
/// gateway knows only that the bytes are written, the renderer whether somebody sees the popup.
///
///     a state is taken ──▶ its bytes are written ──▶ `displayed` ──▶ `visible`
///                  │                   │                  │
///                  └───────────────────┴──────────────────┴──▶ the renderer reports by itself: no `visible`
final class RendererReports: Sendable {
    /// A popup that a group shows.
    struct Shown: Hashable, Sendable {
        let popup: String
        let group: String
    }

    /// A popup as a group shows it. After another showing or an update it is a different one.
    private struct Showing: Equatable {
        var epoch: UInt64
        var popup: String
        var since: UInt64
    }

    /// A popup that somebody sees. After an update, it is the same one.
    private struct Seen: Equatable {
        let epoch: UInt64
        let popup: String
    }

    /// A showing on which the gateway has not reported yet.
    private struct Pending {
        let number: UInt64
        let popup: String
        /// Whether the state was here for so long that its time left may be wrong.
        let isOld: Bool
        var isWritten = false
        var isReportedByRenderer = false
    }

    private struct State {
        /// The showings that were reported or will be, by group.
        var showings: [String: Showing] = [:]
        /// The popups that are visible, by group. If the gateway reports, each showing is, until the renderer reports it as
        /// hidden; otherwise, what the renderer has reported as visible, until it reports it as hidden or another popup is
        /// shown.
        var seen: [String: Seen] = [:]
        /// The showings to report on, by group. A newer one takes the place of the one before.
        var pending: [String: Pending] = [:]
        /// The groups whose showings are not written yet.
        var unwritten: [String] = []
        /// The groups whose showings are written, in order.
        var written: [String] = []
        var lastNumber: UInt64 = 0
    }

    /// Whether the gateway reports; otherwise only the renderer does, and nobody sees a popup before its report.
    let isReporting: Bool
    private let state = Mutex(State())

    init(isReporting: Bool = true) {
        self.isReporting = isReporting
    }

    /// Takes over what the renderer has reported as visible in an earlier stream of the same tab, before a state is taken.
    func continueFrom(_ earlier: RendererReports) {
        guard !earlier.isReporting else { return }
        let seen = earlier.state.withLock { $0.seen }
        state.withLock { $0.seen.merge(seen) { $1 } }
    }

    /// The age of a state from which on its time left is checked.
    private static let oldAge: Duration = .seconds(1)

    /// Records the popup of an item that is about to be written: each popup once, and again after a reconnect of the
    /// broker.
    func take(_ item: Watch.Item, at now: ContinuousClock.Instant) {
        state.withLock { state in
            if case .broker = item { state.showings = [:] }
            guard case .state(let group) = item else { return }
            let showing = group.active.map { Showing(epoch: group.epoch, popup: $0.id, since: $0.since) }
            guard state.showings[group.group] != showing else { return }
            state.showings[group.group] = showing
            let seen = showing.map { Seen(epoch: $0.epoch, popup: $0.popup) }
            guard isReporting else {
                if state.seen[group.group] != seen { state.seen[group.group] = nil }
                return
            }
            state.seen[group.group] = seen
            state.lastNumber += 1
            let isOld = group.hasDisplayTime && group.received.duration(to: now) > Self.oldAge
            state.pending[group.group] = showing.map {
                Pending(number: state.lastNumber, popup: $0.popup, isOld: isOld)
            }
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
    ///
    /// - Parameter isHidden: Whether it reports the popup as hidden; `nil` if the report does not say who sees it.
    func recordReport(ofRendererOn shown: Shown, isHidden: Bool?) {
        state.withLock { state in
            let group = shown.group
            if state.pending[group]?.popup == shown.popup { state.pending[group]?.isReportedByRenderer = true }
            if isHidden == true {
                if state.seen[group]?.popup == shown.popup { state.seen[group] = nil }
            } else if isHidden == false, let showing = state.showings[group], showing.popup == shown.popup {
                state.seen[group] = Seen(epoch: showing.epoch, popup: showing.popup)
            }
        }
    }

    /// Whether the stream shows a popup that the renderer has not reported as hidden there, or has reported as visible if
    /// the gateway does not report.
    func isVisible(_ shown: Shown) -> Bool {
        state.withLock { state in
            state.showings[shown.group]?.popup == shown.popup && state.seen[shown.group] != nil
        }
    }

    /// The popups for which `isVisible` is true.
    var visible: Set<Shown> {
        state.withLock { state in
            let showings = state.showings.filter { state.seen[$0.key] != nil }
            return Set(showings.map { Shown(popup: $0.value.popup, group: $0.key) })
        }
    }

    /// Reports on the popups whose bytes are written.
    ///
    /// - Parameters:
    ///   - displayed: Reports a popup as displayed.
    ///   - visible: Queues the report that a popup is visible. While it runs, no renderer's report can be recorded: one that
    ///     is recorded later is also sent later. `isOld`: the popup's time left may be wrong.
    ///   - alone: Runs its argument while no other tab of the renderer reports.
    func report(
        displayed: @Sendable (String) async -> Void,
        visible: @escaping @Sendable (_ shown: Shown, _ isOld: Bool) -> Void,
        alone: @Sendable (_ body: () -> Void) -> Void = { $0() }
    ) async {
        let groups = state.withLock { state in
            defer { state.written = [] }
            return state.written
        }
        for group in groups {
            guard let pending = state.withLock({ $0.pending[group] }), pending.isWritten else { continue }
            await displayed(pending.popup)
            alone {
                state.withLock { state in
                    guard let present = state.pending[group], present.number == pending.number else { return }
                    state.pending[group] = nil
                    guard !present.isReportedByRenderer else { return }
                    visible(Shown(popup: present.popup, group: group), present.isOld)
                }
            }
        }
    }
}
