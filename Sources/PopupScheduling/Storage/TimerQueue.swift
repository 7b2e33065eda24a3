/// All timers in the order in which they are due; timers of the same instant in the order in which they were set.
///
/// A hierarchical timing wheel (Varghese and Lauck, SOSP 1987) with 64 slots per wheel: a slot of level 0 is a
/// millisecond, a slot of level 1 is 64 ms, and so on up to the whole range of 64 bits. A slot contains its timers in
/// the order in which they were set. The hand points at the first timer, not at the current time. So the first timer is
/// always known exactly, and any time in the future fits into the wheels.
///
///     level 1   │ … │hand│ · │ 3 │ · │ 7 │ …       a slot: timers, in a ring ─▶ 12 ─▶ 15 ─▶ 40
///                    └──────────┐                          or a wheel that was filled before
///     level 0   │ · │ · │ hand=first │ · │ 2 │ …
///
/// When the hand enters a slot, its timers are distributed to the wheels below, in their order. When a timer is set
/// before the first one, the hand turns back, and the wheels that it leaves stay in the slots to which they belong. So
/// a timer moves down at most once per level. Apart from that, setting, cancelling and removing a timer take O(1).
///
/// A long ring is distributed before the hand comes, to a wheel that takes its place in the slot. So no entering of a
/// slot takes long, however many timers are due about the same time. The lengths of rings are not counted: one of many
/// settings, chosen by a hash, measures its ring. See `RingLimits`.
struct TimerQueue: ~Copyable {
    /// A timer: 32 bytes.
    struct Timer: BitwiseCopyable {
        var due: Milliseconds
        var order: UInt64
        var task: TimerTask
        // Its neighbours in the ring of its slot; the timer itself if it is alone.
        var next: Index
        var previous: Index
    }

    typealias Index = TableIndex<Timer>

    /// The limits from which a ring above level 0 is distributed early.
    struct RingLimits: BitwiseCopyable {
        /// The length from which a ring is long.
        let longRing: Int
        /// The shift of a hash of 64 bits that is 0 for the settings that measure their ring.
        fileprivate let shift: UInt64

        /// Creates limits. `settingsPerMeasurement` is the mean number of settings of which one measures its ring; a
        /// power of 2.
        init(longRing: Int = 8192, settingsPerMeasurement: UInt64 = 4096) {
            precondition(settingsPerMeasurement > 1 && settingsPerMeasurement & (settingsPerMeasurement - 1) == 0)
            self.longRing = longRing
            shift = UInt64(64 - settingsPerMeasurement.trailingZeroBitCount)
        }
    }

    private let limits: RingLimits

    #if DEBUG
        /// The number of times that timers were put into rings, for tests that count work.
        private(set) var placements = 0
    #endif

    private var timers = Slab<Timer>()
    private(set) var wheels = TimerWheels()
    /// The time of the first timer as an unsigned number with the same order; unspecified if there is none.
    private var hand: UInt64 = 0
    /// The wheel around the hand on each level.
    private var around = Buffer<TimerWheels.Wheel>()
    /// A bit for each level on which the wheel around the hand has a timer.
    private var levelsInUse: UInt16 = 0
    /// The number of timers ever set.
    private(set) var settings: UInt64 = 0
    /// Whether restored timers are not in the wheels yet.
    private var isRestoring = false

    init(limits: RingLimits = RingLimits()) {
        self.limits = limits
        for _ in 0..<TimerWheels.levels { around.append(wheels.add()) }
    }

    /// Creates a queue into which timers are restored. `settings` is the number of timers ever set.
    init(settings: UInt64, limits: RingLimits = RingLimits()) {
        self.init(limits: limits)
        self.settings = settings
    }

    var count: Int { timers.count }

    /// The time of the first timer; `nil` if there is none.
    var nextDue: Milliseconds? { count == 0 ? nil : Self.time(of: hand) }

    /// Sets a timer. Returns its index, by which it can be cancelled.
    mutating func set(_ task: TimerTask, due: Milliseconds) -> Index {
        settings += 1
        let timer = insert(task, due: due, order: settings)
        let key = Self.key(of: due)
        if count == 1 { hand = key } else if key < hand { turnBack(to: key) }
        place(timer, key)
        return timer
    }

    private mutating func insert(_ task: TimerTask, due: Milliseconds, order: UInt64) -> Index {
        let alone = timers.nextIndex
        return timers.insert(Timer(due: due, order: order, task: task, next: alone, previous: alone))
    }

