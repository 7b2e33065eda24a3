import SwiftProtobuf
import Yams

/// Reads a YAML mapping as a message of the wire, in the words of its proto3 JSON form.
///
/// Each leaf of the mapping is decoded alone first: so every mistake is found, not only the first, and named with its
/// own line and path.
struct YAMLMessageDecoder<Message: SwiftProtobuf.Message> {
    /// The file's name, for problems.
    let file: String
    /// The names that a mapping may have, by the path of fields that leads to it (indices left out), for suggestions.
    let fields: [[String]: [String]]

    /// The message, or `nil` after adding what is wrong to `problems`.
    func decode(_ node: Node, at key: String, problems: inout [ConfigurationProblem]) -> Message? {
        guard case .mapping = node else {
            problems.append(problem(node, key, "must be a mapping of fields, such as `group: \"*\"`"))
            return nil
        }
        let found = problems.count
        let json = json(of: node, Context(key: key, fields: [], prefix: "", suffix: ""), problems: &problems)
        guard problems.count == found else { return nil }
        do {
            return try Message(jsonString: json)
        } catch {
            problems.append(problem(node, key, "can't be read as \(Message.protoMessageName): \(error)"))
            return nil
        }
    }

    /// Where in the message a node stands, and the JSON that stands around it there.
    private struct Context {
        var key: String
        var fields: [String]
        var prefix: String
        var suffix: String

        func member(_ name: String) -> Context {
            Context(
                key: key + "." + name, fields: fields + [name], prefix: "\(prefix){\(quoted(name)):",
                suffix: "}\(suffix)")
        }

        func element(_ index: Int) -> Context {
            Context(key: "\(key)[\(index)]", fields: fields, prefix: prefix + "[", suffix: "]" + suffix)
        }

        func wrap(_ json: String) -> String { prefix + json + suffix }
    }

    private func json(of node: Node, _ context: Context, problems: inout [ConfigurationProblem]) -> String {
        switch node {
        case .mapping(let mapping) where !mapping.isEmpty:
            let members = mapping.compactMap { pair -> String? in
                guard let name = pair.key.scalar?.string else {
                    problems.append(problem(pair.key, context.key, "has a field whose name is not a word"))
                    return nil
                }
                let member = context.member(name)
                guard isKnown(member) else {
                    let advice = Suggestion.advice(for: name, among: fields[context.fields] ?? [])
                    problems.append(problem(pair.key, member.key, "there is no such field; \(advice)"))
                    return nil
                }
                return quoted(name) + ":" + json(of: pair.value, member, problems: &problems)
            }
            return "{" + members.joined(separator: ",") + "}"
        case .sequence(let sequence) where !sequence.isEmpty:
            let elements = sequence.enumerated().map { index, element in
                json(of: element, context.element(index), problems: &problems)
            }
            return "[" + elements.joined(separator: ",") + "]"
        case .mapping: return leaf("{}", node, context, problems: &problems)
        case .sequence: return leaf("[]", node, context, problems: &problems)
        case .scalar(let scalar): return json(of: scalar, node, context, problems: &problems)
        case .alias: return leaf("null", node, context, problems: &problems)
        }
    }

    private func json(
        of scalar: Node.Scalar, _ node: Node, _ context: Context, problems: inout [ConfigurationProblem]
    ) -> String {
        let isPlain = scalar.style == .plain
        if isPlain, ["", "~", "null"].contains(scalar.string) {
            problems.append(problem(node, context.key, "has no value; give it one or remove the line"))
            return "null"
        }
        let isLiteral = scalar.string.wholeMatch(of: /true|false|-?(0|[1-9][0-9]*)/) != nil
        if isPlain, isLiteral {
            // A name may look like a number: `group: 12` means the text.
            if case .malformedString = failure(scalar.string, context) {
            } else {
                return leaf(scalar.string, node, context, problems: &problems)
            }
        }
        return leaf(quoted(scalar.string), node, context, problems: &problems)
    }

    private func leaf(
        _ json: String, _ node: Node, _ context: Context, problems: inout [ConfigurationProblem]
    ) -> String {
        if failure(json, context) != nil {
            problems.append(problem(node, context.key, "is \(json), but must be " + demand(context)))
        }
        return json
    }

    /// What a field takes, found out by trying.
    private func demand(_ context: Context) -> String {
        func takes(_ json: String) -> Bool { failure(json, context) == nil }
        if case .unrecognizedEnumValue = failure("\"?\"", context) {
            return "one of " + choices(context).joined(separator: ", ")
        }
        if takes("true") { return "true or false" }
        if takes("-1") { return "a whole number from \(Int32.min) to \(Int32.max)" }
        if takes("1") { return "a whole number from 0 to \(UInt32.max)" }
        if takes("[]") { return "a list" }
        if takes("{}") { return "a mapping of fields" }
        return "text"
    }

    /// The names of an enum's values, without the one that stands for "not set".
    private func choices(_ context: Context) -> [String] {
        (1...31).compactMap { number in
            guard let message = try? Message(jsonString: context.wrap("\(number)")),
                let name = try? message.jsonString().split(separator: "\"").dropLast().last,
                name.allSatisfy({ $0.isUppercase || $0 == "_" })
            else { return nil }
            return String(name)
        }
    }

    private func isKnown(_ member: Context) -> Bool {
        if case .unknownField = failure("null", member) { return false }
        return true
    }

    private func failure(_ json: String, _ context: Context) -> JSONDecodingError? {
        do {
            _ = try Message(jsonString: context.wrap(json))
            return nil
        } catch {
            return error as? JSONDecodingError ?? .failure
        }
    }

    private func problem(_ node: Node, _ key: String, _ text: String) -> ConfigurationProblem {
        ConfigurationProblem(origin: .file(file, line: node.mark?.line ?? 1), key: key, text: text)
    }
}

/// A string as JSON has it.
func quoted(_ string: String) -> String {
    var json = "\""
    for scalar in string.unicodeScalars {
        switch scalar {
        case "\"", "\\": json += "\\\(scalar)"
        case _ where scalar.value < 0x20:
            json += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
        default: json.unicodeScalars.append(scalar)
        }
    }
    return json + "\""
}
