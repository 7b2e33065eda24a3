/// A valid configuration, and the origin of its values.
public struct LoadedConfiguration: Sendable, Equatable {
    /// The combined configuration.
    public var configuration: Configuration
    /// The origin of each setting by its key; settings with their default are absent.
    public var origins: [String: Origin]
    /// Warnings, for example about unknown variables.
    public var warnings: [String]
}
