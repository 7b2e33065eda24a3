import PopupProtocol
import SwiftProtobuf
import Yams

/// A list of the configuration whose elements are messages of the wire, each for one group or pattern.
struct MessageList<Message: SwiftProtobuf.Message> {
    /// The file's name, for problems.
    let file: String
    /// The key of the list.
    let key: String
    /// The names that a mapping may have, by the path of fields that leads to it, for suggestions.
    let fields: [[String]: [String]]
    /// The group or pattern of an element.
    let group: (Message) -> String
    /// Throws what the broker has against an element.
    let check: (Message) throws(CommandRefusal) -> Void
    /// Replaces the field at a path by a valid value, so that what is wrong with others is found. Returns whether it can.
    var mend: (inout Message, _ path: String) -> Bool = { _, _ in false }

    func read(_ node: Node, problems: inout [ConfigurationProblem]) -> [Message] {
        guard case .sequence(let elements) = node else {
            if node.scalar?.string.isEmpty == true { return [] }
            problems.append(problem(node, key, "must be a list, with a `group` in each element"))
            return []
        }
        let decoder = YAMLMessageDecoder<Message>(file: file, fields: fields)
        var lines: [String: Int] = [:]
        return elements.enumerated().compactMap { index, element in
            let key = "\(key)[\(index)]"
            var found: [ConfigurationProblem] = []
            let message = decoder.decode(element, at: key, problems: &found)
            let wrong = found.map { $0.key.dropFirst(key.count + 1) }
            let name = element.mapping?["group"]?.scalar?.string ?? (found.isEmpty ? message.map(group) : nil)
            if let name, let line = lines.updateValue(element.mark?.line ?? 1, forKey: name) {
                let text = "is for `\(name)`, like the one of line \(line); make one of them"
                problems.append(problem(element, key, text))
            }
            for refusal in message.map(refusals) ?? [] where !mayFollow(refusal, from: wrong, in: element) {
                let path = paths(in: refusal).first ?? ""
                found.append(problem(place(of: path, in: element).nearest, key, refusal))
            }
            problems += inOrder(found)
            return found.isEmpty ? message : nil
        }
    }

    /// Returns the broker's refusals of it, in the file's words: without the command's name before the field's. After each
    /// mistake, the field is mended and the rest is checked.
    private func refusals(of message: Message) -> [String] {
        var message = message
        var refusals: [String] = []
        while refusals.count < Self.maxRefusals {
            do throws(CommandRefusal) {
                try check(message)
                break
            } catch {
                let detail = error.detail.replacing(/`(setPolicy|show)\./, with: "`")
                guard detail != refusals.last else { break }
                refusals.append(detail)
                guard let path = detail.prefixMatch(of: /`([^`]+)`/)?.1, mend(&message, String(path)) else { break }
            }
        }
        return refusals
    }

    /// Whether a refusal may only be there because other fields are wrong, and absent in the message: what is missing may
    /// be what a misspelt field was to give.
    private func mayFollow(_ refusal: String, from wrong: [Substring], in element: Node) -> Bool {
        guard !wrong.isEmpty else { return false }
        return paths(in: refusal).contains { path in
            !place(of: path, in: element).isFound
                || wrong.contains { Self.isPart($0, of: path) || Self.isPart(path[...], of: String($0)) }
        }
    }

    /// Returns the fields that a refusal names, by their paths.
    private func paths(in refusal: String) -> [String] {
        refusal.matches(of: /`([A-Za-z]+)((?:\[[0-9]+\]|\.[A-Za-z]+)*)`/).compactMap { match in
            fields[[]]?.contains(String(match.1)) == true ? "\(match.1)\(match.2)" : nil
        }
    }

    private static func isPart(_ path: Substring, of whole: String) -> Bool {
        path == whole || path.hasPrefix(whole + ".") || path.hasPrefix(whole + "[")
    }

    /// Returns the node at a field's path, or else the innermost existing node around it.
    private func place(of path: String, in element: Node) -> (nearest: Node, isFound: Bool) {
        var node = element
        for part in path.matches(of: /([A-Za-z]+)|\[([0-9]+)\]/) {
            let next: Node? =
                if let name = part.1 {
                    node.mapping?.first { $0.key.scalar?.string == String(name) }?.value
                } else {
                    part.2.flatMap { Int($0) }.flatMap { index in node.sequence?.dropFirst(index).first }
                }
            guard let next else { return (node, false) }
            node = next
        }
        return (node, true)
    }

    /// Returns the problems of an element in the order of the file.
    private func inOrder(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
        func line(_ problem: ConfigurationProblem) -> Int {
            if case .file(_, let line?) = problem.origin { line } else { 0 }
        }
        return problems.enumerated().sorted { (line($0.element), $0.offset) < (line($1.element), $1.offset) }
            .map(\.element)
    }

    /// The maximum number of reported mistakes of one element.
    private static var maxRefusals: Int { 20 }

    private func problem(_ node: Node, _ key: String, _ text: String) -> ConfigurationProblem {
        ConfigurationProblem(origin: .file(file, line: node.mark?.line ?? 1), key: key, text: text)
    }
}

/// Returns the names of a message's fields in its JSON form.
func fieldNames<Message: SwiftProtobuf.Message & _ProtoNameProviding>(of message: Message.Type) -> [String] {
    Google_Protobuf_FieldMask(allFieldsOf: message).paths.map { name in
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}
