public import Logging

/// What is logged, and how.
public struct Log: Sendable, Equatable {
    /// How a line of the log looks.
    public enum Format: String, Sendable, CaseIterable {
        /// For people.
        case text
        /// One JSON object a line.
        case json
    }

    /// From which severity on.
    public var level: Logger.Level = .info
    /// How a line looks.
    public var format: Format = .text
    /// In bytes: lines that wait until the standard error takes them; what is beyond it is counted, and told later.
    public var queueBytes = 1 << 20

    /// The defaults.
    public init() {}
}
