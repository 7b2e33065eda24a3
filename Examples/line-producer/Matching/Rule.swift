import PopupClient

/// What is made of the lines that a pattern finds. The words are the protocol's.
struct Rule: @unchecked Sendable {
    // `Regex` isn't marked Sendable; it is a value and is never changed here.
    let pattern: Regex<AnyRegexOutput>
    /// nil: such lines are ignored.
    let popup: Form?
    var limit: RateLimit?
    /// The last popup that the limit has held back since one passed.
    var lastHeldBack: Popup?

    struct Form: Sendable {
        var group: Template
        var text: Template
        var title: Template
        var collapseKey: Template
        /// Everything else.
        var base: Popup
    }
}

/// Turns lines into popups: the first rule whose pattern is found in a line takes it.
struct RuleBook: Sendable {
    private(set) var rules: [Rule]
    private(set) var lines = 0
    private(set) var popups = 0
    private(set) var heldBack = 0
    private let name: String

    /// - Parameter name: what the ids of the popups begin with: unlike that of any other run.
    init(_ rules: [Rule], name: String) {
        self.rules = rules
        self.name = name
    }

    /// The popup for a line; nil when no rule takes it or the rule's limit is reached.
    mutating func popup(for line: String, at time: Duration) -> Popup? {
        lines += 1
        for index in rules.indices {
            guard let match = line.firstMatch(of: rules[index].pattern) else { continue }
            guard let form = rules[index].popup else { return nil }
            var popup = form.popup(match, id: "\(name)-\(lines)")
            if rules[index].limit != nil {
                guard let before = rules[index].limit?.pass(at: time) else {
                    rules[index].lastHeldBack = popup
                    heldBack += 1
                    return nil
                }
                rules[index].lastHeldBack = nil
                popup.note(heldBack: before)
            }
            popups += 1
            return popup
        }
        return nil
    }

    /// The popups at the end of the lines: for each rule whose limit holds popups back, the last of them with the number
    /// of the others.
    mutating func finish() -> [Popup] {
        var last: [Popup] = []
        for index in rules.indices {
            guard var popup = rules[index].lastHeldBack, let limit = rules[index].limit else { continue }
            rules[index].lastHeldBack = nil
            popup.note(heldBack: limit.heldBack - 1)
            popups += 1
            heldBack -= 1
            last.append(popup)
        }
        return last
    }
}

extension Popup {
    /// Adds how many popups were held back to the text.
    fileprivate mutating func note(heldBack: Int) {
        if heldBack > 0 { text += " (+\(heldBack) more)" }
    }
}

extension Rule.Form {
    fileprivate func popup(_ match: Regex<AnyRegexOutput>.Match, id: String) -> Popup {
        var popup = base
        popup.id = id
        // What a line says may not leave the grammar of groups, nor choose another branch of them.
        popup.group = group.text(match) { capture in
            capture.isEmpty ? "none" : String(capture.prefix(64).map { $0.isGroupCharacter ? $0 : "-" })
        }
        popup.text = text.text(match)
        popup.collapseKey = collapseKey.text(match)
        let title = title.text(match)
        if !title.isEmpty { popup.presentation.title = title }
        return popup
    }
}

extension Character {
    fileprivate var isGroupCharacter: Bool {
        isASCII && (isLetter || isNumber || self == "." || self == "_" || self == "-")
    }
}
