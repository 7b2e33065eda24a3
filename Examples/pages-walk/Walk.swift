import PopupClient

/// The script: the pages that the user visits, the popups that the app asks for, and the user's answers.
///
///     home ──┬── history ── detail ── video
///            └── search ── detail ── video
struct Walk {
    static let group = "app/overlay"

    /// A step of the script.
    enum Step: Equatable {
        /// The app opens a page, and the user is there.
        case open(_ node: String, below: String?, value: String)
        /// The user goes back, or to another page.
        case enter(_ node: String)
        /// The app closes a page, with all pages below it.
        case close(_ node: String)
        /// The app asks for a popup.
        case ask(Popup)
        /// The user answers the popup on screen.
        case answer(popup: String, action: String)
        /// The app asks for the path.
        case way(except: String?, separator: String)
    }

    /// The beginning of the ids and of the tree's name.
    let run: String

    var tree: String { "\(run)app" }

    var steps: [Step] {
        [
            .open("home", below: nil, value: "home"),
            .ask(tip), .ask(film(1)),
            // No popup is bound to this page: nothing is shown.
            .open("history", below: "home", value: "history"),
            // The tip is bound to the history and all pages below it.
            .open("detail-7", below: "history", value: "detail"),
            .ask(rating),
            // The rating is bound to this page alone, and is more urgent: the tip is paused.
            .open("video-7", below: "detail-7", value: "video"),
            // The film is bound to any page of a video. The rating waits for its page, the tip for the film.
            .way(except: nil, separator: "/"),
            .way(except: "detail", separator: " › "),
            .answer(popup: film(1).id, action: "buy"),
            .enter("home"),
            // The tip is paused with its pages.
            .open("search", below: "home", value: "search"),
            .enter("detail-7"),
            // Back again: the rating is on its page.
            .close("detail-7"),
            // The page is closed, and the rating with it. The history is the current page again, and the tip is back.
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
            actions: [PopupAction(id: "understood", label: "Understood")])
        popup.page = .within("history", in: tree)
        return popup
    }

    private var rating: Popup {
        var popup = Popup(
            id: "\(run)rating", group: Self.group, priority: 3, title: "How was it?", text: "One star to five.",
            actions: (1...5).map { PopupAction(id: "\($0)", label: String(repeating: "*", count: $0)) })
        popup.page = .current("detail", in: tree)
        return popup
    }

    private func film(_ number: Int) -> Popup {
        var popup = Popup(
            id: "\(run)film-\(number)", group: Self.group, priority: 5, title: "The whole film",
            text: "3.99 €, yours forever.",
            actions: [PopupAction(id: "buy", label: "Buy"), PopupAction(id: "no", label: "No")])
        popup.page = .current("video", in: tree)
        return popup
    }
}

extension Walk.Step {
    /// The step in words, for the reader.
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
