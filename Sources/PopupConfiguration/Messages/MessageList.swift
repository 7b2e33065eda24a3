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
            let message = decoder.decode(element, at: key, problems: &problems)
            let name = message.map(group) ?? element.mapping?["group"]?.scalar?.string
            if let name, let line = lines.updateValue(element.mark?.line ?? 1, forKey: name) {
                let text = "is for `\(name)`, like the one of line \(line); make one of them"
                problems.append(problem(element, key, text))
            }
            guard let message else { return nil }
            let refusals = refusals(of: message)
            problems += refusals.map { problem(element, key, $0) }
            guard refusals.isEmpty else { return nil }
            return message
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
