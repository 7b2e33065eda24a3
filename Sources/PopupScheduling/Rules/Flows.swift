// Flows: the members of a flow are shown one after the other, and no other popup is shown in between.
//
//     a member closes ─▶ its dependants are resolved ─▶ is a member ready? ── yes ─▶ it is active at once
//                                                            │ no
//                                                            ├─ a hold runs ─▶ the slot is kept for further members
//                                                            └─ otherwise the group continues: the gap, then the queue
extension Scheduler {
    /// Whether no other member of its flow goes before the popup. `true` for a popup in no flow.
    @inline(__always)
    func isNextOfFlow(_ popup: PopupRecord.Index) -> Bool {
        guard let flow = flow(of: popup) else { return true }
        return readyMember(of: flow) == popup
    }

    /// Whether no other member of its flow goes before the popup, in a pass over many popups.
    func isNextOfFlow(_ popup: PopupRecord.Index, _ pass: inout ReadyMembers) -> Bool {
        guard let flow = flow(of: popup) else { return true }
        return pass.member(of: flow, in: self) == popup
    }

    /// Returns the member of a flow that may take the slot: the paused one (of several the one paused last), otherwise
    /// the first by stage; `nil` while a member has the slot. Members whose conditions do not hold are skipped.
    /// `arriving` exempts exclusive members that arrive from suspensions and quiet windows. O(n) in the number of
    /// members.
    func readyMember(of flow: FlowRecord.Index, arriving: Bool = false) -> PopupRecord.Index? {
        var ready: RelationFields.Index?
        var next = flows[flow].members.first
        transaction.meter.count += Int(flows[flow].live)
        while let member = next {
            let popup = popups.relations[member].popup
            let record = popups[popup]
            if record.holdsSlot { return nil }
            let takesAll = arriving && record.exclusive != .none && record.isWaiting
            let isHeldBack = Int64(record.priority) < groups[record.group].threshold && !takesAll
            if !record.isDelayed, !isHeldBack, meetsConditions(popup) {
                if ready.map({ goesBefore(member, $0) }) ?? true { ready = member }
            }
            next = popups.relations.next(after: member, FlowMembers.self)
        }
        return ready.map { popups.relations[$0].popup }
    }

    private func goesBefore(_ member: RelationFields.Index, _ other: RelationFields.Index) -> Bool {
        let (mine, theirs) = (popups.relations[member].popup, popups.relations[other].popup)
        return switch (popups[mine].isPaused, popups[theirs].isPaused) {
        case (true, true): popups[mine].rank < popups[theirs].rank
        case (true, false): true
        case (false, true): false
        case (false, false): comesBefore(member, other)
        }
    }

    @inline(__always)
    func isSameFlow(_ popup: PopupRecord.Index, _ other: PopupRecord.Index) -> Bool {
        guard let flow = flow(of: popup) else { return false }
        return flow == self.flow(of: other)
    }

    // MARK: - The slot between two members

    /// Continues a group after the popup that had the slot left it, if no other popup took the slot.
    mutating func proceed(in group: GroupRecord.Index, after departure: Departure) {
        resolveDependants()
        if let flow = departure.flow {
            if departure.hold > 0 {
                flows[flow].heldUntil = max(flows[flow].heldUntil, now + Milliseconds(departure.hold))
            }
            if let next = readyMember(of: flow) { return activate(next) }
            if flows[flow].heldUntil > now { return hold(group, for: flow, gapAfter: departure.wasShown) }
        }
        resolveFlows()
        if departure.wasShown { beginGap(in: group) }
        fillSlot(group)
    }

    private mutating func hold(_ group: GroupRecord.Index, for flow: FlowRecord.Index, gapAfter: Bool) {
        groups[group].hold = timers.set(.hold(group), due: flows[flow].heldUntil)
        groups[group].holder = flow
        groups[group].gapAfterHold = gapAfter
    }

    /// Ends the hold of the flow that keeps the slot, if there is one.
    @inline(__always)
    mutating func endHold(in group: GroupRecord.Index) {
        if let flow = groups[group].holder { endHold(of: flow, in: group) }
    }

    private mutating func endHold(of flow: FlowRecord.Index, in group: GroupRecord.Index) {
        timers.cancel(groups[group].hold)
        groups[group].hold = nil
        groups[group].holder = nil
        flows[flow].heldUntil = .min
        transaction.changedFlows.append(flow)
    }

