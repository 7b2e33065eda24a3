// Flows: popups of one business come one after the other, and nothing cuts in.
//
//     a member closes ─▶ its dependants are told ─▶ is a member ready? ── yes ─▶ it is active at once
//                                                        │ no
//                                                        ├─ one holds still ─▶ the slot is kept for members to come
//                                                        └─ else the group goes on: the gap, then the queue
extension Scheduler {
    /// Whether no other member of its flow goes before it; true of a popup in no flow.
    @inline(__always)
    func isNextOfFlow(_ popup: Int32) -> Bool {
        let flow = flow(of: popup)
        return flow == nobody || readyMember(of: flow) == popup
    }

    /// The member of a flow that may take the slot: a paused one (the latest), else the first by stage. One whose
    /// conditions don't hold is skipped. Nobody while a member holds the slot. Suspensions and quiet hours don't hold
    /// back an exclusive one that arrives. O(m) in the members.
    func readyMember(of flow: Int32, arriving: Bool = false) -> Int32 {
        var ready = nobody
        var member = flows[flow].oldest
        while member != nobody {
            let record = popups[member]
            if record.holdsSlot { return nobody }
            let takesAll = arriving && record.exclusive != .none && record.isWaiting
            let isHeldBack = Int64(record.priority) < groups[record.group].threshold && !takesAll
            if !record.isDelayed, !isHeldBack, meetsConditions(member) {
                if ready == nobody || goesBefore(member, ready) { ready = member }
            }
            member = relations[record.relations].youngerMember
        }
        return ready
    }

    private func goesBefore(_ member: Int32, _ other: Int32) -> Bool {
        switch (popups[member].isPaused, popups[other].isPaused) {
        case (true, true): popups[member].rank < popups[other].rank
        case (true, false): true
        case (false, true): false
        case (false, false): comesBefore(member, other)
        }
    }

    @inline(__always)
    func isSameFlow(_ popup: Int32, _ other: Int32) -> Bool {
        let flow = flow(of: popup)
        return flow != nobody && flow == self.flow(of: other)
    }

    // MARK: - The slot between two members

    /// Lets a group go on after a popup that held the slot is gone from it, and no other took it.
    mutating func proceed(in group: Int32, after departure: Departure) {
        tellDependants()
        let flow = departure.flow
        if flow != nobody {
            if departure.hold > 0 {
                flows[flow].heldUntil = max(flows[flow].heldUntil, now + Milliseconds(departure.hold))
            }
            let next = readyMember(of: flow)
            if next != nobody { return activate(next) }
            if flows[flow].heldUntil > now { return hold(group, for: flow, gapAfter: departure.wasShown) }
        }
        settleFlows()
        if departure.wasShown { beginGap(in: group) }
        fillSlot(group)
    }

    private mutating func hold(_ group: Int32, for flow: Int32, gapAfter: Bool) {
        groups[group].hold = timers.set(.hold, of: group, due: flows[flow].heldUntil)
        groups[group].holder = flow
        groups[group].gapAfterHold = gapAfter
    }

    /// The flow keeps the slot no longer.
    @inline(__always)
    mutating func endHold(in group: Int32) {
        if groups[group].holder != nobody { endHoldOfFlow(in: group) }
    }

    private mutating func endHoldOfFlow(in group: Int32) {
        let flow = groups[group].holder
        timers.cancel(groups[group].hold)
        groups[group].hold = nobody
        groups[group].holder = nobody
        transaction.unsettledFlows.append(flow)
    }

    mutating func holdIsOver(in group: Int32) {
        markChanged(group)
        groups[group].hold = nobody
        endHold(in: group)
        settleFlows()
        if groups[group].gapAfterHold { beginGap(in: group) }
        fillSlot(group)
    }

    // MARK: - Requirements

    /// Whether a popup that arrives can never be shown: what it requires did not happen, or nobody is left to do it.
    @inline(__always)
    func isUnsatisfiable(_ popup: Int32) -> Bool {
        let place = popups[popup].relations
        guard place != nobody else { return false }
        switch relations[place].requirement {
        case .none, .met: return false
        case .failed: return true
        case .unknown:
            let flow = relations[place].flow
            return flows[flow].live == 1 && groups[popups[popup].group].holder != flow
        }
    }

    /// Tells dependants how the members closed that they require, and closes those for which it was the wrong way.
    mutating func tellDependants() {
        var next = 0
        while next < transaction.outcomes.count {
            tellDependants(of: transaction.outcomes[next])
            next += 1
        }
        transaction.outcomes.removeAll()
    }

    private mutating func tellDependants(of handle: Int32) {
        let closed = closedPopups[handle]
        transaction.unsettledFlows.append(closed.flow)
        for member in membersByStage(of: closed.flow) {
            let place = popups[member].relations
            guard relations[place].requirement == .unknown,
                store[relations[place].required].equals(store[closed.id])
            else { continue }
            relations[place].requirement = isMet(place, by: closed) ? .met : .failed
            if relations[place].requirement == .failed { close(member, .unmet, detail: store[closed.id]) }
        }
    }

    /// Closes what waits in vain: all live members of a flow, when each of them waits for another and none can come.
    ///
    /// Not while others close by the same cause: first all of them do.
    @inline(__always)
    mutating func settleFlows() {
        guard closing == nil else { return }
        if !transaction.outcomes.isEmpty || !transaction.unsettledFlows.isEmpty { settleTouchedFlows() }
    }

    private mutating func settleTouchedFlows() {
        tellDependants()
        var next = 0
        while next < transaction.unsettledFlows.count {
            let flow = transaction.unsettledFlows[next]
            next += 1
            if isStuck(flow) {
                for member in membersByStage(of: flow) {
                    close(member, .unmet, detail: store[relations[popups[member].relations].required])
                }
            }
            tellDependants()
            forgetFlowIfEmpty(flow)
        }
        transaction.unsettledFlows.removeAll()
    }

    /// Whether each live member of a flow waits for another, and none can come.
    func isStuck(_ flow: Int32) -> Bool {
        guard flows[flow].live > 0, groups[flows[flow].group].holder != flow else { return false }
        return members(of: flow).allSatisfy { member in
            popups[member].isWaiting && relations[popups[member].relations].requirement == .unknown
        }
    }
}
