/// What is logged, and how.
public struct Log: Sendable, Equatable {
    /// From which severity on.
    public enum Level: String, Sendable, CaseIterable {
        /// Each step of the program.
        case trace
        /// What helps to find a fault.
        case debug
        /// What happens in the course of things.
        case info
        /// What is worth knowing, and no fault.
        case notice
        /// What may become a fault.
        case warning
        /// What went wrong.
        case error
        /// What ends the program.
        case critical
    }

    /// How a line of the log looks.
    public enum Format: String, Sendable, CaseIterable {
        /// For people.
        case text
        /// One JSON object a line.
        case json
    }

    /// From which severity on.
    public var level: Level = .info
    /// How a line looks.
    public var format: Format = .text

    /// The defaults.
    public init() {}
}
