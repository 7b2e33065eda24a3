import ExampleSupport
import PopupClient

/// A key that the user can press, and its action.
struct ActionKey: Equatable {
    var key: Character
    var action: String
    var label: String
}

/// The keys of a popup, or of the offer of one.
struct ActionKeys: Equatable {
    /// The keys with a meaning of their own.
    static let reserved: Set<Character> = ["h", "q"]

    var keys: [ActionKey]
    /// Whether Escape dismisses the popup.
    var dismissesOnEscape: Bool

    /// The keys for an offer.
    static let offer = ActionKeys(
        keys: OfferWord.allCases.map { ActionKey(key: $0.key, action: $0.rawValue, label: $0.label) },
        dismissesOnEscape: false)

    private init(keys: [ActionKey], dismissesOnEscape: Bool) {
        self.keys = keys
        self.dismissesOnEscape = dismissesOnEscape
    }

    /// Creates the keys for the popup that a group shows or offers; `nil` if it does neither.
    init?(_ screen: GroupState) {
        if screen.offered != nil {
            self = .offer
        } else if let popup = screen.popup {
            self.init(popup)
        } else {
            return nil
        }
    }

    /// Creates the keys of a popup. Each action gets the first letter or digit of its label that is still free,
    /// otherwise the next free digit or letter. A popup without actions can be dismissed with Enter.
    init(_ popup: Popup) {
        var free = Set("abcdefghijklmnopqrstuvwxyz0123456789").subtracting(Self.reserved)
        keys = []
        for action in popup.actions {
            let label = action.label.isEmpty ? action.id : action.label
            let wanted = label.lowercased().first { free.contains($0) }
            guard let key = wanted ?? "123456789abcdefghijklmnoprstuvwxyz0".first(where: { free.contains($0) }) else {
                break
            }
            free.remove(key)
            keys.append(ActionKey(key: key, action: action.id, label: label))
        }
        if popup.actions.isEmpty { keys = [ActionKey(key: "\r", action: "ok", label: "OK")] }
        dismissesOnEscape = popup.presentation.dismissOnOutside
    }

    /// Returns the action of a key.
    func action(for key: Key) -> String? {
        switch key {
        case .character(let character): keys.first { $0.key == Character(character.lowercased()) }?.action
        case .enter: keys.first { $0.key == "\r" }?.action
        case .escape: dismissesOnEscape ? "outside" : nil
        case .tab, .up, .down, .pageUp, .pageDown, .interrupt, .focusGained, .focusLost: nil
        }
    }

    /// The captions of the keys: `[a] Accept`.
    var captions: [String] {
        keys.map { "[\($0.key == "\r" ? "Enter" : String($0.key))] \(SafeText.line($0.label))" }
            + (dismissesOnEscape ? ["[Esc] close"] : [])
    }
}
