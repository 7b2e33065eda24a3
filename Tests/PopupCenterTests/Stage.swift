import PopupCenter
import Testing

typealias Center = PopupCenter<String>
typealias Popup = PopupCenter<String>.Popup

/// A center whose time the test moves on, and what the group `main` shows.
struct Stage {
    let clock = ManualClock()
    let center: Center

    init(_ policy: Policy = .priority) async throws {
        center = Center(clock: clock)
        try await center.setPolicy(policy)
    }

    /// Lets time pass, and returns what the group shows then.
    func after(_ duration: Duration) async -> String? {
        clock.advance(by: duration)
        return await shown
    }

    /// What the group shows now.
    var shown: String? {
        get async { await center.state(of: "main").active?.content }
    }

    /// The words of the rule that decides about a popup.
    func why(_ id: String) async -> String { await center.explain(id).decisive.text }
}

/// Waits until something holds that a task of its own brings about, at most 60 s.
func eventually(_ condition: () async -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
    let deadline = ContinuousClock.now + .seconds(60)
    while await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("it did not come about", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
