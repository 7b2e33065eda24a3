import PopupScheduling

/// The end of popups, and what follows from it.
extension ReferenceScheduler {
    /// One closes for its own reason, and the queue goes on.
    func finish(_ id: String, _ reason: CloseReason, action: String = "") {
        let popup = popups[id]!
        close([popup], reason, action: action)
        settle(popup.group)
    }

    /// Closes popups of one group for one cause: first all of them, then those that depend on them. The flow of the one
    /// that was in the slot goes on or keeps it, or a gap follows.
    func close(_ chosen: [Popup], _ reason: CloseReason, action: String = "", by closer: String = "") {
        let endsHolds = [.cleared, .sessionEnded, .pageClosed].contains(reason)
        if endsHolds, let group = chosen.first?.group, chosen.contains(where: { $0.flow == holds[group]?.flow }) {
            breakHold(group)
        }
        for popup in chosen { closeOne(popup.id, reason, action: action, by: closer) }
        let left = chosen.first(where: \.isInSlot)
        closeWhatFollows(from: chosen, butNotStuck: left?.flow)
        if let left { slotIsLeft(by: left, holds: !endsHolds) }
    }

    /// Closes popups whose place another takes; what follows comes after that.
    func closeForAnother(_ chosen: [Popup], _ reason: CloseReason, by closer: String) {
        for popup in chosen { closeOne(popup.id, reason, by: closer) }
        gaveWay += chosen
    }

    func closeWhatFollowsFromGivingWay() {
        let chosen = gaveWay
        gaveWay = []
        closeWhatFollows(from: chosen)
    }

    /// Closes those that depend on closed ones, and flows of which nothing can run any more.
    private func closeWhatFollows(from chosen: [Popup], butNotStuck flow: FlowID? = nil) {
        for popup in chosen { decideDependants(of: popup.id) }
        for popup in chosen where popup.flow != flow { closeIfStuck(popup.flow) }
    }

    private func closeOne(_ id: String, _ reason: CloseReason, action: String = "", by closer: String = "") {
        if popups[id]!.isInSlot { leaveSlot(id) }
        let popup = popups.removeValue(forKey: id)!
        for purpose: Timer.Purpose in [.arrival(id), .expiry(id), .retry(id)] { cancelTimer(purpose) }
        closed[id] = Closed(
            group: popup.group, account: popup.account, number: nextNumber(), flow: popup.flow, reason: reason,
            action: action, by: closer, at: now,
            displayed: popup.displayed)
        emit(.closed(reason, action: action, displayed: popup.displayed), id, in: popup.group)
    }

    /// What closed decides the requirements of others: those that it fails close, and then what depends on them.
    func decideDependants(of id: String) {
        var over = [id]
        while !over.isEmpty {
            let next = over.removeFirst()
            guard let flow = closed[next]?.flow else { continue }
            for member in members(of: flow)
            where member.requirement == .unknown && member.request.flow?.requires == next {
                if closed[next]!.meets(member.request.flow!) {
                    popups[member.id]!.requirement = .met
                } else {
                    closeOne(member.id, .unmet, by: next)
                    over.append(member.id)
                }
            }
        }
    }

    private func slotIsLeft(by popup: Popup, holds: Bool) {
        if let flow = popup.flow {
            let hold = holds ? Milliseconds(popup.request.flow!.hold) : 0
            if hold > 0 { heldUntil[flow] = max(heldUntil[flow] ?? 0, now + hold) }
            if let next = ready(of: flow) { return takeSlot(next.id) }
            if keepsSlot(flow, isFollowedByGap: popup.phase == .active) { return }
            closeIfStuck(flow)
        }
        if popup.phase == .active { startGap(popup.group) }
    }
}

extension ReferenceScheduler.Closed {
    /// Whether it closed as a member of its flow requires it.
    func meets(_ flow: Instruction.Flow) -> Bool {
        if flow.action.isEmpty { return reason != .unmet }
        return reason == .dismissed && action == flow.action
    }
}
