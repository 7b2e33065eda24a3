import PopupClient

/// The walk: which screens the person goes through, which popups the app asks for, and what the person says to them.
///
///     home ──┬── history ── detail ── video
///            └── search ── detail ── video
struct Walk {
    static let group = "app/overlay"

    /// A step of it.
    enum Step: Equatable {
        /// The app opens a screen, and the person is there.
        case open(_ node: String, below: String?, value: String)
        /// The person goes back, or elsewhere.
        case enter(_ node: String)
        /// The app puts a screen away, with all that was opened from it.
        case close(_ node: String)
        /// The app asks for a popup.
        case ask(Popup)
        /// The person answers what is on screen.
        case answer(popup: String, action: String)
        /// The app wants to know the way.
        case way(except: String?, separator: String)
    }

    /// What ids and the tree's name begin with.
    let run: String

    var tree: String { "\(run)app" }

    var steps: [Step] {
        [
            .open("home", below: nil, value: "home"),
            .ask(tip), .ask(film(1)),
            // Neither belongs here: nothing is shown.
            .open("history", below: "home", value: "history"),
            // The tip belongs to the history and all that is opened from it.
            .open("detail-7", below: "history", value: "detail"),
            .ask(rating),
            // The rating belongs to this screen alone, and is more urgent: the tip gives way.
            .open("video-7", below: "detail-7", value: "video"),
            // The film belongs to any video. The rating waits for its screen, the tip for the film.
            .way(except: nil, separator: "/"),
            .way(except: "detail", separator: " › "),
            .answer(popup: film(1).id, action: "buy"),
            .enter("home"),
            // The tip is paused with its screens.
            .open("search", below: "home", value: "search"),
            .enter("detail-7"),
            // Back: the rating is on its screen again.
            .close("detail-7"),
            // Its screen is gone, and the rating with it. The history is current now: the tip is back.
            .answer(popup: tip.id, action: "understood"),
            .enter("search"),
            .ask(film(2)),
            .open("detail-9", below: "search", value: "detail"),
            .open("video-9", below: "detail-9", value: "video"),
            .answer(popup: film(2).id, action: "no"),
            .way(except: "home", separator: " > "),
        ]
    }

    private var tip: Popup {
        var popup = Popup(
            id: "\(run)tip", group: Self.group, priority: 1, title: "Tip", text: "Swipe to forget an entry.",
            actions: [WireAction(id: "understood", label: "Understood")])
        popup.page = .within("history", in: tree)
        return popup
    }

    private var rating: Popup {
        var popup = Popup(
            id: "\(run)rating", group: Self.group, priority: 3, title: "How was it?", text: "One star to five.",
            actions: (1...5).map { WireAction(id: "\($0)", label: String(repeating: "*", count: $0)) })
        popup.page = .current("detail", in: tree)
        return popup
    }

    private func film(_ number: Int) -> Popup {
        var popup = Popup(
            id: "\(run)film-\(number)", group: Self.group, priority: 5, title: "The whole film",
            text: "3.99 €, yours for ever.",
            actions: [WireAction(id: "buy", label: "Buy"), WireAction(id: "no", label: "No")])
        popup.page = .current("video", in: tree)
        return popup
    }
}

extension Walk.Step {
    /// What happens, for the person who watches.
    var words: String {
        switch self {
        case .open(let node, _, _): "→ opens \(node)"
        case .enter(let node): "→ goes to \(node)"
        case .close(let node): "← closes \(node)"
        case .ask(let popup): "+ asks for \(popup.id)"
        case .answer(let popup, let action): "! answers \(popup): \(action)"
        case .way(let except, let separator):
            "? which way, joined by “\(separator)”"
                + (except.map { ", without \($0)" } ?? "")
        }
    }
}
