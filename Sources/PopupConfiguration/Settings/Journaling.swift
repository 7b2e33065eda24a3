/// The settings of the journal.
public struct Journaling: Sendable, Equatable {
    /// The durability of committed commands.
    public enum Durability: String, Sendable, CaseIterable {
        /// A crash of the process and of the machine: they are on disk before they have any effect.
        case full
        /// A crash of the process; a power cut may lose the last moments.
        case normal
        /// Commits survive nothing: they are only in memory.
        case memory
    }

    /// The data directory; empty: the one that belongs to the ingress endpoint.
    public var directory = ""
    /// The durability of committed commands.
    public var durability = Durability.full
    /// The size in bytes at which the next file of the journal begins, and the least amount that is committed between two
    /// snapshots.
    public var segmentBytes = 64 << 20

    /// Creates the defaults: full durability in the directory that belongs to the ingress endpoint.
    public init() {}
}
