import PopupScheduling

/// Sends states again and again, for subscribers that missed them: each group once an interval, in a slot of the
/// interval that follows from its index, so that the load is spread out.
struct Refresh {
    /// Slots of an interval at most.
    private static let slots: Milliseconds = 100
    /// How often the state of a group that shows nothing any more is sent again.
    private static let emptiedTimes: UInt8 = 3

    private let slots: Milliseconds
    private let slotLength: Milliseconds
    /// The last slot of which all groups were visited.
    private var lastSlot: Milliseconds
    /// Groups of the next that were visited.
    private var rowsDone = 0
    /// How often the state of an emptied group is still to be sent, by its index.
    private var owed: [UInt8] = []

    /// Refreshes in each interval, the first of which begins now.
    init(interval: Milliseconds, at now: Milliseconds) {
        // Whole ms a slot: what does not divide makes fewer slots, not a shorter interval.
        slotLength = max(1, (interval + Self.slots - 1) / Self.slots)
        slots = max(1, interval / slotLength)
        lastSlot = now / slotLength
    }

    /// Notes that a group's state was published.
    @inline(__always)
    mutating func note(_ group: GroupIndex, isEmpty: Bool) {
        let index = Int(group.rawValue)
        if index >= owed.count { grow(to: index) }
        let times = isEmpty ? Self.emptiedTimes : 0
        // Nearly always as it was: reading doesn't ask whether the array is shared, as writing does.
        if owed[index] != times { owed[index] = times }
    }

    private mutating func grow(to index: Int) {
        owed.append(contentsOf: repeatElement(0, count: max(index + 1, owed.count * 2) - owed.count))
    }

    /// When the next slot with groups begins; `nil` when there are none. `capacity`: all indices are below it.
    func nextDue(capacity: Int) -> Milliseconds? {
        guard capacity > 0 else { return nil }
        var slot = lastSlot + 1
        if Milliseconds(capacity) < slots, slot % slots >= Milliseconds(capacity) { slot += slots - slot % slots }
        return slot * slotLength
    }

    /// The next of the groups whose slot has come; `nil` when there are no more. A table that is too large for the interval
    /// takes longer: rounds that were missed are not made up for.
    mutating func takeDue(at now: Milliseconds, capacity: Int) -> GroupIndex? {
        let current = now / slotLength
        if current > lastSlot + slots { lastSlot += (current - lastSlot - 1) / slots * slots }
        while lastSlot < current {
            let index = Int((lastSlot + 1) % slots) + rowsDone * Int(slots)
            if index < capacity {
                rowsDone += 1
                return GroupIndex(rawValue: Int32(index))
            }
            rowsDone = 0
            lastSlot += 1
        }
        return nil
    }

    /// Whether the groups of some slot that has come are still to be visited.
    func isBehind(at now: Milliseconds) -> Bool { now / slotLength > lastSlot }

    /// Passes over the slots that have come: nobody would receive the states.
    mutating func skip(to now: Milliseconds) {
        guard now / slotLength > lastSlot else { return }
        lastSlot = now / slotLength
        rowsDone = 0
    }

    /// Whether the state of a group whose slot has come is to be sent: it shows a popup, or has just ceased to.
    mutating func isWanted(_ group: GroupIndex, isEmpty: Bool) -> Bool {
        guard isEmpty else { return true }
        let index = Int(group.rawValue)
        guard index < owed.count, owed[index] > 0 else { return false }
        owed[index] -= 1
        return true
    }
}
