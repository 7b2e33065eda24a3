/// A configuration that can be used, and where its parts come from.
public struct LoadedConfiguration: Sendable, Equatable {
    /// What the sources give together.
    public var configuration: Configuration
    /// Where each setting was set, by its key; those at their default are absent.
    public var origins: [String: Origin]
    /// What is no error and yet worth a look, such as a variable that sets nothing.
    public var warnings: [String]
}
