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
    private var lastSlot: Milliseconds
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

    /// Calls `visit` with the groups whose slot has come since the last call.
    mutating func visitDue(at now: Milliseconds, capacity: Int, _ visit: (GroupIndex) -> Void) {
        let current = now / slotLength
        guard current > lastSlot else { return }
        for slot in max(lastSlot + 1, current - slots + 1)...current {
            for index in stride(from: Int(slot % slots), to: capacity, by: Int(slots)) {
                visit(GroupIndex(rawValue: Int32(index)))
            }
        }
        lastSlot = current
    }

    /// Passes over the slots that have come: nobody would receive the states.
    mutating func skip(to now: Milliseconds) {
        lastSlot = max(lastSlot, now / slotLength)
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
