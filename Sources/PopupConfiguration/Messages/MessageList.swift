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
            guard let message = decoder.decode(element, at: key, problems: &problems) else { return nil }
            if let refusal = refusal(of: message) {
                problems.append(problem(element, key, refusal))
                return nil
            }
            if let line = lines.updateValue(element.mark?.line ?? 1, forKey: group(message)) {
                let text = "is for `\(group(message))`, like the one of line \(line); make one of them"
                problems.append(problem(element, key, text))
            }
            return message
        }
    }

    /// What the broker would say to it, in the file's words: without the command's name before the field's.
    private func refusal(of message: Message) -> String? {
        do throws(CommandRefusal) {
            try check(message)
            return nil
        } catch {
            return error.detail.replacing(/`(setPolicy|show)\./, with: "`")
        }
    }

    private func problem(_ node: Node, _ key: String, _ text: String) -> ConfigurationProblem {
        ConfigurationProblem(origin: .file(file, line: node.mark?.line ?? 1), key: key, text: text)
    }
}

/// The names of a message's fields in its JSON form.
func fieldNames<Message: SwiftProtobuf.Message & _ProtoNameProviding>(of message: Message.Type) -> [String] {
    Google_Protobuf_FieldMask(allFieldsOf: message).paths.map { name in
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}
