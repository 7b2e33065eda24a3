import PopupBroker

/// The part of a configuration that all nodes of a fleet share: what is committed to their log, and what a command may be.
/// It is in the place of these parts of each node's own file, environment and command line.
public struct SharedConfiguration: Sendable, Hashable {
    /// The text, as YAML.
    public var text: String

    /// Creates a configuration with a text, which is not checked.
    public init(_ text: String) { self.text = text }

    /// The sections that it may have.
    public static let sections = ["policies", "defaults", "limits", "deduplication", "quotas"]

    /// The settings of these sections that say what one machine can bear. Each node has its own.
    static let settingsOfMachines: Set = ["limits.connections", "limits.memoryBytes"]

    /// Checks the text.
    ///
    /// - Parameter name: The name of the file in messages.
    /// - Returns: The configuration with only these values.
    /// - Throws: `ConfigurationError` with all its mistakes.
    public func check(named name: String) throws(ConfigurationError) -> LoadedConfiguration {
        var draft = ConfigurationDraft(file: name)
        ConfigurationFile(name: name, content: text).read(into: &draft)
        for (key, origin) in draft.origins.sorted(by: { $0.key < $1.key }) where !Setting.isShared(key) {
            let text =
                Self.settingsOfMachines.contains(key)
                ? "says what one machine can bear; set it in the file of each node"
                : "is not shared by the nodes of a shard; set it in the file of each node. What they share: "
                    + Self.sections.joined(separator: ", ")
            draft.problems.append(ConfigurationProblem(origin: origin, key: key, text: text))
        }
        if draft.configuration.security != Security() {
            draft.problems.append(
                ConfigurationProblem(
                    origin: .file(name, line: nil), key: "security",
                    text: "is not shared by the nodes of a shard; set it in the file of each node"))
        }
        return try draft.finish()
    }

    /// Reads the content of a file.
    ///
    /// - Throws: `ConfigurationError` if it cannot be read, or is too large.
    public static func read(file: String) throws(ConfigurationError) -> SharedConfiguration {
        do {
            return SharedConfiguration(try ConfigurationFile(name: file).text())
        } catch let problem as ConfigurationProblem {
            throw ConfigurationError(problems: [problem])
        } catch {
            let problem = ConfigurationProblem(origin: .file(file, line: nil), key: "", text: "\(error)")
            throw ConfigurationError(problems: [problem])
        }
    }

    /// The name of this source in messages.
    static let name = "the shard's configuration"
}

extension Setting {
    /// Whether the nodes of a fleet share the setting with a key.
    static func isShared(_ key: String) -> Bool {
        SharedConfiguration.sections.contains(String(key.prefix { $0 != "." }))
            && !SharedConfiguration.settingsOfMachines.contains(key)
    }
}

extension ConfigurationDraft {
    /// Replaces what the nodes of a fleet share, and warns once of what this node would have of its own.
    mutating func replace(by shared: SharedConfiguration) {
        let other: LoadedConfiguration
        do {
            other = try shared.check(named: SharedConfiguration.name)
        } catch {
            problems += error.problems
            return
        }
        var ignored: [String] = []
        if !configuration.broker.policies.isEmpty { ignored.append("policies") }
        if !configuration.broker.defaults.isEmpty { ignored.append("defaults") }
        for setting in Setting.all where Setting.isShared(setting.key) {
            if origins[setting.key] != nil { ignored.append(setting.key) }
            _ = setting.set(setting.value(in: other.configuration), in: &configuration)
            origins[setting.key] = other.origins[setting.key]
        }
        configuration.broker.policies = other.configuration.broker.policies
        configuration.broker.defaults = other.configuration.broker.defaults
        guard !ignored.isEmpty else { return }
        warnings.append(
            "\(ignored.joined(separator: ", ")): ignored, since all nodes go by the shard's configuration; "
                + "`popup-fleet configure` changes it")
    }
}
