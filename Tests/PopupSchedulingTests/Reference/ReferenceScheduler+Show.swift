import PopupScheduling

/// A newcomer: accepted or refused, then arrived.
extension ReferenceScheduler {
    /// The live popup of the group whose place a newcomer with the same key takes.
    private enum Holder {
        case none
        /// It has arrived.
        case arrived(Popup)
        /// Only delayed ones have the key; this is the earliest accepted.
        case delayed(Popup)
    }

    func show(_ request: Instruction.Request) -> Refusal? {
        let (id, group) = (request.id, request.group)
        if popups[id] != nil || closed[id] != nil { return nil }
        if let cause = exceededLimit(request) { return refuse(.overload, cause, id, in: group) }

        let number = nextNumber()
        var popup = Popup(
            id: id, group: group, request: request, priority: request.priority, duration: request.duration,
            interruptible: request.interruptible, content: request.content, accepted: number,
            arrival: now + Milliseconds(request.delay), place: Popup.Place(rank: number), phase: .waiting)
        popup.account = account(for: request.producer)
        guard let requirement = requirement(of: request) else {
            accept(popup)
            finish(id, .unmet)
            return nil
        }
        popup.requirement = requirement

        let gather = Milliseconds(policy(of: group).gather)
        var gathersNow = false
        if let flow = popup.flow {
            gathersNow = gather > 0 && gathers[flow] == nil && !isRemembered(flow)
            if let end = gathersNow ? now + gather : gathers[flow] {
                popup.arrival = max(popup.arrival, end)
                popup.phase = .delayed
            }
        }
        if request.delay > 0 { popup.phase = .delayed }

        popups[id] = popup
        let isInVain = isUnsatisfiable(popup)
        if let refusal = makeRoom(for: popup) { return refusal }
        accept(popup)
        if request.delay > 0 { setTimer(.arrival(id), after: Milliseconds(request.delay)) }
        if let flow = popup.flow, gathersNow {
            gathers[flow] = now + gather
            setTimer(.gather(flow), after: gather)
        }
        if request.timeToLive > 0 { setTimer(.expiry(id), after: Milliseconds(request.timeToLive)) }
        if popup.phase == .delayed {
            emit(.queued, id, in: group)
            closeWhatFollowsFromGivingWay()
            settle(group)
        } else {
            arrive(id, isQueued: false, inVain: isInVain)
        }
        return nil
    }

    private func accept(_ popup: Popup) {
        popups[popup.id] = popup
        own(.group(popup.group), by: popup.account)
        if let page = popup.request.page { own(.tree(page.tree), by: popup.account) }
        if revisions[popup.group] == nil { revisions[popup.group] = 0 }
    }

    private func exceededLimit(_ request: Instruction.Request) -> Refusal.Cause? {
        if let tree = request.page?.tree, let cause = admissionErrorOfTree(tree, of: request.producer) { return cause }
        if let key = request.flow?.key,
            members(of: FlowID(group: request.group, key: key)).count >= limits.membersPerFlow
        {
            return .limit(.membersPerFlow)
        }
        let payer = account(for: request.producer)
        let held = popups.values.map(\.account)
        if let cause = admissionError(in: .popups, used: popups.count, of: limits.popups, held: held, for: payer) {
            return cause
        }
        if popups.count >= limits.maxIDs { return .limit(.maxIDs) }
        if let cause = admissionErrorOfCaps(in: request.group, of: request.producer) { return cause }
        return admissionErrorOfUsing(request.group, by: request.producer)
    }

    func delayEnds(_ id: String) {
        if let flow = popups[id]!.flow, gathers[flow] != nil { return }
        popups[id]!.phase = .waiting
        arrive(id, isQueued: true, inVain: isUnsatisfiable(popups[id]!))
    }

    // MARK: - Room in the queue

    /// Applies the policy's overflow to a newcomer that would have to wait.
    private func makeRoom(for newcomer: Popup) -> Refusal? {
        let policy = policy(of: newcomer.group)
        let most = min(policy.maxWaiting.map(Int.init) ?? .max, limits.waitingPerGroup)
        let candidates = waiting(of: newcomer.group).filter { $0.id != newcomer.id }
        guard candidates.count >= most, hasToWait(newcomer) else { return nil }

        let dropped: Popup?
        switch policy.overflow {
        case .rejectNew: dropped = nil
        case .dropLowest: dropped = (candidates + [newcomer]).max(by: standsBefore)
        case .dropOldest: dropped = candidates.min { $0.accepted < $1.accepted }
        }
        guard let dropped, dropped.id != newcomer.id else {
            popups[newcomer.id] = nil
            let cause: Refusal.Cause = most == limits.waitingPerGroup ? .limit(.waitingPerGroup) : .maxWaiting
            return refuse(.overload, cause, newcomer.id, in: newcomer.group)
        }
        closeForAnother([dropped], .evicted, by: newcomer.id)
        return nil
    }

