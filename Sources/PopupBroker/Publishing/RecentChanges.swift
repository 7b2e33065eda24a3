import PopupScheduling

/// Which groups changed in the last seconds: what `heads` tells.
struct RecentChanges {
    /// Changes are told so many seconds long.
    static let seconds = 10
    /// Groups in one message at most.
    static let mostInMessage = 500

    private struct Second {
        var number: Milliseconds = -1
        var groups: [GroupIndex] = []
    }

    private var ring = [Second](repeating: Second(), count: seconds)
    /// The second of each group's last change, by its index.
    private var latest: [Milliseconds] = []
    /// When heads are told next.
    private(set) var due: Milliseconds

    init(at now: Milliseconds) {
        due = (now / 1000 + 1) * 1000
    }

    /// Notes a change of a group.
    @inline(__always)
    mutating func note(_ group: GroupIndex, at now: Milliseconds) {
        let index = Int(group.rawValue)
        let second = now / 1000
        if index < latest.count, latest[index] == second { return }
        enter(group, second)
    }

    private mutating func enter(_ group: GroupIndex, _ second: Milliseconds) {
        let index = Int(group.rawValue)
        if index >= latest.count {
            latest.append(contentsOf: repeatElement(-1, count: max(index + 1, latest.count * 2) - latest.count))
        }
        latest[index] = second
        let place = Int(second % Milliseconds(Self.seconds))
        if ring[place].number != second {
            ring[place].number = second
            ring[place].groups.removeAll(keepingCapacity: true)
        }
        ring[place].groups.append(group)
    }

    /// Calls `visit` with each group that changed in the last seconds, the longest unchanged first, and sets the next
    /// time to tell.
    mutating func visitDue(at now: Milliseconds, _ visit: (GroupIndex) -> Void) {
        let current = now / 1000
        due = (current + 1) * 1000
        for second in max(0, current - Milliseconds(Self.seconds))...current {
            let place = ring[Int(second % Milliseconds(Self.seconds))]
            guard place.number == second else { continue }
            for group in place.groups where latest[Int(group.rawValue)] == second { visit(group) }
        }
    }
}
