public import PopupProtocol
public import PopupScheduling

/// How a broker process runs: what the file, the environment and the command line say together.
public struct Configuration: Sendable, Equatable {
    /// Where the two sockets are bound.
    public var endpoints = Endpoints()
    /// The bounds of the scheduler's tables.
    public var scheduling = Limits()
    /// What is logged, and how.
    public var log = Log()
    /// The policies in force from the start, a later one for the same group replacing an earlier one.
    public var policies: [WireSetPolicy] = []

    /// The defaults.
    public init() {}
}
