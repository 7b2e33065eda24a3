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
        var lines: [String: Int] = [:]
        return elements.enumerated().compactMap { index, element in
            let key = "policies[\(index)]"
            guard let policy = decoder.decode(element, at: key, problems: &problems) else { return nil }
            if let refusal = refusal(of: policy) {
                problems.append(problem(element, key, refusal))
                return nil
            }
            if let line = lines.updateValue(element.mark?.line ?? 1, forKey: policy.group) {
                problems.append(
                    problem(element, key, "is for `\(policy.group)`, as that of line \(line) is; join them"))
            }
            return policy
        }
    }

    /// What the broker would say to this `setPolicy`, in the file's words.
    private func refusal(of policy: WireSetPolicy) -> String? {
        do throws(CommandRefusal) {
            try CommandValidator().validate(WireCommand.with { $0.setPolicy = policy })
            return nil
        } catch {
            return error.detail.replacing("`setPolicy.", with: "`")
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
