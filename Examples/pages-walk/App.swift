import ExampleSupport
import PopupClient
import TerminalText

/// The app. Its screens are pages of a tree, and it shows the popups of one group on top of them.
struct App {
    private let admin: AdminClient
    private let renderer: Renderer
    private let pages: PageTree
    private let events: Events
    private var screens: GroupStates.AsyncIterator
    private(set) var attribution = Attribution()

    /// - Throws: `ClientError`.
    init(_ connection: BrokerConnection, tree: String, group: String) async throws {
        admin = AdminClient(connection)
        renderer = Renderer(connection)
        pages = admin.pages(of: tree)
        events = try await admin.listening(to: [group])
        screens = try renderer.states(of: group).makeAsyncIterator()
        // With the name of the tree in its policy, each event of the group carries the path.
        var policy = GroupPolicy(group)
        policy.pageTree = tree
        try await admin.setPolicy(policy)
    }

    /// Performs a step, and prints the result.
    mutating func take(_ step: Walk.Step) async throws {
        switch step {
        case .open(let node, let parent, let value):
            try await pages.open(node, below: parent, value: value)
            try await pages.enter(node)
        case .enter(let node): try await pages.enter(node)
        case .close(let node): try await pages.close(node)
        case .ask(let popup): try await admin.show(popup)
        case .answer(let popup, let action): try await answer(popup, action)
        case .way(let except, let separator):
            Output.line("    \(SafeText.line(try await pages.path(except: except, separator: separator).joined))")
        }
        try await tellEvents()
    }

    /// Answers the popup that the user sees.
    private mutating func answer(_ popup: String, _ action: String) async throws {
        while let screen = try await screens.next() {
            if screen.popup?.id == popup { return try await renderer.dismiss(screen, action: action) }
        }
    }

    /// Prints the events so far. A query is answered after the commands before it, and a second query after their
    /// events.
    private mutating func tellEvents() async throws {
        _ = try await admin.statistics()
        _ = try await admin.statistics()
        for event in events.takeAvailable() {
            attribution.add(event)
            if let line = Self.line(event) { Output.line(line) }
        }
    }

    private static func line(_ event: PopupEvent) -> String? {
        let what: String? =
            switch event.event {
            case .queued: "waits"
            case .shown: "is shown"
            case .paused: "is paused"
            case .resumed: "is back"
            case .closed(let closed): "closes: \(closed.reason.name)\(closed.action.isEmpty ? "" : " \(closed.action)")"
            case .refused(let refused): "is refused: \(refused.detail)"
            case .offered, .updated, nil: nil
            }
        let way = event.path.joined(separator: "/")
        return what.map {
            "    \(TextWidth.fit(SafeText.line("\(event.popup) \($0)"), columns: 34))  \(SafeText.line(way))"
        }
    }
}
