/// One thing that is wrong with a configuration.
public struct ConfigurationProblem: Sendable, Hashable {
    /// Where it stands.
    public var origin: Origin
    /// The path of the key, such as `limits.groups` or `policies[2].higher`; empty when it is the source as a whole.
    public var key: String
    /// What is wrong and what to do.
    public var text: String
}

extension ConfigurationProblem: CustomStringConvertible {
    /// `popup-broker.yaml:12: limits.groups: what is wrong; what to do`.
    public var description: String {
        key.isEmpty ? "\(origin): \(text)" : "\(origin): \(key): \(text)"
    }
}

/// A configuration that can't be used, with everything that is wrong with it.
public struct ConfigurationError: Error, Sendable, Equatable {
    /// At least one: those of the file by line, then the environment's, then the command line's.
    public var problems: [ConfigurationProblem]
}

extension ConfigurationError: CustomStringConvertible {
    /// One problem a line.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
