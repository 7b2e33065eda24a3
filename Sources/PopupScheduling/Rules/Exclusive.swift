// Exclusive popups: everything else closes, highest first, and the newcomer is active whatever the rules say. For what
// comes later it is a popup like any other.
extension Scheduler {
    mutating func takeAll(_ popup: Int32) {
        let own = popups[popup].group
        guard popups[popup].exclusive == .all else { return takeGroup(popup) }
        for group in orderedGroups() {
            if group == own {
                takeGroup(popup)
            } else if supersede(in: group, for: popup) {
                beginGap(in: group)
            }
        }
    }

    private mutating func takeGroup(_ popup: Int32) {
        _ = supersede(in: popups[popup].group, for: popup)
        activate(popup, exempt: true, offering: false)
    }

    /// Closes all popups of a group but the newcomer; returns whether one that was shown was among them.
    private mutating func supersede(in group: Int32, for newcomer: Int32) -> Bool {
        var wasShown = false
        for popup in lineUp(group) where popup != newcomer {
            let departure = close(popup, .superseded, detail: store[popups[newcomer].id])
            if let departure { wasShown = departure.wasShown }
        }
        return wasShown
    }
}
