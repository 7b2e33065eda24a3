/// The popups that tried to take the slot of a group during the minimum display time of its active popup, by group: so
/// they are found at its end without a search of the queue.
///
/// A group is in the table only while the timer of its minimum display time is set. A popup stays in its list when it
/// closes or is shown: the caller checks each popup that it takes.
struct EarlyAttempts: ~Copyable {
    private var attempts: [GroupRecord.Index: [PopupRecord.Index]] = [:]

    init() {}

    /// The groups with attempts.
    var groups: some Collection<GroupRecord.Index> { attempts.keys }

    /// Adds a popup to the list of its group.
    mutating func add(_ popup: PopupRecord.Index, in group: GroupRecord.Index) {
        attempts[group, default: []].append(popup)
    }

    /// Removes the list of a group, and returns it.
    mutating func take(of group: GroupRecord.Index) -> [PopupRecord.Index] {
        attempts.isEmpty ? [] : attempts.removeValue(forKey: group) ?? []
    }

    /// Whether a popup is in the list of a group.
    func contains(_ popup: PopupRecord.Index, in group: GroupRecord.Index) -> Bool {
        attempts[group]?.contains(popup) ?? false
    }
}
