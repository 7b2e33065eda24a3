import PopupClient
import PopupProtocol
import Yams

/// A mistake in a rules file.
struct RuleProblem: Equatable, CustomStringConvertible {
    var file: String
    var line: Int
    var message: String

    var description: String { "\(file):\(line): \(message)" }
}

/// All mistakes in a rules file.
struct RuleProblems: Error, Equatable {
    var problems: [RuleProblem]
}

/// A reader of rules: a YAML list of mappings.
struct RulesFile {
    /// The greatest number of rules in a file.
    static let maxRules = 1000

    private static let keys: [String] = [
        "pattern", "ignore", "group", "text", "title", "style", "scene", "priority", "durationMs", "ttlMs",
        "minDisplayMs", "collapseKey", "exclusive", "limit",
    ]

    private let file: String
    private var problems: [RuleProblem] = []

    /// Returns the rules of a YAML text.
    ///
    /// - Parameter file: The name of the file in mistakes.
    static func rules(_ yaml: String, file: String) throws(RuleProblems) -> [Rule] {
        var reader = RulesFile(file: file)
        let rules = reader.read(yaml)
        guard reader.problems.isEmpty else {
            // In the order of the file; those of one line stay in the order in which they were found.
            let found = reader.problems.enumerated()
            let inOrder = found.sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
            throw RuleProblems(problems: inOrder.map(\.element))
        }
        return rules
    }

    private init(file: String) {
        self.file = file
    }

    private mutating func read(_ yaml: String) -> [Rule] {
        let root: Node?
        do {
            root = try Yams.compose(yaml: yaml)
        } catch {
            note(syntax: error)
            return []
        }
        guard let root, case .sequence(let nodes) = root, !nodes.isEmpty else {
            note(root, "is not a list of rules; begin each rule with `- pattern: …`")
            return []
        }
        guard nodes.count <= Self.maxRules else {
            note(root, "has more than \(Self.maxRules) rules")
            return []
        }
        return nodes.compactMap { rule($0) }
    }

    private mutating func rule(_ node: Node) -> Rule? {
        guard case .mapping(let mapping) = node else {
            note(node, "a rule must be a mapping, for example `pattern: …` with `group: …` below it")
            return nil
        }
        for (key, _) in mapping where !Self.keys.contains(key.string ?? "") {
            let name = key.string ?? "?"
            note(key, "`\(name)` is not a field of a rule; \(Suggestion.advice(for: name, among: Self.keys))")
        }
        guard let pattern = pattern(mapping["pattern"], in: node) else { return nil }
        if let ignored = mapping["ignore"] {
            if mapping.count > 2 { note(node, "a rule with `ignore` can have only a `pattern`") }
            if ignored.bool != true { note(ignored, "`ignore` must be `true`, or absent") }
            return Rule(pattern: pattern.regex, popup: nil, limit: nil)
        }
        guard let group = mapping["group"] else {
            note(node, "the rule has no `group`; name the group of its popups")
            return nil
        }
        let form = Rule.Form(
            group: template(group, "group", pattern),
            text: mapping["text"].map { template($0, "text", pattern) } ?? Template(parts: [.number(0)]),
            title: mapping["title"].map { template($0, "title", pattern) } ?? Template(parts: []),
            collapseKey: mapping["collapseKey"].map { template($0, "collapseKey", pattern) } ?? Template(parts: []),
            base: base(mapping))
        checkGroup(group, form.group)
        return Rule(pattern: pattern.regex, popup: form, limit: mapping["limit"].flatMap { limit($0) })
    }

