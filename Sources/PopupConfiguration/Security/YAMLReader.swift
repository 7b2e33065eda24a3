import PopupProtocol
import Yams

/// The reader of values from YAML, which collects mistakes.
struct YAMLReader {
    /// An element of a list, with its place for problems.
    struct Element {
        let node: Node
        let key: String
    }

    let file: String
    private(set) var problems: [ConfigurationProblem] = []

    init(file: String) {
        self.file = file
    }

    mutating func report(_ node: Node, _ key: String, _ text: String) {
        problems.append(ConfigurationProblem(origin: .file(file, line: node.mark?.line ?? 1), key: key, text: text))
    }

    /// Returns the elements of a list; none for an empty value.
    mutating func elements(of node: Node, _ key: String, _ content: String) -> [Element] {
        guard case .sequence(let elements) = node else {
            if node.scalar?.string.isEmpty != true { report(node, key, "must be a list, \(content)") }
            return []
        }
        return elements.enumerated().map { Element(node: $1, key: "\(key)[\($0)]") }
    }

    /// Returns the texts of a list.
    mutating func texts(of node: Node, _ key: String, _ content: String) -> [String] {
        elements(of: node, key, "of \(content)").compactMap { element in
            guard let text = element.node.scalar?.string, !text.isEmpty else {
                report(element.node, element.key, "must be text: the list holds \(content)")
                return nil
            }
            return text
        }
    }

    /// Returns the members of a mapping, in their order.
    mutating func members(of node: Node, _ key: String) -> [(name: String, value: Node)] {
        guard case .mapping(let members) = node else {
            if node.scalar?.string.isEmpty != true { report(node, key, "must be a mapping") }
            return []
        }
        return members.compactMap { name, value in
            guard let name = name.scalar?.string, !name.isEmpty else { return nil }
            return (name, value)
        }
    }

    /// Returns the fields of an element that is a mapping, and records unknown ones as mistakes.
    mutating func fields(of element: Element, known: [String]) -> [String: Node] {
        var fields: [String: Node] = [:]
        for (name, value) in members(of: element.node, element.key) {
            if known.contains(name) {
                fields[name] = value
            } else {
                report(
                    value, "\(element.key).\(name)",
                    "there is no such field; \(Suggestion.advice(for: name, among: known))")
            }
        }
        return fields
    }

    /// Returns the value of a field that is required.
    mutating func required<Value>(
        _ name: String, of fields: [String: Node], _ element: Element,
        _ demand: String = "must be 1 to 64 of A–Z a–z 0–9 . _ -", _ read: (String) -> Value?
    ) -> Value? {
        guard fields[name] != nil else {
            report(element.node, element.key, "`\(name)` is missing; it \(demand)")
            return nil
        }
        return optional(name, of: fields, element, demand, read)
    }

    /// Returns the value of a field that may be absent.
    mutating func optional<Value>(
        _ name: String, of fields: [String: Node], _ element: Element, _ demand: String, _ read: (String) -> Value?
    ) -> Value? {
        guard let node = fields[name] else { return nil }
        guard let text = node.scalar?.string, let value = read(text) else {
            let found = node.scalar.map { "is \"\($0.string)\", but " } ?? ""
            report(node, "\(element.key).\(name)", found + demand)
            return nil
        }
        return value
    }
}
