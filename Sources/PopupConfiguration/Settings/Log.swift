public import Logging

/// The settings of the log.
public struct Log: Sendable, Equatable {
    /// The format of a line of the log.
    public enum Format: String, Sendable, CaseIterable {
        /// Text for humans.
        case text
        /// One JSON object per line.
        case json
    }

    /// The lowest severity that is logged.
    public var level: Logger.Level = .info
    /// The format of a line.
    public var format: Format = .text
    /// The size in bytes of the queue of lines that wait for standard error. Lines that do not fit are counted, and the
    /// number is logged later.
    public var queueBytes = 1 << 20

    /// Creates the defaults.
    public init() {}
}
