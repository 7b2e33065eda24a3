/// The limits of the scheduler's tables. A command that exceeds one is refused, and the refusal names the limit.
public struct Limits: Sendable, Equatable {
    /// The name of a limit.
    public enum Name: String, Sendable, CaseIterable {
        /// Known groups.
        case groups
        /// The maximum number of live popups of all groups.
        case popups
        /// Waiting popups of one group.
        case waitingPerGroup
        /// Ids of live and closed popups that are remembered to recognize repetitions.
        case maxIDs
        /// Producers with an account of their own.
        case accounts
        /// The maximum number of bytes of names and content of all live popups and remembered ids.
        case contentBytes
        /// The maximum number of suspension tokens.
        case suspensions
        /// Policies.
        case policies
        /// The maximum number of live members of one flow.
        case membersPerFlow
        /// Known renderers.
        case renderers
        /// The maximum number of renderers that reported on or dismissed one popup.
        case renderersPerPopup
        /// Names and patterns of one lease.
        case groupsPerLease
        /// The maximum number of page trees.
        case pageTrees
        /// The maximum number of pages of one tree.
        case pagesPerTree
        /// Pages from a root to its deepest page.
        case pageDepth
        /// Showings remembered for the caps of all groups.
        case cappedShowings
    }

    /// The maximum length in bytes of a name, key, surface, token or action. A longer one is refused as too large.
    public static let nameBytes = 1024

    /// The maximum length of a content in bytes. A longer one is refused as too large.
    public static let largestContent = 1 << 18 - 2 * nameBytes

    /// The maximum number of caps, and of quiet windows, of one policy.
    public static let listedRules = 16

    /// The maximum number of showings that one cap may allow per window.
    public static let largestCap = 10_000

    /// The maximum number of times that one popup is shown, whatever its policy's `maxAttempts`.
    public static let maxAttempts: UInt32 = 100

    /// The share of an account, and of a user: at most this many times the free entries of a table. A single one can fill
    /// 8/9 of the table, and others always find room.
    public static let shareOfFree = 8

    /// The time in ms without commands after which quiet windows neither begin nor end until the next command; 48
    /// hours.
    public static let longestSilence: Milliseconds = 172_800_000

    /// The maximum number of known groups. A new group replaces one that holds nothing any more.
    public var groups = 1_000_000
    /// The maximum number of live popups of all groups.
    public var popups = 1_000_000
    /// The maximum number of waiting popups of one group, whatever its policy allows.
    public var waitingPerGroup = 100_000
    /// The maximum number of remembered ids: those of live popups, and those of closed popups for
    /// `deduplicationWindow`. The default suffices for 4,000,000 popups a day (46 per second). Beyond that, ids are
    /// remembered for a shorter time. Each id takes about 130 bytes.
    public var maxIDs = 4_000_000
    /// The time in ms for which the id of a closed popup is remembered, unless there are more than `maxIDs`; 24 hours.
    public var deduplicationWindow: Milliseconds = 86_400_000
    /// The maximum number of bytes of names and content of all live popups and remembered ids.
    public var contentBytes = 512 << 20
    /// The maximum number of producers with an account of their own, at most 65,534. All others share the account of
    /// commands without a producer.
    public var accounts = 10_000
    /// The maximum number of suspension tokens.
    public var suspensions = 1024
    /// The maximum number of policies, including the one of `*`.
    public var policies = 10_000

    /// The maximum number of live members of one flow.
    public var membersPerFlow = 100
    /// The maximum number of known renderers: those with a lease, and those that reported on or dismissed a live popup.
    public var renderers = 100_000
    /// The maximum number of renderers that reported on or dismissed one popup.
    public var renderersPerPopup = 1000
    /// The maximum number of names and patterns of one lease.
    public var groupsPerLease = 1000
    /// The maximum number of page trees.
    public var pageTrees = 100_000
    /// The maximum number of pages of one tree.
    public var pagesPerTree = 1000
    /// The maximum number of pages from a root to its deepest page, both included.
    public var pageDepth = 64
    /// The maximum number of showings remembered for the caps of all groups, 10 bytes each.
    public var cappedShowings = 10_000_000
    /// Whether all accounts of a user together may hold no more than one account may: in a broker with keys, whose users
    /// are known. Commands without a user are those of one user then. Otherwise users have no effect.
    public var usersHaveShares = false

    /// Creates the default limits.
    public init() {}
}

/// A point in time or a duration in milliseconds, by the scheduler's clock. The caller supplies the time.
public typealias Milliseconds = Int64
