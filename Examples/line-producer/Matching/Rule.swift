import PopupClient

/// A rule: a pattern, and the popup for lines in which it is found. Fields have the names of the protocol.
struct Rule: @unchecked Sendable {
    // `Regex` is not marked Sendable. It is a value, and never changes here.
    let pattern: Regex<AnyRegexOutput>
    /// The form of the popup; `nil`: such lines are ignored.
    let popup: Form?
    var limit: RateLimit?
    /// The last popup that the limit has held back since one passed.
    var lastHeldBack: Popup?

    struct Form: Sendable {
        var group: Template
        var text: Template
        var title: Template
        var collapseKey: Template
        /// All other fields.
        var base: Popup
    }
}

/// The rules, which turn lines into popups. The first rule whose pattern is found in a line applies.
struct RuleBook: Sendable {
    private(set) var rules: [Rule]
    private(set) var lines = 0
    private(set) var popups = 0
    private(set) var heldBack = 0
    private let name: String

    /// Creates a book of rules.
    ///
    /// - Parameter name: The beginning of the popups' ids, different in each run.
    init(_ rules: [Rule], name: String) {
        self.rules = rules
        self.name = name
    }

    /// Returns the popup for a line; `nil` if no rule applies, or if the rule has reached its limit.
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
                popup.append(heldBack: before)
            }
            popups += 1
            return popup
        }
        return nil
    }

    /// Returns the popups at the end of the lines: for each rule whose limit holds popups back, the last of them with
    /// the number of the others.
    mutating func finish() -> [Popup] {
        var last: [Popup] = []
        for index in rules.indices {
            guard var popup = rules[index].lastHeldBack, let limit = rules[index].limit else { continue }
            rules[index].lastHeldBack = nil
            popup.append(heldBack: limit.heldBack - 1)
            popups += 1
            heldBack -= 1
            last.append(popup)
        }
        return last
    }
}

extension Popup {
    /// Adds the number of popups that were held back to the text.
    fileprivate mutating func append(heldBack: Int) {
        if heldBack > 0 { text = contentText + " (+\(heldBack) more)" }
    }
}

extension Rule.Form {
    fileprivate func popup(_ match: Regex<AnyRegexOutput>.Match, id: String) -> Popup {
        var popup = base
        popup.id = id
        // The text of a line can neither make a name of a group invalid nor choose another branch of groups.
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
