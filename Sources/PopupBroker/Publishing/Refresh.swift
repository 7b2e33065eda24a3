import PopupScheduling

/// The periodic repetition of states, for subscribers that missed them: each group once per interval, in a slot of the
/// interval that depends on its index, so that the load is even.
struct Refresh {
    /// The maximum number of slots per interval.
    private static let slots: Milliseconds = 100
    /// The number of repetitions for a group that has become empty.
    private static let emptiedTimes: UInt8 = 3

    private let slots: Milliseconds
    private let slotLength: Milliseconds
    /// The last slot whose groups have all been visited.
    private var lastSlot: Milliseconds
    /// The number of visited groups of the next slot.
    private var rowsDone = 0
    /// The number of remaining repetitions for an empty group, by its index.
    private var remaining: [UInt8] = []

    /// Creates a refresh, whose first interval begins now.
    init(interval: Milliseconds, at now: Milliseconds) {
        // An integer number of ms per slot: if it does not divide the interval, there are fewer slots.
        slotLength = max(1, (interval + Self.slots - 1) / Self.slots)
        slots = max(1, interval / slotLength)
        lastSlot = now / slotLength
    }

    /// Records that the state of a group was published.
    @inline(__always)
    mutating func record(_ group: GroupIndex, isEmpty: Bool) {
        let index = group.number
        if index >= remaining.count { grow(to: index) }
        let times = isEmpty ? Self.emptiedTimes : 0
        // It is nearly always unchanged. Writing to an array, unlike reading, checks whether it is shared, and where
        // the writing is inlined, the compiler moves this check before the comparison.
        if remaining[index] != times { set(index, to: times) }
    }

    @inline(never)
    private mutating func set(_ index: Int, to times: UInt8) { remaining[index] = times }

    private mutating func grow(to index: Int) {
        remaining.append(contentsOf: repeatElement(0, count: max(index + 1, remaining.count * 2) - remaining.count))
    }

    /// Returns the beginning of the next slot with groups; `nil` if there are none. All indices are below `capacity`.
    func nextDue(capacity: Int) -> Milliseconds? {
        guard capacity > 0 else { return nil }
        var slot = lastSlot + 1
        if Milliseconds(capacity) < slots, slot % slots >= Milliseconds(capacity) { slot += slots - slot % slots }
        return slot * slotLength
    }

    /// Returns the index of the next slot that is due; `nil` if there are no more. If the table is too large for the
    /// interval, a round takes longer, and missed rounds are not repeated.
    mutating func takeDue(at now: Milliseconds, capacity: Int) -> Int? {
        let current = now / slotLength
        if current > lastSlot + slots { lastSlot += (current - lastSlot - 1) / slots * slots }
        while lastSlot < current {
            let index = Int((lastSlot + 1) % slots) + rowsDone * Int(slots)
            if index < capacity {
                rowsDone += 1
                return index
            }
            rowsDone = 0
            lastSlot += 1
        }
        return nil
    }

    /// Whether a slot is due whose groups are not all visited.
    func isBehind(at now: Milliseconds) -> Bool { now / slotLength > lastSlot }

    /// Skips the slots that are due, because there is no subscriber.
    mutating func skip(to now: Milliseconds) {
        guard now / slotLength > lastSlot else { return }
        lastSlot = now / slotLength
        rowsDone = 0
    }

    /// Whether to send the state of a group in its slot: it shows a popup, or has become empty lately.
    mutating func isWanted(_ group: GroupIndex, isEmpty: Bool) -> Bool {
        guard isEmpty else { return true }
        let index = group.number
        guard index < remaining.count, remaining[index] > 0 else { return false }
        remaining[index] -= 1
        return true
    }
}
