import Foundation
import PopupClient

/// One wish: its popups, and what follows from what the person chose.
///
///     form ── ice cream ──▶ result: only "ok" ───────────────────────────▶ share
///       └──── the sea ────▶ result: "cancel" ────────────────────────────▶ share
///                           result: "confirm" ──▶ edit: the day ─────────▶ share
struct Wish: Equatable {
    /// Where wishes are made.
    static let group = "wish/well"

    /// Members go by it.
    enum Part: String, CaseIterable {
        case result
        case edit
        case share
    }

    /// What can be wished.
    enum Kind: String, CaseIterable {
        /// Granted at once: the person can only take note of it.
        case iceCream = "ice-cream"
        /// Has to be confirmed.
        case sea
    }

    /// How the popups of a wish come to the broker.
    enum Sending: Equatable {
        /// Each when the person has chosen: the flow holds the screen until then.
        case inAnswer
        /// All at once, in this order: the group gathers them.
        case together([Part])
    }

    /// What the server does when one of the wish's popups has closed.
    enum Reaction: Equatable {
        case send([Popup])
        /// It takes notice.
        case nothing
        /// The wish is done.
        case end(String)
    }

    /// What the ids of its popups begin with; unlike any other wish's.
    let name: String
    let sending: Sending
    private(set) var kind: Kind?

    /// How long the screen is kept for the server's answer.
    private static let hold: Duration = .seconds(3)

    init(name: String, sending: Sending) {
        self.name = name
        self.sending = sending
    }

    /// The popup with which it begins.
    var form: Popup {
        var popup = Popup(
            id: "\(name)-form", group: Self.group, title: "You have a wish", text: "What shall it be?",
            actions: [
                WireAction(id: Kind.iceCream.rawValue, label: "An ice cream"),
                WireAction(id: Kind.sea.rawValue, label: "The sea"),
            ])
        // What is sent together is a business of its own: only a flow that begins is gathered.
        if sending == .inAnswer { popup.flow = PopupFlow(name, hold: Self.hold) }
        return popup
    }

    /// A popup of the wish.
    func popup(_ part: Part, of kind: Kind) -> Popup {
        var popup =
            switch (part, kind) {
            case (.result, .iceCream):
                Popup(
                    group: Self.group, title: "Granted", text: "One scoop of everything is on its way.",
                    actions: [WireAction(id: "ok", label: "OK")])
            case (.result, .sea):
                Popup(
                    group: Self.group, title: "The sea, really?",
                    text: "It takes a whole Saturday and some sand in the shoes.",
                    actions: [
                        WireAction(id: "confirm", label: "Yes, the sea"), WireAction(id: "cancel", label: "Not now"),
                    ])
            case (.edit, _):
                Popup(
                    group: Self.group, title: "Which Saturday?", text: "The tide is high in the morning.",
                    actions: [
                        WireAction(id: "this", label: "This one"), WireAction(id: "next", label: "The next one"),
                    ])
            case (.share, _):
                Popup(
                    group: Self.group, title: "Tell a friend?", text: "Wishes grow when they are told.",
                    actions: [WireAction(id: "share", label: "Tell"), WireAction(id: "keep", label: "Keep it")])
            }
        popup.id = id(of: part)
        popup.presentation.style = part == .result ? "success" : "info"
        popup.flow = PopupFlow(
            name, stage: stage(of: part),
            requires: part == .edit ? PopupRequirement(id(of: .result), action: "confirm") : nil,
            hold: sending == .inAnswer && part != .share ? Self.hold : .zero)
        return popup
    }

    /// One of its popups has closed.
    mutating func react(to popup: String, _ closed: PopupClosed) -> Reaction {
        if popup == form.id {
            guard closed.reason == .dismissed, let kind = Kind(rawValue: closed.action) else {
                return .end("nothing was wished (\(closed.reason.name))")
            }
            self.kind = kind
            return switch sending {
            case .inAnswer: .send([self.popup(.result, of: kind)])
            case .together(let order): .send(order.map { self.popup($0, of: kind) })
            }
        }
        guard let kind, let part = Part.allCases.first(where: { popup == id(of: $0) }) else { return .nothing }
        if part == .share { return .end("done (\(closed.action.isEmpty ? closed.reason.name : closed.action))") }
        guard sending == .inAnswer else { return .nothing }
        let isConfirmed = part == .result && closed.reason == .dismissed && closed.action == "confirm"
        return .send([self.popup(isConfirmed ? .edit : .share, of: kind)])
    }

    private func id(of part: Part) -> String { "\(name)-\(part.rawValue)" }

    private func stage(of part: Part) -> UInt32 {
        switch part {
        case .result: 1
        case .edit: 2
        case .share: 3
        }
    }
}
