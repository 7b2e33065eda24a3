/// A mistake in a configuration.
public struct ConfigurationProblem: Sendable, Hashable {
    /// The place of the mistake.
    public var origin: Origin
    /// The path of the key, such as `limits.groups` or `policies[2].higher`; empty for the source as a whole.
    public var key: String
    /// The mistake, and what to do.
    public var text: String
}

extension ConfigurationProblem: CustomStringConvertible {
    /// `popup-broker.yaml:12: limits.groups: what is wrong; what to do`.
    public var description: String {
        key.isEmpty ? "\(origin): \(text)" : "\(origin): \(key): \(text)"
    }
}

/// The error that a configuration cannot be used, with all its mistakes.
public struct ConfigurationError: Error, Sendable, Equatable {
    /// The mistakes, at least one: those of the file by line, then those of the environment, then those of the command
    /// line.
    public var problems: [ConfigurationProblem]
}

extension ConfigurationError: CustomStringConvertible {
    /// The problems, one per line.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