    /// Cancels a timer. Has no effect on `nil`.
    @inline(__always)
    mutating func cancel(_ timer: Index?) {
        if let timer { cancelSet(timer) }
    }

    private mutating func cancelSet(_ timer: Index) {
        takeOut(timer)
        timers.remove(timer)
        if !wheels.hasContent(around[0], Self.slot(of: hand, on: 0)) { turnForward() }
    }

    /// Sets a timer to another time. Its task stays: the same as cancelling it and setting another one, in its place.
    mutating func reset(_ timer: Index, due: Milliseconds) {
        settings += 1
        if resetInRing(timer, due: due) { return }
        takeOut(timer)
        timers[timer].due = due
        timers[timer].order = settings
        let key = Self.key(of: due)
        if count == 1 {
            hand = key
        } else {
            if !wheels.hasContent(around[0], Self.slot(of: hand, on: 0)) { turnForward() }
            if key < hand { turnBack(to: key) }
        }
        place(timer, key)
    }

    /// Sets a timer to another time, if its ring has other timers, and the new time is not before the first timer.
    /// Returns whether it did.
    ///
    /// So it is where many timers are due about the same time. The slot that the timer leaves stays in use, and so do
    /// the wheels around it. The hand stays, too: if the timer was the first of all, another one of its ring is now.
    @inline(__always)
    private mutating func resetInRing(_ timer: Index, due: Milliseconds) -> Bool {
        let record = timers.mutableAddress(of: timer)
        let (next, previous) = (record.pointee.next, record.pointee.previous)
        let key = Self.key(of: due)
        guard next != timer, key >= hand else { return false }
        let (wheel, slot) = innermostSlot(of: Self.key(of: record.pointee.due))
        timers[previous].next = next
        timers[next].previous = previous
        if wheels.begins(with: timer, wheel, slot) { wheels.replace(next, wheel, slot) }
        record.pointee.due = due
        record.pointee.order = settings
        place(timer, key)
        return true
    }

    /// Returns the slot, and its wheel, in whose ring the timers of a time are. The time must not be before the hand.
    @inline(__always)
    private func innermostSlot(of key: UInt64) -> (wheel: TimerWheels.Wheel, slot: Int) {
        var level = Self.level(of: key ^ hand)
        var (wheel, slot) = (around[level], Self.slot(of: key, on: level))
        while let inner = wheels.wheel(in: wheel, slot) {
            level -= 1
            (wheel, slot) = (inner, Self.slot(of: key, on: level))
        }
        return (wheel, slot)
    }

    /// Removes the first timer and returns it, if it is due at or before `now`.
    mutating func takeFirst(until now: Milliseconds) -> DueTimer? {
        guard count > 0, hand <= Self.key(of: now) else { return nil }
        guard case .timer(let timer) = wheels[around[0], Self.slot(of: hand, on: 0)] else { return nil }
        let record = timers[timer]
        cancelSet(timer)
        return DueTimer(due: record.due, task: record.task, timer: timer)
    }

    /// Returns the time of a timer.
    func due(_ timer: Index) -> Milliseconds { timers[timer].due }

    /// Returns the number that orders a timer among those of the same instant.
    func order(of timer: Index) -> UInt64 { timers[timer].order }

    // MARK: - Restoring

    /// Adds a timer with its former order. Until `arrange` is called, timers are neither due nor can they be cancelled.
    mutating func restore(_ task: TimerTask, due: Milliseconds, order: UInt64) -> Index {
        isRestoring = true
        return insert(task, due: due, order: order)
    }

    /// Inserts the restored timers, which must be the only ones, into the wheels. O(n).
    mutating func arrange() {
        guard isRestoring else { return }
        isRestoring = false
        var restored: [Ranked<Timer>] = []
        restored.reserveCapacity(count)
        hand = .max
        for timer in timers.indicesOfAll {
            restored.append(Ranked(rank: timers[timer].order, index: timer))
            hand = min(hand, Self.key(of: timers[timer].due))
        }
        restored.sortByRank()
        for timer in restored { place(timer.index, Self.key(of: timers[timer.index].due)) }
    }
}

// MARK: - The hand

extension TimerQueue {
    /// Returns a time as an unsigned number with the same order.
    @inline(__always)
    static func key(of due: Milliseconds) -> UInt64 { UInt64(bitPattern: due) ^ 1 << 63 }
    private static func time(of key: UInt64) -> Milliseconds { Milliseconds(bitPattern: key ^ 1 << 63) }