    /// Whether a newcomer would wait in the queue. One that takes another's place is never refused, nor one that closes
    /// at once.
    private func hasToWait(_ newcomer: Popup) -> Bool {
        if newcomer.phase == .delayed { return true }
        if mayTakeAll(newcomer) { return false }
        if case .none = holder(for: newcomer) {} else { return false }
        if isUnsatisfiable(newcomer) { return false }
        if !isEligible(newcomer) { return true }
        if let occupant = occupant(of: newcomer.group) {
            switch verdict(on: newcomer, against: occupant, isNewcomer: true) {
            case .wait, .tooEarly: return true
            case .stop, .pause, .never: return false
            }
        }
        return candidate(for: newcomer.group)?.id != newcomer.id
    }

    // MARK: - Arrival

    private func arrive(_ id: String, isQueued: Bool, inVain: Bool) {
        let group = popups[id]!.group
        if inVain {
            finish(id, .unmet)
            closeWhatFollowsFromGivingWay()
            return
        }
        if !takesPlace(popups[id]!, notYetArrived: []) { meet(id) }
        if popups[id]?.phase == .waiting {
            if candidate(for: group)?.id == id {
                takeSlot(id)
            } else if !isQueued {
                emit(.queued, id, in: group)
            }
        }
        closeWhatFollowsFromGivingWay()
        closeIfStuck(popups[id]?.flow)
        settle(group)
    }

    /// A newcomer meets the one in the slot by the whole table. Afterwards it is in the slot, closed or waiting.
    func meet(_ id: String) {
        let popup = popups[id]!
        if mayTakeAll(popup) { return arriveExclusively(popup) }
        guard isEligible(popup), let occupant = occupant(of: popup.group) else { return }
        switch verdict(on: popup, against: occupant, isNewcomer: true) {
        case .stop: preempt(occupant, by: id, stop: true)
        case .pause: preempt(occupant, by: id, stop: false)
        case .never: close([popup], .rejected, by: occupant.id)
        case .tooEarly: popups[id]!.mark = .newcomer
        case .wait: break
        }
    }

    /// Exclusive, and nothing stands against it that exclusive ones are bound by.
    private func mayTakeAll(_ popup: Popup) -> Bool {
        popup.request.exclusive != .none && popup.requirement != .unknown && isOpen(popup, arrivesExclusively: true)
    }

    private func arriveExclusively(_ popup: Popup) {
        let groups = popup.request.exclusive == .all ? groupsInOrder : [popup.group]
        for group in groups {
            let others = closingOrder(of: group).filter { $0.id != popup.id }
            if group != popup.group { breakHold(group) }
            closeForAnother(others, .superseded, by: popup.id)
            if group == popup.group {
                takeSlot(popup.id, withoutOffer: true)
                popups[popup.id]!.exemptions = suspensions.map(\.number)
                popups[popup.id]!.exemptWindows = quietWindows(of: popup.group)
            } else if others.contains(where: { $0.phase == .active }) {
                startGap(group)
            }
        }
    }

    // MARK: - Collapse keys

    private func holder(for newcomer: Popup, notYetArrived: [String] = []) -> Holder {
        guard !newcomer.request.collapseKey.isEmpty else { return .none }
        let holders = popups(of: newcomer.group).filter {
            $0.request.collapseKey == newcomer.request.collapseKey && $0.id != newcomer.id
        }
        func hasArrived(_ popup: Popup) -> Bool { popup.phase != .delayed && !notYetArrived.contains(popup.id) }
        if let arrived = holders.first(where: hasArrived) { return .arrived(arrived) }
        return holders.min { $0.accepted < $1.accepted }.map { .delayed($0) } ?? .none
    }

    /// A newcomer takes the place of the one with its key, unless it takes everything. Says whether it did, so that it
    /// meets nobody as a newcomer.
    func takesPlace(_ popup: Popup, notYetArrived: [String]) -> Bool {
        if mayTakeAll(popup) { return false }
        let id = popup.id
        switch holder(for: popup, notYetArrived: notYetArrived) {
        case .none:
            return false
        case .delayed(let holder):
            closeForAnother([holder], .replaced, by: id)
            return false
        case .arrived(let holder):
            let hadOtherPriority = basePriority(popup) != basePriority(holder)
            closeForAnother([holder], .replaced, by: id)
            if holder.isInSlot {
                decideDependants(of: holder.id)
                if popups[id] == nil { return true }
            }
            switch holder.phase {
            case .active, .offered:
                let isOfSameFlow = popup.flow != nil && popup.flow == holder.flow
                let wasActive = holder.phase == .active
                let isNext = popup.flow == nil || isOfSameFlow || ready(of: popup.flow!)?.id == id
                let isReady =
                    isOpen(popup, cappedToo: !wasActive) && popups[id]!.requirement != .unknown && isNext
                if isReady { takeSlot(id, withoutOffer: holder.phase == .active) }
            case .waiting, .paused:
                if hadOtherPriority {
                    popups[id]!.place.rank = nextNumber()
                    if holder.phase == .waiting { promote(id) }
                } else if holder.place.pausedAt != nil {
                    popups[id]!.place.pausedAt = holder.place.pausedAt
                    popups[id]!.age = holder.age ?? holder.arrival
                    popups[id]!.mark = holder.mark
                } else {
                    popups[id]!.place.rank = holder.place.rank
                    popups[id]!.age = holder.age ?? holder.arrival
                    popups[id]!.mark = holder.mark
                }
            case .delayed, .closed:
                break
            }
            return true
        }
    }
}
