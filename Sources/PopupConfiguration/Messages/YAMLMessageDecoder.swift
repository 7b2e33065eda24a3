import PopupProtocol
import SwiftProtobuf
import Yams

/// The decoder of a YAML mapping as a message of the wire, with the names of its JSON form.
///
/// Each leaf of the mapping is first decoded alone, so that every mistake is found, not only the first, and reported
/// with its own line and path.
struct YAMLMessageDecoder<Message: SwiftProtobuf.Message> {
    /// The file's name, for problems.
    let file: String
    /// The names that a mapping may have, by the path of fields that leads to it (indices left out), for suggestions.
    let fields: [[String]: [String]]

    /// Returns the message without the fields that have a mistake, and adds the mistakes to `problems`; `nil` if nothing can
    /// be read.
    func decode(_ node: Node, at key: String, problems: inout [ConfigurationProblem]) -> Message? {
        guard case .mapping = node else {
            problems.append(problem(node, key, "must be a mapping of fields, for example `group: \"*\"`"))
            return nil
        }
        let found = problems.count
        let json = json(of: node, Context(key: key, fields: [], prefix: "", suffix: ""), problems: &problems)
        do {
            return try WireJSON.decode(Array((json ?? "{}").utf8), unknown: .refused)
        } catch {
            if problems.count == found { problems.append(problem(node, key, "cannot be read: \(error)")) }
            return nil
        }
    }

    /// The position of a node in the message, and the JSON around it.
    private struct Context {
        var key: String
        var fields: [String]
        var prefix: String
        var suffix: String

        func member(_ name: String) -> Context {
            Context(
                key: key + "." + name, fields: fields + [name], prefix: "\(prefix){\(JSONText.quoted(name)):",
                suffix: "}\(suffix)")
        }

        func element(_ index: Int) -> Context {
            Context(key: "\(key)[\(index)]", fields: fields, prefix: prefix + "[", suffix: "]" + suffix)
        }

        func wrap(_ json: String) -> String { prefix + json + suffix }
    }

    /// Returns a node as JSON; `nil` if it has a mistake. A mapping is without the members that have one.
    private func json(of node: Node, _ context: Context, problems: inout [ConfigurationProblem]) -> String? {
        switch node {
        case .mapping(let mapping) where !mapping.isEmpty:
            let members = mapping.compactMap { pair -> String? in
                guard let name = pair.key.scalar?.string else {
                    problems.append(problem(pair.key, context.key, "has a field whose name is not text"))
                    return nil
                }
                let member = context.member(name)
                guard isKnown(member) else {
                    let advice = Suggestion.advice(for: name, among: fields[context.fields] ?? [])
                    problems.append(problem(pair.key, member.key, "there is no such field; \(advice)"))
                    return nil
                }
                return json(of: pair.value, member, problems: &problems).map { JSONText.quoted(name) + ":" + $0 }
            }
            return "{" + members.joined(separator: ",") + "}"
        case .sequence(let sequence) where !sequence.isEmpty:
            let elements = sequence.enumerated().map { index, element in
                json(of: element, context.element(index), problems: &problems)
            }
            // Without some of its elements, the others would have other places.
            guard !elements.contains(nil) else { return nil }
            return "[" + elements.compactMap(\.self).joined(separator: ",") + "]"
        case .mapping: return leaf("{}", node, context, problems: &problems)
        case .sequence: return leaf("[]", node, context, problems: &problems)
        case .scalar(let scalar): return json(of: scalar, node, context, problems: &problems)
        case .alias: return leaf("null", node, context, problems: &problems)
        }
    }

    private func json(
        of scalar: Node.Scalar, _ node: Node, _ context: Context, problems: inout [ConfigurationProblem]
    ) -> String? {
        let isPlain = scalar.style == .plain
        if isPlain, ["", "~", "null"].contains(scalar.string) {
            problems.append(problem(node, context.key, "has no value; give one, or remove the line"))
            return nil
        }
        let isLiteral = scalar.string.wholeMatch(of: /true|false|-?(0|[1-9][0-9]*)/) != nil
        if isPlain, isLiteral {
            // A name may look like a number: `group: 12` means the text.
            guard failure(scalar.string, context)?.expected == .text else {
                return leaf(scalar.string, node, context, problems: &problems)
            }
        }
        return leaf(JSONText.quoted(scalar.string), node, context, problems: &problems)
    }

    private func leaf(
        _ json: String, _ node: Node, _ context: Context, problems: inout [ConfigurationProblem]
    ) -> String? {
        guard let failure = failure(json, context) else { return json }
        problems.append(problem(node, context.key, "is \(json), but must be " + demand(of: failure)))
        return nil
    }

    /// Returns the values that a field takes, in the words of YAML.
    private func demand(of failure: JSONFault) -> String {
        switch failure.expected {
        // Without the name of the value that stands for "not set".
        case .choice(let names): "one of " + names.dropFirst().joined(separator: ", ")
        case .object: "a mapping of fields"
        case .bytes, .text, nil: "text"
        case .flag, .list, .number: failure.expected.map { "\($0)" } ?? ""
        }
    }

    private func isKnown(_ member: Context) -> Bool {
        failure("null", member)?.kind != .unknownField
    }

    private func failure(_ json: String, _ context: Context) -> JSONFault? {
        do throws(JSONFault) {
            let _: Message = try WireJSON.decode(Array(context.wrap(json).utf8), unknown: .refused)
            return nil
        } catch {
            return error
        }
    }

    private func problem(_ node: Node, _ key: String, _ text: String) -> ConfigurationProblem {
        ConfigurationProblem(origin: .file(file, line: node.mark?.line ?? 1), key: key, text: text)
    }
}
