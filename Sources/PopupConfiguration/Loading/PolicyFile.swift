import PopupBroker
public import PopupProtocol
import Yams

/// A file with policies in the format of the configuration: a configuration file, a list of policies, or one policy. It is
/// YAML, and may therefore be JSON.
public struct PolicyFile: Sendable {
    private let name: String

    /// Creates a reference to the file at this path.
    public init(name: String) {
        self.name = name
    }

    /// Returns the policies in order. A single policy without a `group` is for all groups.
    ///
    /// - Throws: `ConfigurationError` with all mistakes of the file, also if it cannot be read.
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
