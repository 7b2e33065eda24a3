public import PopupBroker

/// How a broker process runs: what the file, the environment and the command line say together.
public struct Configuration: Sendable, Equatable {
    /// What the broker itself is told.
    public var broker = BrokerConfiguration()
    /// Where committed commands are kept.
    public var journal = Journaling()
    /// What is logged, and how.
    public var log = Log()
    /// Where committed commands are recorded.
    public var recording = RecordingSettings()

    /// The defaults.
    public init() {}
}
