public import PopupBroker

/// The configuration of a broker process: the combination of file, environment and command line.
public struct Configuration: Sendable, Equatable {
    /// The configuration of the broker itself.
    public var broker = BrokerConfiguration()
    /// The settings of the journal.
    public var journal = Journaling()
    /// The keys, the users and their rights.
    public var security = Security()
    /// The settings of the log.
    public var log = Log()
    /// The settings of the recording.
    public var recording = RecordingSettings()

    /// Creates the defaults.
    public init() {}
}
