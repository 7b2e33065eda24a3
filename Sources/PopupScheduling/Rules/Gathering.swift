// Gathering: the first member of a flow waits before it competes, so that members sent separately and out of order are
// put in order. Until its end they are delayed.
extension Scheduler {
    /// Whether the flow of an accepted popup gathers, or begins to with it.
    func gathers(_ popup: Int32) -> Bool {
        let flow = flow(of: popup)
        guard flow != nobody else { return false }
        return flows[flow].gathering != nobody || beginsGathering(popup)
    }

    private func beginsGathering(_ popup: Int32) -> Bool {
        let flow = flows[flow(of: popup)]
        return flow.live == 1 && flow.remembered == 0 && policies[groups[flow.group].policy].gather > 0
    }

    /// Starts the clock with the first member.
    mutating func gather(_ popup: Int32) {
        guard gathers(popup), flows[flow(of: popup)].gathering == nobody else { return }
        let length = policies[groups[popups[popup].group].policy].gather
        flows[flow(of: popup)].gathering = timers.set(
            .gathering, of: flow(of: popup), due: now + Milliseconds(length))
    }

    /// All that gathered arrive. The one that comes first of them is judged as a newcomer; if it is refused, the next.
    mutating func gatheringIsOver(of flow: Int32) {
        flows[flow].gathering = nobody
        let group = flows[flow].group
        let gathered = membersByStage(of: flow).filter {
            if case .delayed(nobody) = popups[$0].stage { true } else { false }
        }
        guard !gathered.isEmpty else { return forgetFlowIfEmpty(flow) }
        // One of them may take the place of a later one.
        for member in gathered where popups[member].isDelayed { joinQueue(member) }
        var first = readyMember(of: flow, arriving: true)
        while first != nobody, gathered.contains(first), popups[first].isWaiting {
            let arrival = judgeArrival(of: first)
            if case .show = arrival, candidate(in: group) != first { break }
            enact(arrival, first, isNew: false)
            if popups[first].isWaiting || hasWork { break }
            first = readyMember(of: flow, arriving: true)
        }
        transaction.unsettledFlows.append(flow)
        fillSlot(group)
    }

    /// Lets a gathered member wait, in the place of the popup with its collapse key if there is one.
    private mutating func joinQueue(_ member: Int32) {
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
