// Exclusive popups: everything else closes, highest first, and the newcomer is active whatever the rules say. For what
// comes later it is a popup like any other.
extension Scheduler {
    mutating func takeAll(_ popup: Int32) {
        let own = popups[popup].group
        guard popups[popup].exclusive == .all else { return takeGroup(popup) }
        for group in orderedGroups() {
            if group == own {
                takeGroup(popup)
            } else if supersede(in: group, besides: nobody) {
                beginGap(in: group)
            }
        }
    }

    private mutating func takeGroup(_ popup: Int32) {
        _ = supersede(in: popups[popup].group, besides: popup)
        activate(popup, exempt: true)
    }

    /// Closes all popups of a group but one; returns whether the active one was among them.
    private mutating func supersede(in group: Int32, besides newcomer: Int32) -> Bool {
        let hadActive = groups[group].active != nobody
        for popup in lineUp(group) where popup != newcomer { close(popup, .superseded) }
        return hadActive
    }
}
