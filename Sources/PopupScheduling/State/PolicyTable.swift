/// The state of a policy's quiet windows.
struct QuietWindows {
    /// For each window the number at which it began, in the order of suspensions; 0 if it is not in force.
    var numbers: [UInt64] = []
    /// The timer of the next instant at which a window may begin or end.
    var timer: TimerQueue.Index?
}

/// The policies by the name or pattern to which they apply, with their quiet windows, and the suspensions, which are
/// numbered together with quiet windows.
///
/// A policy that is removed can be read until its index is used again: its groups are handled one after another, and
/// those that are not handled yet stay under it. No other policy is set meanwhile. Changes of its fields trap in debug
/// builds.
struct PolicyTable {
    typealias Index = TableIndex<Policy>

    /// The positions in the following arrays.
    private var positions = TableIndices<Policy>()
    private var policies: [Policy] = []
    /// The state of the policies' quiet windows.
    private var quiet: [QuietWindows] = []
    /// The accounts that set the policies.
    private var accounts: [AccountRecord.Index?] = []
    /// The names or patterns of the policies.
    private var patternOfIndex: [[UInt8]] = []
    private var indices = PatternMap<Index>()

    /// The suspensions.
    var suspensions: SuspensionTable
    /// The random numbers that determine the lengths of gaps.
    private(set) var gaps: Generator

    /// Whether quiet windows have no timer because there were no commands for a long time.
    var quietWindowsStopped = false

    /// Creates a table with the initial policy only.
    init(suspensions: SuspensionTable = SuspensionTable(), gaps: Generator = Generator(seed: 0)) {
        self.suspensions = suspensions
        self.gaps = gaps
        // It is in no map, so it is never removed.
        _ = insert(.priority, for: Pattern.star)
    }

    /// The index of the policy that applies if no other was set.
    static var initial: Index { Index(number: 0) }

    /// The number of policies that were set.
    var count: Int { indices.count }

    /// The policy at an index. It is yielded, not copied, since it contains arrays.
    subscript(index: Index) -> Policy {
        _read { yield policies[index.number] }
    }

    /// The state of a policy's quiet windows.
    subscript(quietWindows index: Index) -> QuietWindows {
        _read { yield quiet[index.number] }
        _modify {
            positions.check(index)
            yield &quiet[index.number]
        }
    }

    /// The account that set a policy.
    subscript(account index: Index) -> AccountRecord.Index? {
        get { accounts[index.number] }
        set {
            positions.check(index)
            accounts[index.number] = newValue
        }
    }

    /// Returns a length of a gap under a policy, in ms.
    mutating func drawGap(under index: Index) -> UInt32 { gaps.next(in: policies[index.number].gap) }

    /// Returns the priority below which suspensions or quiet windows hold popups of a group back.
    func threshold(ofGroup name: UnsafeRawBufferPointer, under index: Index) -> Int64 {
        max(suspensions.threshold(for: name), quietThreshold(index))
    }

    /// The number of policies whose quiet windows have a timer.
    var quietCount: Int { quiet.count { $0.timer != nil } }

    /// Whether the quiet windows of a policy have no timer because there were no commands for a long time.
    func hasStopped(_ index: Index) -> Bool {
        !policies[index.number].quiet.isEmpty && quiet[index.number].timer == nil
    }

    /// Returns the priority below which quiet windows of a policy hold popups back, of the windows in force that began
    /// after `number`; `Int64.min` if there are none.
    func quietThreshold(_ index: Index, after number: UInt64 = 0) -> Int64 {
        let windows = policies[index.number].quiet
        return zip(windows, quiet[index.number].numbers).reduce(.min) { highest, window in
            guard window.1 > number else { return highest }
            return max(highest, window.0.minimumPriority.map(Int64.init) ?? .max)
        }
    }

    /// The names and patterns with a policy, in byte order.
    var patterns: [[UInt8]] { indices.patterns.sorted { $0.lexicographicallyPrecedes($1) } }

    /// Returns the name or pattern of the policy at an index in use.
    func pattern(of index: Index) -> [UInt8] { patternOfIndex[index.number] }

    func index(ofPattern pattern: [UInt8]) -> Index? { indices[pattern] }

    /// Returns the index of the policy of exactly this name or pattern.
    func index(ofPattern pattern: UnsafeRawBufferPointer) -> Index? { indices[Array(pattern)] }

    func ignoresPriority(_ index: Index) -> Bool { policies[index.number].ignorePriority }

    /// Returns the outcome when a newcomer meets the active popup, by the priorities that the rules compare.
    @inline(__always)
    func interruption(by newcomer: Int64, of active: Int64, under index: Index) -> Policy.Interruption {
        if newcomer > active { return policies[index.number].higher }
        return newcomer == active ? policies[index.number].peers : policies[index.number].lower
    }

    /// Returns the outcome when a newcomer meets the active popup, where popups do not age.
    @inline(__always)
    func interruption(by newcomer: Int32, of active: Int32, under index: Index) -> Policy.Interruption {
        let ignoresPriority = ignoresPriority(index)
        return interruption(
            by: ignoresPriority ? 0 : Int64(newcomer), of: ignoresPriority ? 0 : Int64(active), under: index)
    }

    /// Returns the display time in ms of a popup of this duration; 0 if it lasts until the popup is dismissed.
    @inline(__always)
    func displayTime(_ duration: UInt32, under index: Index) -> Milliseconds {
        Self.displayTime(
            duration, policies[index.number].defaultDuration, atMost: policies[index.number].maxDuration)
    }

    /// Returns the display time in ms of a popup of this duration under a policy with this default and maximum.
    @inline(__always)
    static func displayTime(_ duration: UInt32, _ fallback: UInt32, atMost most: UInt32) -> Milliseconds {
        let wanted = duration == 0 ? fallback : duration
        return Milliseconds(wanted == 0 || most == 0 ? max(wanted, most) : min(wanted, most))
    }

    /// Sets or replaces the policy of a pattern. Returns its index.
    @discardableResult
    mutating func set(_ policy: Policy, for pattern: UnsafeRawBufferPointer) -> Index {
        let key = Array(pattern)
        if let index = indices[key] {
            policies[index.number] = policy
            return index
        }
        let index = insert(policy, for: key)
        indices[key] = index
        return index
    }

    private mutating func insert(_ policy: Policy, for pattern: [UInt8]) -> Index {
        let index = positions.insert()
        if index.number == policies.count {
            policies.append(policy)
            quiet.append(QuietWindows())
            accounts.append(nil)
            patternOfIndex.append(pattern)
        } else {
            policies[index.number] = policy
            patternOfIndex[index.number] = pattern
        }
        return index
    }

    /// Removes the policy of a pattern, if there is one.
    mutating func remove(_ pattern: UnsafeRawBufferPointer) {
        let key = Array(pattern)
        guard let index = indices[key] else { return }
        indices[key] = nil
        accounts[index.number] = nil
        positions.remove(index)
    }

    /// Returns the index of the policy of a group: that of its exact name, otherwise that of the matching pattern with
    /// the most segments, otherwise that of `*`.
    func index(for name: UnsafeRawBufferPointer) -> Index {
        indices.first(for: name) { $0 } ?? Self.initial
    }
}
