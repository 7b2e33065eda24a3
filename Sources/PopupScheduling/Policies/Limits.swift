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
        case maxIDs
        /// Producers of which it is counted what they hold.
        case accounts
        /// Bytes of content of all live popups.
        case contentBytes
        /// Suspension tokens.
        case suspensions
        /// Policies.
        case policies
        /// Live members of one flow.
        case membersPerFlow
        /// Renderers known at a time.
        case renderers
        /// Renderers that reported on or dismissed one popup.
        case renderersPerPopup
        /// Names and patterns of one lease.
        case groupsPerLease
        /// Trees of pages.
        case pageTrees
        /// Pages of one tree.
        case pagesPerTree
        /// Pages from a root to its farthest page.
        case pageDepth
        /// Showings remembered for the caps of all groups.
        case cappedShowings
    }

    /// In bytes: the longest name, key, surface, token or action. Longer ones are refused as too large.
    public static let nameBytes = 1024

    /// In bytes: the largest content. Larger ones are refused as too large.
    public static let largestContent = 1 << 18 - 2 * nameBytes

    /// Caps, and quiet windows, of one policy.
    public static let listedRules = 16

    /// Showings that one cap may allow per window.
    public static let largestCap = 10_000

    /// How often one popup is shown at most, whatever its policy's `maximumAttempts`.
    public static let mostAttempts: UInt32 = 100

    /// An account may have so many times as many live popups as there is room for: alone 8/9 of the table, and others
    /// always find room.
    public static let shareOfFree = 8

    /// In ms: when nothing was told for so long, quiet windows neither begin nor end until something is; 48 hours.
    public static let longestSilence: Milliseconds = 172_800_000

    /// Groups known at a time. One that holds nothing any more gives its place to a new one.
    public var groups = 1_000_000
    /// Live popups of all groups.
    public var popups = 1_000_000
    /// Waiting popups of one group, whatever its policy allows.
    public var waitingPerGroup = 100_000
    /// Ids kept: of live popups, and of closed ones for `deduplicationWindow`. With the default a day may bring
    /// 4,000,000 popups, 46 a second; more need more memory here, about 130 bytes each, or are known for a shorter
    /// time.
    public var maxIDs = 4_000_000
    /// In ms: how long the id of a closed popup is kept, unless more than `maxIDs` are; 24 hours.
    public var deduplicationWindow: Milliseconds = 86_400_000
    /// Bytes of names and content of all live popups and remembered ids.
    public var contentBytes = 512 << 20
    /// Producers of which it is counted what they hold, at most 65,534. Further ones share the account of commands
    /// without a producer.
    public var accounts = 10_000
    /// Suspension tokens that stand at a time.
    public var suspensions = 1024
    /// Policies, the one for `*` included.
    public var policies = 10_000

    /// Live members of one flow.
    public var membersPerFlow = 100
    /// Renderers known at a time: those with a lease, and those that a live popup remembers.
    public var renderers = 100_000
    /// Renderers that reported on or dismissed one popup.
    public var renderersPerPopup = 1000
    /// Names and patterns of one lease.
    public var groupsPerLease = 1000
    /// Trees of pages.
    public var pageTrees = 100_000
    /// Pages of one tree.
    public var pagesPerTree = 1000
    /// Pages from a root to its farthest page, both included.
    public var pageDepth = 64
    /// Showings remembered for the caps of all groups, 8 bytes each.
    public var cappedShowings = 10_000_000

    /// The defaults.
    public init() {}
}

/// A point in time or a span of it, in milliseconds by the scheduler's own clock, which is handed in.
public typealias Milliseconds = Int64
