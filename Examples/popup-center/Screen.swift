import PopupCenter

/// The screen of an application with a manual clock. It prints what the group `main` shows, and when.
final class Screen {
    let center: PopupCenter<String>
    private let clock = ManualClock()
    private var shown: String?

    /// Begins a story on an empty screen.
    init(_ title: String, _ policy: Policy) async throws {
        print(title)
        center = PopupCenter(clock: clock)
        try await center.setPolicy(policy)
    }

    /// Prints what is shown, if that has changed.
    func look() async {
        let content = await center.state(of: "main").active?.content
        guard content != shown else { return }
        shown = content
        print("  \(clock.now.offset.components.seconds) s  \(content ?? "–")")
    }

    /// Advances the clock by seconds, and looks after each.
    func wait(_ seconds: Int) async {
        await look()
        for _ in 0..<seconds {
            clock.advance(by: .seconds(1))
            await look()
        }
    }

    /// Answers a popup with an action, as the user would.
    func choose(_ action: String, of popup: String) async throws {
        await look()
        print("  \(clock.now.offset.components.seconds) s    the user: \(action)")
        try await center.dismiss(popup, action: action)
        await look()
    }
}
