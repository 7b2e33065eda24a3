// Promotion: a popup becomes eligible in another way than by its arrival: a suspension ends, a page is entered, a
// session begins, the window of a cap moves on, an update raises the priority, or a newcomer replaces a popup at
// another priority. Such a popup preempts only if its priority is strictly higher and the policy's `higher` is `stop`
// or `pause`. `never` counts as `defer` in this case.
extension Scheduler {
    /// Activates the popup if it preempts the active one. Returns whether it did.
    ///
    /// Does nothing if the slot is free: `fillSlot` fills it.
    mutating func promotes(_ popup: PopupRecord.Index) -> Bool {
        var pass = ReadyMembers()
        return promotes(popup, &pass)
    }

    /// Activates the popup if it preempts the active one, in a pass over many popups that ends when one does. Returns
    /// whether it did.
    mutating func promotes(_ popup: PopupRecord.Index, _ pass: inout ReadyMembers) -> Bool {
        let group = popups[popup].group
        guard let active = groups[group].active, isEligible(popup, &pass),
            let interruption = interruptionByPromotion(of: popup)
        else { return false }
        guard !protects(active) else {
            mark(popup, .promotion)
            return false
        }
        interrupt(interruption, for: popup)
        return true
    }

    /// Returns the popups that may preempt the active one if they have become eligible, in the order of the queue:
    /// those of a higher priority.
    func challengers(in group: GroupRecord.Index) -> [PopupRecord.Index] {
        let higher = policies[groups[group].policy].higher
        guard let active = groups[group].active, popups[active].interruptible, higher == .stop || higher == .pause
        else { return [] }
        let priority = comparedPriority(of: active)
        var (search, challengers): (QueueSearch, [PopupRecord.Index]) = (QueueSearch(of: group, in: self), [])
        while let popup = search.next(in: self), comparedPriority(of: popup) > priority { challengers.append(popup) }
        return challengers
    }

    /// Returns `stop` or `pause` if a popup that became eligible preempts the active one; `nil` otherwise.
    func interruptionByPromotion(of popup: PopupRecord.Index) -> Policy.Interruption? {
        guard let active = groups[popups[popup].group].active,
            comparedPriority(of: popup) > comparedPriority(of: active)
        else { return nil }
        return interruptionIfAny(by: popup, of: active)
    }

    /// Returns `stop` or `pause` if the policy says so; `nil` otherwise.
    func interruptionIfAny(by popup: PopupRecord.Index, of active: PopupRecord.Index) -> Policy.Interruption? {
        switch interruption(by: popup, of: active) {
        case .stop: .stop
        case .pause: .pause
        case .defer, .never: nil
        }
    }

    /// Closes or pauses the active popup, and activates the other one.
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
