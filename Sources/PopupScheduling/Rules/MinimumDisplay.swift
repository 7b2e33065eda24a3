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
    }

    mutating func minimumDisplayIsOver(in group: GroupRecord.Index) {
        groups[group].minimumDisplay = nil
        if groups[group].advances { return advanceActive(of: group) }
        guard let popup = bestMarked(in: group), let interruption = judgeAgain(popup) else { return }
        interrupt(interruption, for: popup)
    }

    private func judgeAgain(_ popup: PopupRecord.Index) -> Policy.Interruption? {
        switch popups.rareFields(of: popup).early {
        case .promotion: interruptionByPromotion(of: popup)
        case .arrival, nil: groups[popups[popup].group].active.flatMap { interruptionIfAny(by: popup, of: $0) }
        }
    }

    /// Returns the first eligible popup of the queue that tried to take the slot from the current activation.
    private func bestMarked(in group: GroupRecord.Index) -> PopupRecord.Index? {
        let activation = groups[group].activation
        return queue(of: group).first { isMarked($0, for: activation) && isEligible($0) }
    }

    /// Whether a popup tried to take the slot from an activation.
    func isMarked(_ popup: PopupRecord.Index, for activation: UInt64) -> Bool {
        let rareFields = popups.rareFields(of: popup)
        return rareFields.early != nil && rareFields.earlyFor == activation
    }
}