    private mutating func base(_ mapping: Node.Mapping) -> Popup {
        var popup = Popup()
        popup.priority = mapping["priority"].map { number($0, "priority", Int32.min...Int32.max) } ?? 0
        popup.durationMs = mapping["durationMs"].map { number($0, "durationMs", 0...UInt32.max) } ?? 0
        popup.ttlMs = mapping["ttlMs"].map { number($0, "ttlMs", 0...UInt32.max) } ?? 0
        popup.minDisplayMs = mapping["minDisplayMs"].map { number($0, "minDisplayMs", 0...UInt32.max) } ?? 0
        if let node = mapping["style"] { popup.presentation.style = node.string ?? "" }
        if let node = mapping["exclusive"] {
            popup.exclusive = choice(node, "exclusive", ["NONE": .none, "GROUP": .group, "ALL": .all]) ?? .none
        }
        if let node = mapping["scene"] {
            let scenes: [String: PopupPresentation.Scene] = [
                "CENTER": .center, "BOTTOM_SHEET": .bottomSheet, "TOP_BAR": .topBar, "FULL_SCREEN": .fullScreen,
            ]
            popup.presentation.scene = choice(node, "scene", scenes) ?? .unspecified
        }
        return popup
    }

    // MARK: - Values

    private mutating func pattern(_ node: Node?, in rule: Node) -> Pattern? {
        guard let node, let source = node.string, !source.isEmpty else {
            note(node ?? rule, "the rule has no `pattern`; give a regular expression to look for in each line")
            return nil
        }
        do {
            return Pattern(regex: try Regex(source), source: source)
        } catch {
            note(node, "`\(source)` is not a regular expression: \(error)")
            return nil
        }
    }

    private mutating func template(_ node: Node, _ key: String, _ pattern: Pattern) -> Template {
        do throws(Template.Malformed) {
            guard let source = node.string else { throw Template.Malformed(message: "must be text") }
            let template = try Template(source)
            for part in template.parts {
                if let unknown = pattern.lacks(part) { note(node, "`\(key)`: the pattern has no capture \(unknown)") }
            }
            return template
        } catch {
            note(node, "`\(key)`: \(error.message)")
            return Template(parts: [])
        }
    }

    /// Checks the group with a word in the place of each capture.
    private mutating func checkGroup(_ node: Node, _ template: Template) {
        let sample = template.parts.map { if case .text(let text) = $0 { text } else { "x" } }.joined()
        guard !template.parts.isEmpty, GroupName(sample) == nil else { return }
        note(
            node,
            "`\(node.string ?? "")` is not a valid group name; use 1 to 8 segments of A–Z a–z 0–9 . _ - joined by `/`")
    }

    private mutating func limit(_ node: Node) -> RateLimit? {
        guard case .mapping(let mapping) = node, let most = mapping["most"], let span = mapping["perMs"],
            mapping.count == 2
        else {
            note(node, "`limit` must have `most` and `perMs`, for example {most: 3, perMs: 10000}")
            return nil
        }
        return RateLimit(
            most: number(most, "limit.most", 1...1000),
            span: .milliseconds(Int64(number(span, "limit.perMs", 1...UInt32.max))))
    }

    private mutating func number<Number: FixedWidthInteger>(
        _ node: Node, _ key: String, _ range: ClosedRange<Number>
    ) -> Number {
        if let number = node.string.flatMap({ Number($0) }), range.contains(number) { return number }
        note(node, "`\(key)` must be a number from \(range.lowerBound) to \(range.upperBound)")
        return range.lowerBound
    }

    private mutating func choice<Value>(_ node: Node, _ key: String, _ values: [String: Value]) -> Value? {
        if let value = values[node.string ?? ""] { return value }
        note(node, "`\(key)` must be one of \(values.keys.sorted().joined(separator: ", "))")
        return nil
    }

    // MARK: - Problems

    private mutating func note(_ node: Node?, _ message: String) {
        problems.append(RuleProblem(file: file, line: node?.mark?.line ?? 1, message: message))
    }

    private mutating func note(syntax error: any Error) {
        let (line, message): (Int, String) =
            switch error as? YamlError {
            case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _),
                .composer(_, let text, let mark, _):
                (mark.line, "is not YAML: \(text)")
            case .duplicatedKeysInMapping(let names, let context):
                (context.mark.line, "has `\(names.map { "\($0)" }.joined(separator: "`, `"))` twice in one rule")
            default: (1, "is not YAML: \(error)")
            }
        problems.append(RuleProblem(file: file, line: line, message: message))
    }
}
