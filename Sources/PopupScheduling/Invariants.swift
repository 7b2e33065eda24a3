// What is always true. Tests ask after every step; it costs O(n log n) in all that there is.
extension Scheduler {
    /// Every broken invariant, in words; empty when all hold.
    public mutating func brokenInvariants() -> [String] {
        // In groups that are not reached yet what a command wants is not done.
        guard !hasWork else { return [] }
        var broken: [String] = []
        var live = 0
        var set = 0
        for group in orderedGroups() {
            let name = string(store[groups[group].name])
            broken += brokenInvariants(of: group).map { "group \(name): \($0)" }
            for popup in acceptanceOrder(of: group) {
                live += 1
                set += timersSet(for: popup)
            }
            let record = groups[group]
            set += [record.gap, record.minimumDisplay, record.hold, record.displayTimeout].count { $0 != nil }
            set += groups.caps[group].count { $0.timer != nil }
        }
        set += brokenFlows(&broken) + brokenRenderers(&broken) + policies.quietCount
        if live != popups.count { broken.append("\(popups.count) popups are live, \(live) are in acceptance orders") }
        broken += brokenAccounts()
        broken += popups.brokenInvariants(store) { keyHash(of: $0) }
        broken += groups.brokenQueues(popups) { effectivePriority(of: $0) }
        broken += groups.brokenInvariants(store)
        if set != timers.count { broken.append("\(timers.count) timers are set, \(set) belong to something") }
        if let due = timers.nextDue, due < now { broken.append("a timer due at \(due) did not fire by \(now)") }
        if !timers.isInOrder { broken.append("the timers are out of order") }
        return broken
    }

    private func brokenInvariants(of group: GroupRecord.Index) -> [String] {
        var broken: [String] = []
        let record = groups[group]
        var counts = (active: 0, waiting: 0, paused: 0, delayed: 0)
        var last = UInt64.min
        for popup in acceptanceOrder(of: group) {
            let id = string(store[popups[popup].id])
            if popups[popup].group != group { broken.append("\(id) belongs to another group") }
            if popups[popup].acceptance <= last { broken.append("\(id) is out of order in the acceptance order") }
            last = popups[popup].acceptance
            switch popups[popup].stage {
            case .arriving: broken.append("\(id) is still arriving")
            case .delayed: counts.delayed += 1
            case .waiting: counts.waiting += 1
            case .active, .offered: counts.active += 1
            case .paused: counts.paused += 1
            }
            if popups[popup].holdsSlot != (record.active == popup) { broken.append("\(id) and the slot disagree") }
            if (popups[popup].level != nil) != (popups[popup].isPaused || popups[popup].isWaiting) {
                broken.append("\(id) and the queue disagree")
            }
        }
        if counts.active > 1 { broken.append("\(counts.active) popups are active") }
        if Int(record.waiting) != counts.waiting + counts.delayed { broken.append("waiting says \(record.waiting)") }
        if Int(record.paused) != counts.paused { broken.append("paused says \(record.paused)") }
        if Int(record.delayed) != counts.delayed { broken.append("delayed says \(record.delayed)") }
        if record.threshold != threshold(of: group) { broken.append("threshold is off") }
        if (record.hold == nil) != (record.holder == nil) { broken.append("the hold and its flow disagree") }
        if record.hold != nil, record.active != nil {
            broken.append("a popup is shown while a flow holds the slot")
        }
        if let active = record.active, !mayStay(active) { broken.append("what is shown may not be") }
        return broken + idleSlot(of: group)
    }

    /// No eligible popup waits while the group shows none, is in no gap and held by no flow; a paused one doesn't wait
    /// for a gap.
    private func idleSlot(of group: GroupRecord.Index) -> [String] {
        guard groups[group].active == nil else { return [] }
        guard let popup = firstForSlot(of: group), groups[group].gap == nil || popups[popup].isPaused else { return [] }
        return ["\(string(store[popups[popup].id])) could be shown and is not"]
    }

    private func timersSet(for popup: PopupRecord.Index) -> Int {
        let retry = popups[popup].relations.flatMap { popups.relations[$0].retry } == nil ? 0 : 1
        let expiry = popups[popup].expiry == nil ? 0 : 1
        switch popups[popup].stage {
        case .delayed(let timer), .offered(let timer), .active(_, let timer):
            return expiry + retry + (timer == nil ? 0 : 1)
        case .arriving, .waiting, .paused: return expiry + retry
        }
    }
}
