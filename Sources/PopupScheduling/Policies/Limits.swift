/// The bounds of the scheduler's tables. Beyond each there is a refusal that names it.
public struct Limits: Sendable, Equatable {
    /// The name of a bound.
    public enum Name: String, Sendable, CaseIterable {
        /// Groups known at a time.
        case groups
        /// Live popups of all groups.
        case popups
        /// Waiting popups of one group.
        case waitingPerGroup
        /// Ids of live and closed popups kept for telling repetitions.
        case rememberedIDs
        /// Bytes of content of all live popups.
        case contentBytes
        /// Suspension tokens.
        case tokens
        /// Policies.
        case policies
    }

    /// In bytes: the longest name, key, surface, token or action. Longer ones are refused as too large.
    public static let nameBytes = 1024

    /// In bytes: the largest content. Larger ones are refused as too large.
    public static let largestContent = ByteStore.maximumCount - 2 * nameBytes

    /// Groups known at a time. One that holds nothing any more gives its place to a new one.
    public var groups = 1_000_000
    /// Live popups of all groups.
    public var popups = 1_000_000
    /// Waiting popups of one group, whatever its policy allows.
    public var waitingPerGroup = 100_000
    /// Ids kept: of live popups, and of closed ones for `rememberFor`. With the default a day may bring 4,000,000
    /// popups, 46 a second; more need more memory here, about 120 bytes each.
    public var rememberedIDs = 4_000_000
    /// In ms: how long the id of a closed popup is kept at least; 24 hours.
    public var rememberFor: Milliseconds = 86_400_000
    /// Bytes of names and content of all live popups and remembered ids.
    public var contentBytes = 4 << 30
    /// Suspension tokens that stand at a time.
    public var tokens = 1024
    /// Policies, the one for `*` included.
    public var policies = 10_000

    /// The defaults.
    public init() {}
}

/// A point in time or a span of it, in milliseconds by the scheduler's own clock, which is handed in.
public typealias Milliseconds = Int64
