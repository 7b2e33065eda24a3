import PopupScheduling

/// Quiet windows: suspensions by the clocks of a place.
extension ReferenceScheduler {
    /// Those in force in a group.
    func quietWindows(of group: String) -> [QuietWindow] {
        patternInForce(for: group).flatMap { quietWindows[$0] } ?? []
    }

    func quietWindows(against popup: Popup) -> [QuietWindow] {
        quietWindows(of: popup.group).filter { isBelow(popup, $0.minimumPriority) }
    }

    /// Whatever the windows were by the clock before, they are looked at anew at once.
    func setWallClock(ahead: Milliseconds) {
        wallClockLead = ahead
        for pattern in policies.keys.sorted() where !policies[pattern]!.quiet.isEmpty {
            cancelTimer(.quiet(pattern))
            setTimer(.quiet(pattern), after: 0)
        }
    }

    var wallTime: Milliseconds { now + wallClockLead }

    func armQuiet(_ pattern: String) {
        cancelTimer(.quiet(pattern))
        resting.remove(pattern)
        let windows = policies[pattern]?.quiet ?? []
        quietWindows[pattern] = windows.filter { ReferenceCalendar.isInForce($0, at: wallTime) }
        let changes = windows.compactMap { ReferenceCalendar.nextChange(of: $0, after: wallTime) }
            .map { $0 - wallClockLead }
        // They rest when nothing was told for two days.
        if let next = changes.min(), next <= lastInput + 172_800_000 {
            setTimer(.quiet(pattern), after: next - now)
        } else if !windows.isEmpty {
            resting.insert(pattern)
        }
    }

    func quietChanges(_ pattern: String) {
        let before = open()
        armQuiet(pattern)
        for group in groupsInOrder where patternInForce(for: group) == pattern {
            if let active = occupant(of: group) {
                popups[active.id]!.exemptWindows.removeAll { !ReferenceCalendar.isInForce($0, at: wallTime) }
            }
            reconsider(group) { !before.contains($0.id) }
        }
    }
}
