/// The states that the reader of a stream has not taken: the newest one of each group, in the order in which the groups
/// changed.
///
/// It also keeps the last state of each group, for when states are confirmed no longer, or again: then each comes once more.
package struct UnreadStates {
    /// The last state of each group; `nil` if states stay confirmed.
    private var newest: [String: GroupState]?
    private var isConfirmed = true
    private var unread: [String: GroupState] = [:]
    private var order: [String] = []
    private var next = 0

    /// Creates an empty queue.
    ///
    /// - Parameter repeatsStates: Whether `confirm` is called, so that the last states have to be kept.
    package init(repeatsStates: Bool = true) {
        newest = repeatsStates ? [:] : nil
    }

    /// Whether the reader has taken everything.
    package var isEmpty: Bool { unread.isEmpty }

    /// Adds a state. It replaces the one of its group that was not taken.
    package mutating func add(_ state: PublishedState, received: ContinuousClock.Instant) {
        add(GroupState(state, received: received, isConfirmed: isConfirmed))
    }

    private mutating func add(_ groupState: GroupState) {
        newest?[groupState.group] = groupState
        if unread.updateValue(groupState, forKey: groupState.group) == nil { order.append(groupState.group) }
    }

    /// Records whether states are confirmed. When this changes, the last state of each group is added again.
    package mutating func confirm(_ isConfirmed: Bool) {
        guard isConfirmed != self.isConfirmed else { return }
        self.isConfirmed = isConfirmed
        for (_, groupState) in (newest ?? [:]).sorted(by: { $0.key < $1.key }) {
            add(GroupState(groupState.state, received: groupState.received, isConfirmed: isConfirmed))
        }
    }

    /// Removes and returns the state of the group that has waited longest; `nil` if there is none.
    package mutating func take() -> GroupState? {
        guard next < order.count else { return nil }
        defer {
            next += 1
            if next == order.count || next > 1024 {
                order.removeFirst(next)
                next = 0
            }
        }
        return unread.removeValue(forKey: order[next])
    }
}
