/// A group as the scheduler keeps it: 104 bytes, for there may be millions that show a popup each.
struct GroupRecord: MarkedRecord {
    typealias Index = TableIndex<GroupRecord>

    struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt16
        static let isInUse = Flags(rawValue: 1)
        static let isListedAsIdle = Flags(rawValue: 2)
        static let isCapped = Flags(rawValue: 4)
        static let ages = Flags(rawValue: 8)
        static let tellsPath = Flags(rawValue: 16)
        static let advances = Flags(rawValue: 32)
        static let gapAfterHold = Flags(rawValue: 64)
        /// Popups below `leastPriority` are held back.
        static let holdsSomeBack = Flags(rawValue: 128)
        static let holdsAllBack = Flags(rawValue: 256)
        static let isHeld = Flags(rawValue: 512)
    }

    // Its name and the value of its session, as `name` and `session` give them.
    private var nameBlock: UInt32
    private var nameCount: UInt16
    private var sessionCount: UInt16
    private var sessionBlock: UInt32
    /// The policy in force, by its place in the table of policies.
    var policy: PolicyTable.Index

    var revision: UInt64
    /// Names the present activation among all of all groups.
    var activation: UInt64 = 0
    /// The number, in the order of suspensions, with which it came under its policy: the quiet windows in force then
    /// began for it.
    var quietSince: UInt64 = 0

    private var leastPriority: Int32 = 0
    var flags = Flags.isInUse
    private var payer = ShortAccount(nil)

    var waiting: Int32 = 0
    var paused: Int32 = 0
    var delayed: Int32 = 0
    /// Live popups and remembered ids: while there is any, the group can't be forgotten.
    var references: Int32 = 0

    @Packed var active: PopupRecord.Index?
    /// Protects the active popup while it is set.
    @Packed var minimumDisplay: TimerQueue.Index?
    /// Nothing that isn't paused is shown while it is set.
    @Packed var gap: TimerQueue.Index?
    /// While it is set nothing is shown but what is ready of the flow that holds the slot.
    @Packed var hold: TimerQueue.Index?
    @Packed var holder: FlowRecord.Index?
    /// Closes, skips or leaves the active popup unless a renderer displays it.
    @Packed var displayTimeout: TimerQueue.Index?

    /// Its waiting and paused popups.
    var queue = WaitQueue()
    /// Its live popups in order of acceptance.
    var accepted = List<Acceptances>()
    /// Its place in the list of groups touched by the present step; see `Transaction`.
    @Packed var changed: Transaction.Index?

    init(name: ByteReference, policy: PolicyTable.Index, revision: UInt64) {
        nameBlock = name.block
        nameCount = UInt16(name.count)
        sessionBlock = ByteReference.empty.block
        sessionCount = 0
        self.policy = policy
        self.revision = revision
    }
}

// Inlined: a call would be lent a copy of the whole record.
extension GroupRecord {
    @inline(__always)
    var isIdle: Bool { references == 0 && gap == nil && hold == nil && sessionCount == 0 }

    @inline(__always)
    var name: ByteReference { ByteReference(block: nameBlock, count: UInt32(nameCount)) }

    /// The value of its session, or empty.
    var session: ByteReference {
        @inline(__always) get { ByteReference(block: sessionBlock, count: UInt32(sessionCount)) }
        @inline(__always) set {
            sessionBlock = newValue.block
            sessionCount = UInt16(newValue.count)
        }
    }

    /// Popups of lower own priority are held back; `Int64.min`: none are; above the highest priority: all are.
    var threshold: Int64 {
        @inline(__always) get {
            if flags.contains(.holdsAllBack) { return .max }
            return flags.contains(.holdsSomeBack) ? Int64(leastPriority) : .min
        }
        @inline(__always) set {
            leastPriority = Int32(clamping: newValue)
            flags.set(.holdsAllBack, newValue > Int64(Int32.max))
            flags.set(.holdsSomeBack, newValue >= Int64(Int32.min))
        }
    }

    var isInUse: Bool {
        @inline(__always) get { flags.contains(.isInUse) }
        @inline(__always) set { flags.set(.isInUse, newValue) }
    }

    /// Whether it counts as one that holds something.
    var isHeld: Bool {
        get { flags.contains(.isHeld) }
        set { flags.set(.isHeld, newValue) }
    }

    /// The account that brought it into use, if one did.
    var account: AccountRecord.Index? {
        get { payer.accountIfAny }
        set { payer = ShortAccount(newValue) }
    }

    var isListedAsIdle: Bool {
        @inline(__always) get { flags.contains(.isListedAsIdle) }
        @inline(__always) set { flags.set(.isListedAsIdle, newValue) }
    }

    /// An `advance` that came before the minimum display time was over.
    var advances: Bool {
        @inline(__always) get { flags.contains(.advances) }
        @inline(__always) set { flags.set(.advances, newValue) }
    }

    /// Whether a gap follows the hold.
    var gapAfterHold: Bool {
        @inline(__always) get { flags.contains(.gapAfterHold) }
        @inline(__always) set { flags.set(.gapAfterHold, newValue) }
    }

    // What its policy says, so that nobody need look whom it doesn't concern.

    var isCapped: Bool {
        @inline(__always) get { flags.contains(.isCapped) }
        @inline(__always) set { flags.set(.isCapped, newValue) }
    }

    var ages: Bool {
        @inline(__always) get { flags.contains(.ages) }
        @inline(__always) set { flags.set(.ages, newValue) }
    }

    var tellsPath: Bool {
        @inline(__always) get { flags.contains(.tellsPath) }
        @inline(__always) set { flags.set(.tellsPath, newValue) }
    }
}

extension OptionSet where RawValue: FixedWidthInteger {
    /// Sets or clears what an option says.
    @inline(__always)
    mutating func set(_ option: Self, _ isSet: Bool) {
        self = Self(rawValue: isSet ? rawValue | option.rawValue : rawValue & ~option.rawValue)
    }
}
