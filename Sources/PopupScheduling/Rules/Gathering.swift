// Gathering: the first member of a flow waits before it competes, so that members sent separately and out of order are
// put in order. Until its end they are delayed.
extension Scheduler {
    /// Whether the flow of an accepted popup gathers, or begins to with it.
    func gathers(_ place: RelationFields.Index) -> Bool {
        guard let flow = popups.relations[place].flow else { return false }
        return flows[flow].gathering != nil || beginsGathering(flow)
    }

    private func beginsGathering(_ flow: FlowRecord.Index) -> Bool {
        let flow = flows[flow]
        return flow.live == 1 && flow.remembered == 0 && policies[groups[flow.group].policy].gather > 0
    }

    /// Starts the clock with the first member.
    mutating func gather(_ place: RelationFields.Index) {
        guard let flow = popups.relations[place].flow, gathers(place), flows[flow].gathering == nil else { return }
        let length = policies[groups[flows[flow].group].policy].gather
        flows[flow].gathering = timers.set(.gathering(flow), due: now + Milliseconds(length))
    }

    /// All that gathered arrive. The one that comes first of them is judged as a newcomer; if it is refused, the next.
    mutating func gatheringIsOver(of flow: FlowRecord.Index) {
        flows[flow].gathering = nil
        let group = flows[flow].group
        let gathered = membersByStage(of: flow).map { popups.relations[$0].popup }.filter {
            if case .delayed(arrival: nil) = popups[$0].stage { true } else { false }
        }
        guard !gathered.isEmpty else { return forgetFlowIfEmpty(flow) }
        // One of them may take the place of a later one.
        for member in gathered where popups.contains(member) && popups[member].isDelayed { joinQueue(member) }
        var ready = readyMember(of: flow, arriving: true)
        while let first = ready, gathered.contains(first), popups[first].isWaiting {
            let arrival = judgeArrival(of: first)
            if case .show = arrival, firstForSlot(of: group) != first { break }
            enact(arrival, first, isNew: false)
            if popups.contains(first) && popups[first].isWaiting || hasWork { break }
            ready = readyMember(of: flow, arriving: true)
        }
        transaction.unsettledFlows.append(flow)
        fillSlot(group)
    }

    /// Lets a gathered member wait, in the place of the popup with its collapse key if there is one.
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
