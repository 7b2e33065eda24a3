import PopupBroker
public import PopupProtocol
import Yams

/// A file of policies alone, in the configuration's words: a whole configuration file, the list that stands under its
/// `policies`, or one policy. YAML, and so also JSON.
public struct PolicyFile: Sendable {
    private let name: String

    /// The file at this path.
    public init(name: String) {
        self.name = name
    }

    /// Its policies in order. One policy alone without a `group` is for all of them.
    public func load() throws(ConfigurationError) -> [WireSetPolicy] {
        let file = ConfigurationFile(name: name)
        var draft = ConfigurationDraft()
        if let root = file.root(problems: &draft.problems) {
            switch root {
            case .sequence:
                draft.configuration.broker.policies = MessageList.policies(file: name).read(
                    root, problems: &draft.problems)
            case .mapping(let fields) where !file.isConfiguration(fields):
                var policy = fields
                if policy["group"] == nil { policy["group"] = "*" }
                let list = Node.sequence([.mapping(policy)])
                draft.configuration.broker.policies = MessageList.policies(file: name).read(
                    list, problems: &draft.problems)
            default:
                file.read(root, into: &draft)
            }
        }
        return try draft.finish().configuration.broker.policies
    }
}
