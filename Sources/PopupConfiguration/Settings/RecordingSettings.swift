/// Where committed commands are recorded, and how much of them.
public struct RecordingSettings: Sendable, Equatable {
    /// A file that isn't there yet; empty: nothing is recorded.
    public var file = ""
    /// In bytes: the recording ends before it has more.
    public var maximumBytes = 1 << 30

    /// Nothing.
    public init() {}
}
