/// A group: 104 bytes, since there may be millions with a popup each.
struct GroupRecord: MarkedRecord {
    typealias Index = TableIndex<GroupRecord>

    struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt16
        static let isInUse = Flags(rawValue: 1)
        static let isListedAsIdle = Flags(rawValue: 2)
        static let isCapped = Flags(rawValue: 4)
        static let ages = Flags(rawValue: 8)
        static let publishesPath = Flags(rawValue: 16)
        static let advances = Flags(rawValue: 32)
        static let gapAfterHold = Flags(rawValue: 64)
        /// Popups below `leastPriority` are held back.
        static let holdsSomeBack = Flags(rawValue: 128)
        static let holdsAllBack = Flags(rawValue: 256)
        static let isHeld = Flags(rawValue: 512)
        static let canBePreemptedInOnePass = Flags(rawValue: 1024)
        static let hasCandidates = Flags(rawValue: 2048)
    }

    // Its name and its session, see `name` and `session`.
    private var nameBlock: UInt32
    private var nameCount: UInt16
    private var sessionCount: UInt16
    private var sessionBlock: UInt32
    /// The index of the policy in force.
    var policy: PolicyTable.Index

    var revision: UInt64
    /// The number of the current activation among the activations of all groups.
    var activation: UInt64 = 0
    /// The number, in the order of suspensions, at which its policy was applied: quiet windows in force at that moment
    /// began then for this group.
    var quietSince: UInt64 = 0

    private var leastPriority: Int32 = 0
    var flags = Flags.isInUse
    private var payer = ShortAccount(nil)

    var waiting: Int32 = 0
    var paused: Int32 = 0
    var delayed: Int32 = 0
    /// The number of live popups and remembered ids. While it is not 0, the group cannot be removed.
    var references: Int32 = 0

    @Packed var active: PopupRecord.Index?
    /// While this timer runs, the minimum display time protects the active popup.
    @Packed var minimumDisplay: TimerQueue.Index?
    /// While this timer runs, only a paused popup may take the slot.
    @Packed var gap: TimerQueue.Index?
    /// While this timer runs, only a ready member of the flow that holds the slot may take it.
    @Packed var hold: TimerQueue.Index?
    @Packed var holder: FlowRecord.Index?
    /// The timer by which a renderer has to display the active popup.
    @Packed var displayTimeout: TimerQueue.Index?

    /// Its waiting and paused popups, except those in `CandidateTrees`.
    var queue = WaitQueue()
    /// Its live popups in order of acceptance.
    var accepted = List<Acceptances>()
    /// Its position in the list of groups changed by the current step; see `Transaction`.
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

// These are inlined: a call would pass a copy of the whole record.
extension GroupRecord {
    @inline(__always)
    var isIdle: Bool { references == 0 && gap == nil && hold == nil && sessionCount == 0 }

    var name: ByteReference {
        @inline(__always) get { ByteReference(block: nameBlock, count: UInt32(nameCount)) }
        set { nameBlock = newValue.block }
    }

    /// The session; empty for none.
    var session: ByteReference {
        @inline(__always) get { ByteReference(block: sessionBlock, count: UInt32(sessionCount)) }
        @inline(__always) set {
            sessionBlock = newValue.block
            sessionCount = UInt16(newValue.count)
        }
    }

    /// The priority below which popups are held back. `Int64.min` if none are; above the highest priority if all are.
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

    /// Whether the group counts as holding something.
    var isHeld: Bool {
        get { flags.contains(.isHeld) }
        set { flags.set(.isHeld, newValue) }
    }

    /// The account that brought it into use; `nil` for none.
    var account: AccountRecord.Index? {
        get { payer.accountIfAny }
        set { payer = ShortAccount(newValue) }
    }

    var isListedAsIdle: Bool {
        @inline(__always) get { flags.contains(.isListedAsIdle) }
        @inline(__always) set { flags.set(.isListedAsIdle, newValue) }
    }

    /// Whether `advance` has to be repeated at the end of the minimum display time.
    var advances: Bool {
        @inline(__always) get { flags.contains(.advances) }
        @inline(__always) set { flags.set(.advances, newValue) }
    }

    /// Whether a gap follows the hold.
    var gapAfterHold: Bool {
        @inline(__always) get { flags.contains(.gapAfterHold) }
        @inline(__always) set { flags.set(.gapAfterHold, newValue) }
    }

    // Properties of its policy, so that most steps need not read the policy.

    var isCapped: Bool {
        @inline(__always) get { flags.contains(.isCapped) }
        @inline(__always) set { flags.set(.isCapped, newValue) }
    }

    var ages: Bool {
        @inline(__always) get { flags.contains(.ages) }
        @inline(__always) set { flags.set(.ages, newValue) }
    }

    var publishesPath: Bool {
        @inline(__always) get { flags.contains(.publishesPath) }
        @inline(__always) set { flags.set(.publishesPath, newValue) }
    }

    /// Whether the tree of its queue has popups.
    var hasCandidates: Bool {
        @inline(__always) get { flags.contains(.hasCandidates) }
        @inline(__always) set { flags.set(.hasCandidates, newValue) }
    }

    /// Whether the policy of the group allows preemption in one pass; see `Policy.preemptsInOnePass`.
    var canBePreemptedInOnePass: Bool {
        @inline(__always) get { flags.contains(.canBePreemptedInOnePass) }
        @inline(__always) set { flags.set(.canBePreemptedInOnePass, newValue) }
    }
}

extension OptionSet where RawValue: FixedWidthInteger {
    /// Sets or clears an option.
    @inline(__always)
    mutating func set(_ option: Self, _ isSet: Bool) {
        self = Self(rawValue: isSet ? rawValue | option.rawValue : rawValue & ~option.rawValue)
    }
}
