import Foundation
import PopupClient

/// A wish: its popups, and the steps that follow from the user's choices.
///
///     form ── ice cream ──▶ result: only "ok" ───────────────────────────▶ share
///       └──── the sea ────▶ result: "cancel" ────────────────────────────▶ share
///                           result: "confirm" ──▶ edit: the day ─────────▶ share
struct Wish: Equatable {
    /// The group in which wishes are made.
    static let group = "wish/well"

    /// A part of a wish, which is a member of its flow.
    enum Part: String, CaseIterable {
        case result
        case edit
        case share
    }

    /// A kind of wish.
    enum Kind: String, CaseIterable {
        /// A wish that is granted at once: the user can only read the result.
        case iceCream = "ice-cream"
        /// A wish that has to be confirmed.
        case sea
    }

    /// The way in which the popups of a wish are sent.
    enum Sending: Equatable {
        /// Each popup is sent after the user's choice; until then the flow holds the slot.
        case inAnswer
        /// All popups are sent at once, in this order, and the group gathers them.
        case together([Part])
    }

    /// The reaction of the server when a popup of the wish has closed.
    enum Reaction: Equatable {
        case send([Popup])
        /// The server does nothing.
        case nothing
        /// The wish is done.
        case end(String)
    }

    /// The beginning of the ids of the popups, different for each wish.
    let name: String
    let sending: Sending
    private(set) var kind: Kind?

    /// The time for which the flow holds the slot for the server's answer.
    private static let hold: Duration = .seconds(3)

    init(name: String, sending: Sending) {
        self.name = name
        self.sending = sending
    }

    /// The first popup of the wish.
    var form: Popup {
        var popup = Popup(
            id: "\(name)-form", group: Self.group, title: "You have a wish", text: "What shall it be?",
            actions: [
                PopupAction(id: Kind.iceCream.rawValue, label: "An ice cream"),
                PopupAction(id: Kind.sea.rawValue, label: "The sea"),
            ])
        // Popups that are sent together are a flow of their own: only a flow that begins is gathered.
        if sending == .inAnswer { popup.flow = PopupFlow(name, hold: Self.hold) }
        return popup
    }

    /// Returns a popup of the wish.
    func popup(_ part: Part, of kind: Kind) -> Popup {
        var popup =
            switch (part, kind) {
            case (.result, .iceCream):
                Popup(
                    group: Self.group, title: "Granted", text: "One scoop of everything is on its way.",
                    actions: [PopupAction(id: "ok", label: "OK")])
            case (.result, .sea):
                Popup(
                    group: Self.group, title: "The sea, really?",
                    text: "It takes a whole Saturday and some sand in the shoes.",
                    actions: [
                        PopupAction(id: "confirm", label: "Yes, the sea"), PopupAction(id: "cancel", label: "Not now"),
                    ])
            case (.edit, _):
                Popup(
                    group: Self.group, title: "Which Saturday?", text: "The tide is high in the morning.",
                    actions: [
                        PopupAction(id: "this", label: "This one"), PopupAction(id: "next", label: "The next one"),
                    ])
            case (.share, _):
                Popup(
                    group: Self.group, title: "Tell a friend?", text: "Wishes grow when they are told.",
                    actions: [PopupAction(id: "share", label: "Tell"), PopupAction(id: "keep", label: "Keep it")])
            }
        popup.id = id(of: part)
        popup.presentation.style = part == .result ? "success" : "info"
        popup.flow = PopupFlow(
            name, stage: stage(of: part),
            requires: part == .edit ? PopupRequirement(id(of: .result), action: "confirm") : nil,
            hold: sending == .inAnswer && part != .share ? Self.hold : .zero)
        return popup
    }

    /// Returns the reaction to the end of one of the wish's popups.
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
