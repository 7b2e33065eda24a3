import PopupScheduling

/// One business, several popups.
extension ReferenceScheduler {
    /// In the order of the flow: by stage, then the highest, then by acceptance.
    func members(of flow: FlowID) -> [Popup] {
        popups.values.filter { $0.flow == flow }.sorted { one, other in
            let stages = (one.request.flow!.stage, other.request.flow!.stage)
            if stages.0 != stages.1 { return stages.0 < stages.1 }
            if agedPriority(one) != agedPriority(other) { return agedPriority(one) > agedPriority(other) }
            // One that took the place of a paused one stands where that stood.
            if one.phase == .waiting, other.phase == .waiting, one.place.pausedAt != other.place.pausedAt {
                return (one.place.pausedAt ?? 0) > (other.place.pausedAt ?? 0)
            }
            return one.place.rank < other.place.rank
        }
    }

    /// The one member that may come into the slot next: the latest paused, else the first whose requirement is met.
    func ready(of flow: FlowID, forArrival: Bool = false) -> Popup? {
        let members = members(of: flow)
        if members.contains(where: \.isInSlot) { return nil }
        let paused = members.filter { $0.phase == .paused && isOpen($0) }
        if let latest = paused.max(by: { $0.place.pausedAt! < $1.place.pausedAt! }) { return latest }
        return members.first {
            $0.phase == .waiting && $0.requirement != .unknown
                && isOpen($0, arrivesExclusively: forArrival && $0.request.exclusive != .none)
        }
    }

    /// What is known of a requirement when its popup is accepted; `nil`: it failed.
    func requirement(of request: Instruction.Request) -> Popup.Requirement? {
        guard let flow = request.flow, !flow.requires.isEmpty else { return Popup.Requirement.none }
        guard let over = closed[flow.requires], over.flow == FlowID(group: request.group, key: flow.key) else {
            return .unknown
        }
        return over.meets(flow) ? .met : nil
    }

    /// It is alone, and nobody is left to do what it requires.
    func isUnsatisfiable(_ popup: Popup) -> Bool {
        guard let flow = popup.flow, popup.requirement == .unknown else { return false }
        return members(of: flow).count == 1 && holds[popup.group]?.flow != flow
    }

    /// Nothing of the flow can run any more.
    func isStuck(_ flow: FlowID) -> Bool {
        holds[flow.group]?.flow != flow
            && members(of: flow).allSatisfy { $0.phase == .waiting && $0.requirement == .unknown }
    }

    func closeIfStuck(_ flow: FlowID?) {
        if let flow, isStuck(flow) { close(members(of: flow), .unmet) }
    }

    // MARK: - Holding the slot

    /// Whether one of its members that closed keeps the slot for it still.
    func keepsSlot(_ flow: FlowID, isFollowedByGap: Bool) -> Bool {
        guard let end = heldUntil[flow], end > now else { return false }
        holds[flow.group] = Hold(flow: flow, end: end, isFollowedByGap: isFollowedByGap)
        setTimer(.hold(flow.group), after: end - now)
        return true
    }

    /// A hold ends before its time and nobody takes the slot.
    func breakHold(_ group: String) {
        guard let hold = holds[group] else { return }
        endHold(group)
        if hold.isFollowedByGap { startGap(group) }
    }

    func endHold(_ group: String) {
        cancelTimer(.hold(group))
        if let hold = holds.removeValue(forKey: group) { heldUntil[hold.flow] = nil }
    }

    func holdEnds(_ group: String) {
        let hold = holds.removeValue(forKey: group)!
        closeIfStuck(hold.flow)
        if hold.isFollowedByGap { startGap(group) }
        settle(group)
    }

    // MARK: - Gathering

    func isRemembered(_ flow: FlowID) -> Bool {
        popups.values.contains { $0.flow == flow } || closed.values.contains { $0.flow == flow }
    }

    /// Its members arrive together: collapse keys first, then the first that is ready, then the next if that was
    /// refused.
    func gatherEnds(_ flow: FlowID) {
        gathers[flow] = nil
        let gathered = members(of: flow).filter { $0.phase == .delayed && due(.arrival($0.id)) == nil }
        for member in gathered {
            popups[member.id]!.phase = .waiting
        }
        for (index, member) in gathered.enumerated() {
            guard let popup = popups[member.id] else { continue }
            _ = takesPlace(popup, notYetArrived: gathered.dropFirst(index + 1).map(\.id))
        }
        while let first = ready(of: flow, forArrival: true), first.phase == .waiting {
            meet(first.id)
            if popups[first.id] != nil { break }
        }
        // A free slot is taken before what follows from the places that were taken.
        if let first = ready(of: flow), candidate(for: flow.group)?.id == first.id { settle(flow.group) }
        closeWhatFollowsFromGivingWay()
        closeIfStuck(flow)
        settle(flow.group)
    }
}