    /// Clears the hold of a popup's flow, since the member for which the slot was kept takes it.
    @inline(__always)
    mutating func forgetHold(of popup: PopupRecord.Index) {
        if let flow = flow(of: popup) { flows[flow].heldUntil = .min }
    }

    /// Ends a hold early. No popup takes the slot: the gap that would follow the hold begins.
    mutating func breakHold(in group: GroupRecord.Index) {
        markChanged(group)
        let isFollowedByGap = groups[group].gapAfterHold
        endHold(in: group)
        if isFollowedByGap { beginGap(in: group) }
    }

    mutating func holdIsOver(in group: GroupRecord.Index) {
        markChanged(group)
        groups[group].hold = nil
        endHold(in: group)
        resolveFlows()
        if groups[group].gapAfterHold { beginGap(in: group) }
        fillSlot(group)
    }

    // MARK: - Requirements

    /// Returns the id of the popup that a member of a flow requires; empty if there is none.
    func requiredPopup(of popup: PopupRecord.Index) -> UnsafeRawBufferPointer {
        popups[popup].relations.map { store[popups.relations[$0].required] } ?? nothing
    }

    /// Whether a popup that arrives can never be shown: its requirement failed, or no popup is left that could meet it.
    @inline(__always)
    func isUnsatisfiable(_ popup: PopupRecord.Index) -> Bool {
        guard let index = popups[popup].relations else { return false }
        switch popups.relations[index].requirement {
        case .none, .met: return false
        case .failed: return true
        case .unknown:
            guard let flow = popups.relations[index].flow else { return true }
            return flows[flow].live == 1 && groups[popups[popup].group].holder != flow
        }
    }

    /// Resolves the requirements of members whose required popup has closed, and closes the members whose requirement
    /// failed.
    mutating func resolveDependants() {
        var next = 0
        while next < transaction.outcomes.count {
            resolveDependants(of: transaction.outcomes[next])
            next += 1
        }
        transaction.outcomes.removeAll()
    }

    private mutating func resolveDependants(of outcome: ClosedPopups.Index) {
        let closed = popups.closed[outcome]
        guard let flow = closed.flow else { return }
        transaction.changedFlows.append(flow)
        for index in membersByStage(of: flow) {
            guard popups.relations[index].requirement == .unknown,
                store[popups.relations[index].required].equals(store[closed.id])
            else { continue }
            popups.relations[index].requirement = isMet(index, by: closed) ? .met : .failed
            if popups.relations[index].requirement == .failed {
                close(popups.relations[index].popup, .unmet, detail: store[closed.id])
            } else {
                updateConditions(of: popups.relations[index].popup)
            }
        }
    }

    /// Closes all live members of each changed flow in which every member waits for another one, so that none can be
    /// shown.
    ///
    /// While popups close together this is deferred until all of them have closed.
    @inline(__always)
    mutating func resolveFlows() {
        guard transaction.closing == nil else { return }
        if !transaction.outcomes.isEmpty || !transaction.changedFlows.isEmpty { resolveChangedFlows() }
    }

    private mutating func resolveChangedFlows() {
        resolveDependants()
        var next = 0
        while next < transaction.changedFlows.count {
            let flow = transaction.changedFlows[next]
            next += 1
            if isStuck(flow) {
                for member in membersByStage(of: flow) {
                    close(popups.relations[member].popup, .unmet, detail: store[popups.relations[member].required])
                }
            }
            resolveDependants()
            forgetFlowIfEmpty(flow)
        }
        transaction.changedFlows.removeAll()
    }

    /// Whether each live member of a flow waits for another one, so that none can be shown.
    func isStuck(_ flow: FlowRecord.Index) -> Bool {
        guard flows.contains(flow), flows[flow].live > 0, groups[flows[flow].group].holder != flow else { return false }
        return members(of: flow).allSatisfy { member in
            popups[popups.relations[member].popup].isWaiting && popups.relations[member].requirement == .unknown
        }
    }
}

/// The ready members of flows, each searched once in a pass over many popups. They hold as long as nothing changes but
/// marks of early attempts.
struct ReadyMembers {
    private var known: [FlowRecord.Index: PopupRecord.Index?] = [:]

    /// Returns the member of a flow that may take the slot.
    mutating func member(of flow: FlowRecord.Index, in scheduler: borrowing Scheduler) -> PopupRecord.Index? {
        if let member = known[flow] { return member }
        let member = scheduler.readyMember(of: flow)
        known.updateValue(member, forKey: flow)
        return member
    }
}
