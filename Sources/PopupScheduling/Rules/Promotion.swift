// Ways of becoming eligible that are no arrival: a suspension is lifted, a page entered, a session begun, a cap's
// window over, an update raises the priority, a newcomer takes over a place at another priority. Such a popup preempts
// only if its priority is strictly higher and the policy's `higher` is `stop` or `pause`; `never` counts as `defer`
// then.
extension Scheduler {
    /// Whether the popup takes the slot from the active one; if so it has it on return.
    ///
    /// With a free slot nothing is done: `settle` fills it.
    mutating func promotes(_ popup: PopupRecord.Index) -> Bool {
        let group = popups[popup].group
        guard let active = groups[group].active, isEligible(popup),
            let interruption = interruptionByPromotion(of: popup)
        else { return false }
        guard !protects(active) else {
            mark(popup, .promotion)
            return false
        }
        interrupt(interruption, for: popup)
        return true
    }

    /// `stop` or `pause`, or nothing.
    func interruptionByPromotion(of popup: PopupRecord.Index) -> Policy.Interruption? {
        guard let active = groups[popups[popup].group].active,
            comparedPriority(of: popup) > comparedPriority(of: active)
        else { return nil }
        return interruptionIfAny(by: popup, of: active)
    }

    /// `stop` or `pause` when the table says so, or nothing.
    func interruptionIfAny(by popup: PopupRecord.Index, of active: PopupRecord.Index) -> Policy.Interruption? {
        switch interruption(by: popup, of: active) {
        case .stop: .stop
        case .pause: .pause
        case .defer, .never: nil
        }
    }

    /// Takes the slot from the active popup.
    mutating func interrupt(_ interruption: Policy.Interruption, for popup: PopupRecord.Index) {
        let group = popups[popup].group
        if interruption == .stop {
            closeActive(of: group, .preempted, by: popup)
        } else {
            pauseActive(of: group)
        }
        activate(popup)
    }
}
