import PopupScheduling

/// The groups that changed in the last seconds, which `heartbeat` reports.
struct RecentChanges {
    /// The time in s for which a change is reported.
    static let seconds = 10
    /// The maximum number of groups in one message.
    static let maxInMessage = 500

    private struct Second {
        /// The number of the second; `nil` before the first change.
        var number: Milliseconds?
        var groups: [GroupIndex] = []
    }

    /// The second of a group's last change, if it has changed: eight bytes, where an optional takes sixteen.
    private struct LastChange {
        private let second: Milliseconds

        @inline(__always)
        init(in second: Milliseconds) { self.second = second }

        /// No change so far. The clock has no such second.
        static var never: Self { Self(in: .min) }

        @inline(__always)
        func isIn(_ second: Milliseconds) -> Bool { self.second == second }
    }

    private var ring = [Second](repeating: Second(), count: seconds)
    /// The last change of each group, by its index.
    private var latest: [LastChange] = []
    /// The time of the next heartbeat.
    private(set) var due: Milliseconds
    /// The position of the next report: a second and an index in it; `nil` if all is reported.
    private var next: (second: Milliseconds, index: Int)?

    init(at now: Milliseconds) {
        due = (now / 1000 + 1) * 1000
    }

    /// Records a change of a group.
    @inline(__always)
    mutating func record(_ group: GroupIndex, at now: Milliseconds) {
        let index = group.number
        let second = now / 1000
        if index < latest.count, latest[index].isIn(second) { return }
        enter(group, second)
    }

    private mutating func enter(_ group: GroupIndex, _ second: Milliseconds) {
        let index = group.number
        if index >= latest.count {
            latest.append(contentsOf: repeatElement(.never, count: max(index + 1, latest.count * 2) - latest.count))
        }
        latest[index] = LastChange(in: second)
        let slot = Int(second % Milliseconds(Self.seconds))
        if ring[slot].number != second {
            ring[slot].number = second
            ring[slot].groups.removeAll(keepingCapacity: true)
        }
        ring[slot].groups.append(group)
    }

    /// Appends the next groups that changed in the last seconds, for one message, the earliest change first.
    ///
    /// - Returns: Whether there are more for this heartbeat. The last part sets the time of the next one.
    mutating func takeDue(at now: Milliseconds, _ groups: inout [GroupIndex]) -> Bool {
        let current = now / 1000
        var (second, index) = next ?? (0, 0)
        let first = max(0, current - Milliseconds(Self.seconds))
        if second < first { (second, index) = (first, 0) }
        while second <= current {
            let recorded = ring[Int(second % Milliseconds(Self.seconds))]
            if recorded.number == second {
                while index < recorded.groups.count {
                    let group = recorded.groups[index]
                    guard groups.count < Self.maxInMessage else {
                        next = (second, index)
                        return true
                    }
                    index += 1
                    if latest[group.number].isIn(second) { groups.append(group) }
                }
            }
            (second, index) = (second + 1, 0)
        }
        next = nil
        due = (current + 1) * 1000
        return false
    }
}
