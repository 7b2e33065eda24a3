/// The settings of the recording.
public struct RecordingSettings: Sendable, Equatable {
    /// The path of a file that does not exist yet; empty: no recording.
    public var file = ""
    /// The maximum size in bytes, at which the recording ends.
    public var maximumBytes = 1 << 30

    /// Creates the defaults: no recording.
    public init() {}
}
