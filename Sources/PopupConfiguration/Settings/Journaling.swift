/// Where committed commands are kept, and what they outlive.
public struct Journaling: Sendable, Equatable {
    /// What committed commands outlive.
    public enum Durability: String, Sendable, CaseIterable {
        /// The process and the machine: they are on disk before anything comes of them.
        case full
        /// The process; a power cut may take the last moments.
        case normal
        /// Nothing: they are in memory alone.
        case memory
    }

    /// The data directory; empty: the one that belongs to the ingress endpoint.
    public var directory = ""
    /// What committed commands outlive.
    public var durability = Durability.full
    /// In bytes: how large a file of the journal becomes before the next begins, and how much is committed at least
    /// between two snapshots.
    public var segmentBytes = 64 << 20

    /// Full durability in the folder that belongs to the ingress endpoint.
    public init() {}
}
