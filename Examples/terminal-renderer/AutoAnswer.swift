import ExampleSupport
import PopupClient

/// Answers in the person's place, for demonstrations and tests: each popup some time after it came on screen.
actor AutoAnswer {
    private struct Pending {
        var popup: String
        var revision: UInt64
        var task: Task<Void, Never>
    }

    private let renderer: Renderer
    private let actions: [String]
    private let delay: Duration
    private var pending: [String: Pending] = [:]

    init(_ renderer: Renderer, actions: [String], after delay: Duration) {
        self.renderer = renderer
        self.actions = actions
        self.delay = delay
    }

    /// What is on screen now: what was to be answered there, if it is another, is not any more.
    func answer(_ screen: Screen) {
        let popup = screen.popup
        if let waiting = pending[screen.group] {
            if waiting.popup == popup?.id, waiting.revision == popup?.sinceRevision { return }
            waiting.task.cancel()
            pending[screen.group] = nil
        }
        guard let popup, let action = choose(for: popup) else { return }
        let task = Task { [renderer, delay] in
            do {
                try await Task.sleep(for: delay)
                try await renderer.dismiss(screen, action: action)
            } catch is CancellationError {
                // Something else is on screen.
            } catch {
                Output.error("terminal-renderer: the answer `\(action)` was not sent: \(error)")
            }
        }
        pending[screen.group] = Pending(popup: popup.id, revision: popup.sinceRevision, task: task)
    }

    func stop() {
        for waiting in pending.values { waiting.task.cancel() }
        pending.removeAll()
    }

    /// The first of the actions that the popup offers. One that offers none can be put away with `ok`.
    private func choose(for popup: Popup) -> String? {
        let offered = popup.actions.isEmpty ? ["ok"] : popup.actions.map(\.id)
        return actions.first { offered.contains($0) }
    }
}