    /// Returns the level of the highest digit in which two times differ: on this level the wheel around one of them
    /// contains the other one.
    @inline(__always)
    static func level(of difference: UInt64) -> Int { (63 - (difference | 1).leadingZeroBitCount) / 6 }

    /// Returns the slot of a time on the wheel of a level.
    @inline(__always)
    static func slot(of key: UInt64, on level: Int) -> Int { Int(truncatingIfNeeded: key >> UInt64(6 * level)) & 63 }

    /// Returns the time at which the wheel around a time begins on a level: the digits above the level stay, the others
    /// are 0.
    static func begin(of key: UInt64, above level: Int) -> UInt64 {
        let digits = UInt64(6 * (level + 1))
        return (key >> digits) << digits
    }

    /// Appends a timer that is not before the hand to its slot.
    @inline(__always)
    private mutating func place(_ timer: Index, _ key: UInt64) {
        var level = Self.level(of: key ^ hand)
        levelsInUse |= 1 << UInt16(level)
        var (wheel, slot) = (around[level], Self.slot(of: key, on: level))
        while let inner = wheels.wheel(in: wheel, slot) {
            level -= 1
            (wheel, slot) = (inner, Self.slot(of: key, on: level))
        }
        append(timer, to: wheel, slot)
        if level > 0, measuresRing(timer) { distributeIfLong(wheel, slot, on: level) }
    }

    /// Whether the setting of a timer measures its ring.
    @inline(__always)
    private func measuresRing(_ timer: Index) -> Bool {
        // Knuth's multiplicative hash: a pattern in the settings hides no ring.
        let hash = timers[timer].order &* 0x9E37_79B9_7F4A_7C15
        return hash >> limits.shift == 0
    }

    /// Distributes the ring of a slot to a wheel, which takes its place, if the ring is long.
    @inline(never)
    private mutating func distributeIfLong(_ wheel: TimerWheels.Wheel, _ slot: Int, on level: Int) {
        guard case .timer(let first) = wheels[wheel, slot] else { return }
        var (length, next) = (1, timers[first].next)
        while next != first, length < limits.longRing { (length, next) = (length + 1, timers[next].next) }
        guard length == limits.longRing else { return }
        let (inner, last) = (wheels.add(), timers[first].previous)
        _ = wheels.takeContent(wheel, slot)
        wheels.put(wheel: inner, wheel, slot)
        var timer = first
        while true {
            let next = timers[timer].next
            append(timer, to: inner, Self.slot(of: Self.key(of: timers[timer].due), on: level - 1))
            if timer == last { return }
            timer = next
        }
    }

    /// Appends a timer to the ring of a slot that contains no wheel.
    @inline(__always)
    private mutating func append(_ timer: Index, to wheel: TimerWheels.Wheel, _ slot: Int) {
        #if DEBUG
            placements += 1
        #endif
        if case .timer(let first) = wheels[wheel, slot] {
            let last = timers[first].previous
            timers[timer].next = first
            timers[timer].previous = last
            timers[last].next = timer
            timers[first].previous = timer
        } else {
            timers[timer].next = timer
            timers[timer].previous = timer
            wheels.put(timer, wheel, slot)
        }
    }

    /// Removes a timer from its slot, and frees wheels that are empty then.
    private mutating func takeOut(_ timer: Index) {
        let (next, previous) = (timers[timer].next, timers[timer].previous)
        let key = Self.key(of: timers[timer].due)
        let top = Self.level(of: key ^ hand)
        var level = top
        var (wheel, slot) = (around[level], Self.slot(of: key, on: level))
        // The slot below which there are no other timers.
        var lone = (wheel: wheel, slot: slot)
        while let inner = wheels.wheel(in: wheel, slot) {
            level -= 1
            (wheel, slot) = (inner, Self.slot(of: key, on: level))
            if wheels.hasSeveral(wheel) { lone = (wheel, slot) }
        }
        guard next == timer else {
            timers[previous].next = next
            timers[next].previous = previous
            if case .timer(timer) = wheels[wheel, slot] { wheels.replace(next, wheel, slot) }
            return
        }
        wheels.clear(lone.wheel, lone.slot)
        if !wheels.hasContent(around[top]) { levelsInUse &= ~(1 << UInt16(top)) }
    }

