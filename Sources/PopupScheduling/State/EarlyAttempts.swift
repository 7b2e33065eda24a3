/// The popups that tried to take the slot of a group during the minimum display time of its active popup, by group: so
/// they are found at its end without a search of the queue.
///
/// A group is in the table only while the timer of its minimum display time is set. A popup stays in its list when it
/// closes or is shown: the caller checks each popup that it takes. Since a list keeps such popups, it is shortened when
/// it is full. Its capacity is then twice the number of the remaining popups, so that adding a popup takes amortized
/// O(1).
struct EarlyAttempts: ~Copyable {
    /// The capacity of a new list.
    static var smallestCapacity: Int { 64 }

    private struct List {
        var popups: [PopupRecord.Index] = []
        var capacity = EarlyAttempts.smallestCapacity
    }

    private var attempts: [GroupRecord.Index: List] = [:]

    init() {}

    /// The groups with attempts.
    var groups: some Collection<GroupRecord.Index> { attempts.keys }

    /// Returns the length of the list of a group.
    func count(in group: GroupRecord.Index) -> Int { attempts[group]?.popups.count ?? 0 }

    /// Whether the list of a group has to be shortened before a popup is added.
    func isFull(_ group: GroupRecord.Index) -> Bool {
        attempts[group].map { $0.popups.count >= $0.capacity } ?? false
    }

    /// Adds a popup to the list of its group, which must not be full.
    mutating func add(_ popup: PopupRecord.Index, in group: GroupRecord.Index) {
        attempts[group, default: List()].popups.append(popup)
    }

    /// Sets the list of a group.
    mutating func set(_ popups: [PopupRecord.Index], in group: GroupRecord.Index) {
        attempts[group] = List(popups: popups, capacity: max(Self.smallestCapacity, 2 * popups.count))
    }

    /// Removes the list of a group, and returns it.
    mutating func take(of group: GroupRecord.Index) -> [PopupRecord.Index] {
        attempts.isEmpty ? [] : attempts.removeValue(forKey: group)?.popups ?? []
    }

    /// Returns the list of a group.
    func all(in group: GroupRecord.Index) -> [PopupRecord.Index] { attempts[group]?.popups ?? [] }
}
