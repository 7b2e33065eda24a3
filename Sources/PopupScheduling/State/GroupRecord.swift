/// A group as the scheduler keeps it.
struct GroupRecord: BitwiseCopyable {
    var name: ByteReference
    var nameHash: UInt32
    /// The policy in force, by its place in the table of policies.
    var policy: Int32
    /// Popups of lower own priority are held back; `Int64.min`: none are.
    var threshold: Int64 = .min

    var revision: UInt64
    var waiting: Int32 = 0
    var paused: Int32 = 0
    var delayed: Int32 = 0
    /// Live popups and remembered ids: while there is any, the group can't be forgotten.
    var references: Int32 = 0

    var active = nobody
    /// Names the present activation among all of all groups.
    var activation: UInt64 = 0
    /// Protects the active popup while it is set.
    var minimumDisplay = nobody
    /// An `advance` that came before the minimum display time was over.
    var advances = false
    /// Nothing that isn't paused is shown while it is set.
    var gap = nobody
    /// While it is set nothing is shown but what is ready of the flow that holds the slot.
    var hold = nobody
    var holder = nobody
    /// Whether a gap follows the hold.
    var gapAfterHold = false
    /// Closes, skips or leaves the active popup unless a renderer displays it.
    var displayTimeout = nobody

    /// The value of its session, or empty.
    var session = ByteReference.empty

    /// The number, in the order of suspensions, with which it came under its policy: the quiet windows in force then began
    /// for it.
    var quietSince: UInt64 = 0

    // What its policy says, so that nobody need look whom it doesn't concern.
    var isCapped = false
    var ages = false
    var tellsPath = false

    /// The line: its highest and its lowest rung.
    var highest = nobody
    var lowest = nobody
    /// The roster's ends.
    var oldest = nobody
    var youngest = nobody

    /// Its place in the list of groups touched by the present step; see `Step`.
    var touched = nobody
    var isListedAsIdle = false
    var isInUse = true
}

extension GroupRecord {
    var isIdle: Bool { references == 0 && gap == nobody && hold == nobody && session.isEmpty }
}