    /// Turns the hand to the first timer. Each slot that it enters is distributed to the wheels below.
    private mutating func turnForward() {
        while levelsInUse != 0 {
            let level = levelsInUse.trailingZeroBitCount
            let wheel = around[level]
            let slot = wheels.firstSlot(of: wheel)
            hand = Self.begin(of: hand, above: level) | UInt64(slot) << UInt64(6 * level)
            guard level > 0 else { return }
            let content = wheels.takeContent(wheel, slot)
            if !wheels.hasContent(wheel) { levelsInUse &= ~(1 << UInt16(level)) }
            switch content {
            case .wheel(let inner):
                wheels.free(around[level - 1])
                around[level - 1] = inner
                levelsInUse |= 1 << UInt16(level - 1)
            case .timer(let first): spread(first)
            case .nothing: assertionFailure("a slot that is in use holds nothing")
            }
        }
    }

    /// Distributes the timers of a ring whose slot the hand has entered.
    private mutating func spread(_ first: Index) {
        let last = timers[first].previous
        // A single timer is the first of all, wherever it is in the slot.
        if first == last { hand = Self.key(of: timers[first].due) }
        var timer = first
        while true {
            let next = timers[timer].next
            place(timer, Self.key(of: timers[timer].due))
            if timer == last { return }
            timer = next
        }
    }

    /// Turns the hand back to a time before the first timer. The wheels around it stay in the slots that it leaves.
    private mutating func turnBack(to key: UInt64) {
        let top = Self.level(of: key ^ hand)
        for level in stride(from: 1, through: top, by: 1) {
            let lower = around[level - 1]
            guard wheels.hasContent(lower) else { continue }
            let slot = Self.slot(of: hand, on: level)
            if case .timer(let timer) = wheels.onlyContent(of: lower), timers[timer].next == timer {
                wheels.clear(lower, wheels.firstSlot(of: lower))
                wheels.put(timer, around[level], slot)
            } else {
                wheels.put(wheel: lower, around[level], slot)
                around[level - 1] = wheels.add()
            }
            levelsInUse |= 1 << UInt16(level)
            levelsInUse &= ~(1 << UInt16(level - 1))
        }
        hand = key
    }
}

// MARK: - Invariants

extension TimerQueue {
    /// Whether each timer is in its slot and in order, the hand points at the first one, and no wheel is lost.
    var isInOrder: Bool {
        guard count > 0 else { return levelsInUse == 0 && wheels.count == TimerWheels.levels }
        var found = (timers: 0, wheels: TimerWheels.levels)
        for level in 0..<TimerWheels.levels {
            let isInUse = levelsInUse & 1 << UInt16(level) != 0
            guard isInUse == wheels.hasContent(around[level]) else { return false }
            let begin = Self.begin(of: hand, above: level)
            guard isInOrder(around[level], on: level, begin, &found) else { return false }
        }
        return found == (count, wheels.count) && wheels.hasContent(around[0], Self.slot(of: hand, on: 0))
    }

    private func isInOrder(
        _ wheel: TimerWheels.Wheel, on level: Int, _ wheelBegin: UInt64, _ found: inout (timers: Int, wheels: Int)
    ) -> Bool {
        for slot in 0..<64 {
            let content = wheels[wheel, slot]
            guard wheels.hasContent(wheel, slot) == (content != .nothing) else { return false }
            let begin = wheelBegin | UInt64(slot) << UInt64(6 * level)
            switch content {
            case .wheel(let inner):
                found.wheels += 1
                guard wheels.hasContent(inner), isInOrder(inner, on: level - 1, begin, &found) else { return false }
            case .timer(let first):
                guard isInOrder(ring: first, on: level, begin, &found.timers) else { return false }
            case .nothing: break
            }
        }
        return true
    }

    /// Whether the timers of a ring are due in its slot and not before the hand, and are in the order in which they
    /// were set.
    private func isInOrder(ring first: Index, on level: Int, _ begin: UInt64, _ count: inout Int) -> Bool {
        var timer = first
        repeat {
            count += 1
            let (key, next) = (Self.key(of: timers[timer].due), timers[timer].next)
            guard key >= hand, key >> UInt64(6 * level) == begin >> UInt64(6 * level), timers[next].previous == timer,
                next == first || timers[next].order > timers[timer].order
            else { return false }
            timer = next
        } while timer != first
        return true
    }
}
