import PopupScheduling

/// Who may be shown at all.
extension ReferenceScheduler {
    /// Everything that holds for the popup itself, and its flow is ready for it.
    func isEligible(_ popup: Popup) -> Bool {
        isOpen(popup) && (popup.flow.map { ready(of: $0)?.id == popup.id } ?? true)
    }

    /// Everything that holds for the popup itself. An exclusive one that arrives asks not for suspensions.
    func isOpen(_ popup: Popup, arrivesExclusively: Bool = false, cappedToo: Bool = true) -> Bool {
        if isHeldBack(popup) && !arrivesExclusively { return false }
        switch popup.phase {
        case .waiting:
            return isOnItsPage(popup) && isInItsSession(popup) && (!cappedToo || capsAllow(popup))
                && popup.retryAt == nil
        case .paused: return isOnItsPage(popup) && isInItsSession(popup)
        case .delayed, .offered, .active, .closed: return false
        }
    }

    /// Whether one in the slot may stay there.
    func mayStay(_ popup: Popup) -> Bool {
        isOnItsPage(popup) && isInItsSession(popup)
            && suspensions(against: popup).allSatisfy { popup.exemptions.contains($0.number) }
            && quietWindows(against: popup).allSatisfy { popup.exemptWindows.contains($0) }
    }

    func isHeldBack(_ popup: Popup) -> Bool {
        !suspensions(against: popup).isEmpty || !quietWindows(against: popup).isEmpty
    }

    /// The suspensions that hold it back, by its own priority.
    func suspensions(against popup: Popup) -> [StandingSuspension] {
        suspensions.filter { matches(popup.group, $0.pattern) && isBelow(popup, $0.minimumPriority) }
    }

    func isBelow(_ popup: Popup, _ minimum: Int32?) -> Bool {
        minimum.map { popup.priority < $0 } ?? true
    }

    // MARK: - When it changes

    /// Those for which everything holds that concerns them alone.
    func open() -> Set<String> {
        Set(popups.values.filter { isOpen($0) }.map(\.id))
    }

    /// After a change of conditions in any group; `before` are those that were open.
    func reconsider(openBefore before: Set<String>) {
        for group in groupsInOrder { reconsider(group) { !before.contains($0.id) } }
    }

    /// The one in the slot goes if it may not stay; who has become eligible by the change preempts where strictly
    /// higher; a free slot is given away.
    func reconsider(_ group: String, whoIsNew isNew: (Popup) -> Bool) {
        if let occupant = occupant(of: group), !mayStay(occupant) { giveWay(occupant.id) }
        if occupant(of: group) != nil {
            for popup in queue(of: group) where isNew(popup) && isEligible(popup) {
                if promote(popup.id) { break }
            }
        }
        settle(group)
    }
}
