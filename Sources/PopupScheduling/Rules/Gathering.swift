// Gathering: the first member of a flow waits for a time before it competes for the slot, so that members which are
// sent separately and out of order are shown in order. Members that gather are delayed.
extension Scheduler {
    /// Whether the flow of an accepted popup gathers, or begins to gather with this popup.
    func gathers(_ index: RelationFields.Index) -> Bool {
        guard let flow = popups.relations[index].flow else { return false }
        return flows[flow].gathering != nil || beginsGathering(flow)
    }

    private func beginsGathering(_ flow: FlowRecord.Index) -> Bool {
        let flow = flows[flow]
        return flow.live == 1 && flow.remembered == 0 && policies[groups[flow.group].policy].gather > 0
    }

    /// Starts the timer of a flow that gathers, with its first member.
    mutating func gather(_ index: RelationFields.Index) {
        guard let flow = popups.relations[index].flow, gathers(index), flows[flow].gathering == nil else { return }
        let length = policies[groups[flows[flow].group].policy].gather
        flows[flow].gathering = timers.set(.gathering(flow), due: now + Milliseconds(length))
    }

    /// Lets all gathered members arrive. The first ready one is compared with the active popup as a newcomer; if it
    /// closes, the next one is.
    mutating func gatheringIsOver(of flow: FlowRecord.Index) {
        flows[flow].gathering = nil
        let group = flows[flow].group
        let gathered = membersByStage(of: flow).map { popups.relations[$0].popup }.filter {
            if case .delayed(arrival: nil) = popups[$0].phase { true } else { false }
        }
        guard !gathered.isEmpty else { return forgetFlowIfEmpty(flow) }
        // A member may replace a later one.
        for member in gathered where popups.contains(member) && popups[member].isDelayed { joinQueue(member) }
        var ready = readyMember(of: flow, arriving: true)
        while let first = ready, gathered.contains(first), popups[first].isWaiting {
            let arrival = judgeArrival(of: first)
            if case .show = arrival, firstForSlot(of: group) != first { break }
            enact(arrival, first, isNew: false)
            if popups.contains(first) && popups[first].isWaiting || hasWork { break }
            ready = readyMember(of: flow, arriving: true)
        }
        transaction.changedFlows.append(flow)
        fillSlot(group)
    }

    /// Adds a gathered member to the queue. It replaces the popup with its collapse key if there is one.
    private mutating func joinQueue(_ member: PopupRecord.Index) {
        endDelay(of: member)
        let key = collapseKey(of: member)
        let takesAll = popups[member].exclusive != .none && meetsConditions(member)
        if !takesAll, let holder = keyHolder(in: popups[member].group, key, besides: member) {
            replace(holder, by: member, isNew: false, hasGathered: true)
        } else {
            registerKey(of: member)
            wait(member, isNew: false)
        }
    }
}
