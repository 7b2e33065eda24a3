import PopupProtocol
import SwiftProtobuf
import Yams

/// The list `policies`: each element a `setPolicy` in the words of the protocol.
struct PolicyList {
    /// The file's name, for problems.
    let file: String

    func read(_ node: Node, problems: inout [ConfigurationProblem]) -> [WireSetPolicy] {
        guard case .sequence(let elements) = node else {
            if node.scalar?.string.isEmpty == true { return [] }
            problems.append(problem(node, "policies", "must be a list, each element with its `group`"))
            return []
        }
        let decoder = YAMLMessageDecoder<WireSetPolicy>(file: file, fields: Self.fields)
        return elements.enumerated().compactMap { index, element in
            let key = "policies[\(index)]"
            guard let policy = decoder.decode(element, at: key, problems: &problems) else { return nil }
            guard !policy.group.isEmpty else {
                problems.append(
                    problem(element, key, "has no `group`; name a group, a pattern such as `store-12/*`, or `*`"))
                return nil
            }
            return policy
        }
    }

    private static let fields: [[String]: [String]] = [
        []: fieldNames(of: WireSetPolicy.self),
        ["caps"]: fieldNames(of: WireCap.self),
        ["quiet"]: fieldNames(of: WireQuietWindow.self),
    ]

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
