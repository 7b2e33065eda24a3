// Minimum display time: until it ends, neither a newcomer nor `advance` takes the slot. Attempts are marked and
// repeated at its end: first `advance`, otherwise the first marked popup of the queue.
extension Scheduler {
    /// Whether the minimum display time of the active popup has not ended.
    @inline(__always)
    func protects(_ active: PopupRecord.Index) -> Bool {
        groups[popups[active].group].minimumDisplay != nil
    }

    /// Marks a popup that tried to take the slot too early. The kind of the first attempt is kept.
    mutating func mark(_ popup: PopupRecord.Index, _ attempt: RareFields.Attempt) {
        let activation = groups[popups[popup].group].activation
        guard !isMarked(popup, for: activation) else { return }
        popups.changeRareFields(of: popup) {
            $0.early = attempt
            $0.earlyFor = activation
        }
        listEarlyAttempt(of: popup)
    }

    /// Adds a popup that tried to take the slot from the current activation of its group to the group's list.
    mutating func listEarlyAttempt(of popup: PopupRecord.Index) {
        let group = popups[popup].group
        if earlyAttempts.isFull(group) {
            var isListed: Set<PopupRecord.Index> = []
            let attempts = earlyAttempts.all(in: group)
            transaction.meter.count += attempts.count
            earlyAttempts.set(attempts.filter { isEarly($0, in: group) && isListed.insert($0).inserted }, in: group)
        }
        earlyAttempts.add(popup, in: group)
    }

    mutating func minimumDisplayIsOver(in group: GroupRecord.Index) {
        groups[group].minimumDisplay = nil
        let attempts = earlyAttempts.take(of: group)
        if groups[group].advances { return advanceActive(of: group) }
        guard let popup = best(of: attempts, in: group), let interruption = judgeAgain(popup) else { return }
        interrupt(interruption, for: popup)
    }

    private func judgeAgain(_ popup: PopupRecord.Index) -> Policy.Interruption? {
        switch popups.rareFields(of: popup).early {
        case .promotion: interruptionByPromotion(of: popup)
        case .arrival, nil: groups[popups[popup].group].active.flatMap { interruptionIfAny(by: popup, of: $0) }
        }
    }

    /// Returns the first popup in the order of the queue that is eligible and tried to take the slot from the current
    /// activation, of the popups that tried.
    private func best(of attempts: [PopupRecord.Index], in group: GroupRecord.Index) -> PopupRecord.Index? {
        var best: PopupRecord.Index?
        var pass = ReadyMembers()
        for popup in attempts {
            guard isEarly(popup, in: group), popups[popup].hasPlace,
                best.map({ precedesInQueue(popup, $0) }) ?? true, isEligible(popup, &pass)
            else { continue }
            best = popup
        }
        transaction.meter.count += attempts.count
        return best
    }

    /// Whether a listed popup is in a group and tried to take the slot from its current activation. The popup may have
    /// closed since it was listed, and another one may have its record.
    private func isEarly(_ popup: PopupRecord.Index, in group: GroupRecord.Index) -> Bool {
        popups.contains(popup) && popups[popup].group == group && isMarked(popup, for: groups[group].activation)
    }

    /// Whether a popup tried to take the slot from an activation.
    func isMarked(_ popup: PopupRecord.Index, for activation: UInt64) -> Bool {
        let rareFields = popups.rareFields(of: popup)
        return rareFields.early != nil && rareFields.earlyFor == activation
    }
}
