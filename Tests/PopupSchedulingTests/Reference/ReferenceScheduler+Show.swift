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
        let id = request.id
        if popups[id] != nil || closed[id] != nil { return nil }
        let number = nextNumber()
        let popup = Popup(
            id: id, group: request.group, request: request, priority: request.priority, duration: request.duration,
            interruptible: request.interruptible, content: request.content, accepted: number,
            arrival: now + Milliseconds(request.delay), place: Popup.Place(isPaused: false, number: number),
            phase: request.delay > 0 ? .delayed : .waiting)

        if popups.count >= limits.popups { return refuse(.overload, .limit(.popups), id, in: request.group) }
        if popups.count + closed.count >= limits.rememberedIDs {
            return refuse(.overload, .limit(.rememberedIDs), id, in: request.group)
        }
        if let refusal = makeRoom(for: popup) { return refusal }
        popups[id] = popup
        if revisions[request.group] == nil { revisions[request.group] = 0 }
        if request.delay > 0 { setTimer(.arrival(id), after: Milliseconds(request.delay)) }
        if request.timeToLive > 0 { setTimer(.expiry(id), after: Milliseconds(request.timeToLive)) }
        if request.delay > 0 {
            emit(.queued, id, in: request.group)
            settle(request.group)
        } else {
            arrive(id, isQueued: false)
        }
        return nil
    }

    func arrivesAfterDelay(_ id: String) {
        popups[id]!.phase = .waiting
        arrive(id, isQueued: true)
    }

    // MARK: - Room in the line

    /// Applies the policy's overflow to a newcomer that would have to wait.
    private func makeRoom(for newcomer: Popup) -> Refusal? {
        let policy = policy(of: newcomer.group)
        let most = min(policy.maximumWaiting.map(Int.init) ?? .max, limits.waitingPerGroup)
        let candidates = waiting(of: newcomer.group)
        guard candidates.count >= most, hasToWait(newcomer) else { return nil }

        let dropped: Popup?
        switch policy.overflow {
        case .rejectNew: dropped = nil
        case .dropLowest: dropped = (candidates + [newcomer]).max(by: standsBefore)
        case .dropOldest: dropped = candidates.min { $0.accepted < $1.accepted }
        }
        guard let dropped, dropped.id != newcomer.id else {
            let cause: Refusal.Cause = most == limits.waitingPerGroup ? .limit(.waitingPerGroup) : .maximumWaiting
            return refuse(.overload, cause, newcomer.id, in: newcomer.group)
        }
        close(dropped.id, .overflow)
        return nil
    }

    /// Whether a newcomer would wait in the line: delayed, not eligible, deferred or inside a gap. One that takes
    /// another's place is never refused.
    private func hasToWait(_ newcomer: Popup) -> Bool {
        if newcomer.phase == .delayed { return true }
        if newcomer.request.exclusive != .none { return false }
        if case .none = holder(for: newcomer) {} else { return false }
        if !isEligible(newcomer) { return true }
        guard let active = active(of: newcomer.group) else { return gaps[newcomer.group] != nil }
        switch verdict(on: newcomer, against: active, isNewcomer: true) {
        case .wait, .tooEarly: return true
        case .stop, .pause, .never: return false
        }
    }

    // MARK: - Arrival

    private func arrive(_ id: String, isQueued: Bool) {
        let popup = popups[id]!
        if popup.request.exclusive != .none { return arriveExclusively(popup) }
        switch holder(for: popup) {
        case .arrived(let holder):
            return collapse(popup, onto: holder, isQueued: isQueued)
        case .delayed(let holder):
            close(holder.id, .replaced)
        case .none:
            break
        }
        guard isEligible(popup), let active = active(of: popup.group) else {
            return wait(id, isQueued: isQueued)
        }
        switch verdict(on: popup, against: active, isNewcomer: true) {
        case .stop: preempt(active, by: id, stop: true)
        case .pause: preempt(active, by: id, stop: false)
        case .never: close(id, .refused)
        case .tooEarly:
            popups[id]!.mark = .newcomer
            wait(id, isQueued: isQueued)
        case .wait:
            wait(id, isQueued: isQueued)
        }
    }

    /// Stands in the line, or takes a free slot at once.
    private func wait(_ id: String, isQueued: Bool) {
        let group = popups[id]!.group
        let isShown = active(of: group) == nil && gaps[group] == nil && bestEligible(of: group)?.id == id
        if !isQueued && !isShown { emit(.queued, id, in: group) }
        settle(group)
    }

    private func arriveExclusively(_ popup: Popup) {
        let groups = popup.request.exclusive == .all ? groupsInOrder : [popup.group]
        for group in groups {
            let others = closingOrder(of: group).filter { $0.id != popup.id }
            for other in others { close(other.id, .superseded) }
            if group == popup.group {
                activate(popup.id)
                popups[popup.id]!.exemptions = suspensions.map(\.number)
            } else if others.contains(where: { $0.phase == .active }) {
                startGap(group)
            }
        }
    }

    private func holder(for newcomer: Popup) -> Holder {
        guard !newcomer.request.collapseKey.isEmpty else { return .none }
        let holders = popups.values.filter {
            $0.group == newcomer.group && $0.request.collapseKey == newcomer.request.collapseKey && $0.id != newcomer.id
        }
        if let arrived = holders.first(where: { $0.phase != .delayed }) { return .arrived(arrived) }
        return holders.min { $0.accepted < $1.accepted }.map { .delayed($0) } ?? .none
    }

    /// The newcomer takes the holder's place.
    private func collapse(_ popup: Popup, onto holder: Popup, isQueued: Bool) {
        let id = popup.id
        let hadOtherPriority = effectivePriority(popup) != effectivePriority(holder)
        close(holder.id, .replaced)
        switch holder.phase {
        case .active:
            if isEligible(popup) { return activate(id) }
        case .waiting, .paused:
            if !hadOtherPriority {
                popups[id]!.place = holder.place
                popups[id]!.mark = holder.mark
            } else {
                popups[id]!.place.number = nextNumber()
                if holder.phase == .waiting && promote(id) { return }
            }
        case .delayed, .offered, .closed:
            break
        }
        wait(id, isQueued: isQueued)
    }
}
