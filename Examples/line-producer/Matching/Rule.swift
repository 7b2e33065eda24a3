import PopupClient

/// What is made of the lines that a pattern finds. The words are the protocol's.
struct Rule: @unchecked Sendable {
    // `Regex` isn't marked Sendable; it is a value and is never changed here.
    let pattern: Regex<AnyRegexOutput>
    /// nil: such lines are ignored.
    let popup: Form?
    var limit: RateLimit?

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
            var before = 0
            if rules[index].limit != nil {
                guard let count = rules[index].limit?.pass(at: time) else {
                    heldBack += 1
                    return nil
                }
                before = count
            }
            popups += 1
            return form.popup(match, id: "\(name)-\(lines)", heldBack: before)
        }
        return nil
    }
}

extension Rule.Form {
    fileprivate func popup(_ match: Regex<AnyRegexOutput>.Match, id: String, heldBack: Int) -> Popup {
        var popup = base
        popup.id = id
        // What a line says may not leave the grammar of groups, nor choose another branch of them.
        popup.group = group.text(match) { capture in
            capture.isEmpty ? "none" : String(capture.prefix(64).map { $0.isGroupCharacter ? $0 : "-" })
        }
        popup.text = text.text(match) + (heldBack > 0 ? " (+\(heldBack) more)" : "")
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
