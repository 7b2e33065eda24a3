import ExampleSupport
import PopupClient

/// An answerer in place of the user, for demonstrations and tests: it answers each popup some time after it is shown.
actor AutoAnswer {
    private struct Pending {
        var popup: String
        var revision: UInt64
        var task: Task<Void, Never>
    }

    private let renderer: Renderer
    private let actions: [String]
    private let offers: OfferWord?
    private let delay: Duration
    private var pending: [String: Pending] = [:]

    /// Creates an answerer.
    ///
    /// - Parameters:
    ///   - actions: The actions. A popup is dismissed with the first of them that it has.
    ///   - offers: The answer to offers; `nil`: none.
    init(_ renderer: Renderer, actions: [String], offers: OfferWord?, after delay: Duration) {
        self.renderer = renderer
        self.actions = actions
        self.offers = offers
        self.delay = delay
    }

    /// Handles the next state of the group. If another popup is shown, the answer to the previous one is dropped.
    func answer(_ screen: GroupState) {
        let popup = screen.popup ?? screen.offered
        if let waiting = pending[screen.group] {
            if waiting.popup == popup?.id, waiting.revision == popup?.sinceRevision { return }
            waiting.task.cancel()
            pending[screen.group] = nil
        }
        guard let popup, let say = answer(to: screen) else { return }
        let task = Task { [delay] in
            do {
                try await Task.sleep(for: delay)
                try await say()
            } catch is CancellationError {
                // The group shows another popup.
            } catch ClientError.refused {
                // The popup has closed or changed in the meantime.
            } catch {
                Output.error("terminal-renderer: the answer to `\(SafeText.line(popup.id))` was not sent: \(error)")
            }
        }
        pending[screen.group] = Pending(popup: popup.id, revision: popup.sinceRevision, task: task)
    }

    func stop() {
        for waiting in pending.values { waiting.task.cancel() }
        pending.removeAll()
    }

    private func answer(to screen: GroupState) -> (@Sendable () async throws -> Void)? {
        let renderer = renderer
        if screen.offered != nil {
            guard let offers else { return nil }
            return { try await renderer.answer(offers, screen) }
        }
        guard let popup = screen.popup, let action = choose(for: popup) else { return nil }
        return { try await renderer.dismiss(screen, action: action) }
    }

    /// Returns the first of the actions that the popup has. A popup without actions is dismissed with `ok`.
    private func choose(for popup: Popup) -> String? {
        let offered = popup.actions.isEmpty ? ["ok"] : popup.actions.map(\.id)
        return actions.first { offered.contains($0) }
    }
}
