// Exclusive popups: all other popups close, in descending order of priority, and the newcomer is active. After that, it
// is an ordinary popup.
extension Scheduler {
    mutating func takeAll(_ popup: PopupRecord.Index) {
        if popups[popup].exclusive == .all {
            perform(.supersede(newcomer: popup), in: orderedGroups())
        } else {
            supersede(in: popups[popup].group, for: popup)
        }
    }

    /// Closes all popups of a group except the newcomer, which then takes the slot of its own group. Until then it is
    /// arriving.
    mutating func supersede(in group: GroupRecord.Index, for newcomer: PopupRecord.Index) {
        let chosen = inClosingOrder(group) { $0 != newcomer }
        let isOwn = popups[newcomer].group == group
        let isHeld = !isOwn && groups[group].holder != nil
        guard isOwn || isHeld || !chosen.isEmpty else { return }
        if isHeld { breakHold(in: group) }
        // A copy, since closing stores further texts.
        let id = Array(store[popups[newcomer].id])
        id.withUnsafeBytes { id in
            close(chosen, .superseded, detail: id, in: group, then: isOwn ? .takeSlot(newcomer) : .beginGap)
        }
    }
}
