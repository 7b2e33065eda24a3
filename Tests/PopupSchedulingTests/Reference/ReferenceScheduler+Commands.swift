@testable import PopupScheduling

/// What each command does, save `show`.
extension ReferenceScheduler {
    func carryOut(_ instruction: Instruction) -> Refusal? {
        switch instruction {
        case .show(let request): return show(request)
        case .update(let change): return update(change)
        case .dismiss(let id, let action, let revision): return dismiss(id, action, revision)
        case .advance(let group): advance(group)
        case .clear(let choice): clear(choice)
        case .suspend(let pattern, let token, let minimum): return suspend(pattern, token, minimum)
        case .resume(let token): resume(token)
        case .policy(let pattern, let policy): return setPolicy(pattern, policy)
        case .removePolicy(let pattern): changePolicies { $0[pattern] = nil }
        }
        return nil
    }

    /// Refuses, and says so in an event, with no group where none is known.
    func refuse(_ reason: Refusal.Reason, _ cause: Refusal.Cause, _ id: String, in group: String) -> Refusal {
        let refusal = Refusal(reason: reason, cause: cause)
        emit(.refused(refusal), id, in: group)
        return refusal
    }

    private func refuseAsNotLive(_ id: String) -> Refusal {
        if let over = closed[id] { return refuse(.stale, .popupClosed, id, in: over.group) }
        return refuse(.unknown, .unknownPopup, id, in: "")
    }

    private func isName(_ pattern: String) -> Bool { !pattern.hasSuffix("*") }

    // MARK: - One popup

    private func dismiss(_ id: String, _ action: String, _ revision: UInt64?) -> Refusal? {
        guard let popup = popups[id] else { return refuseAsNotLive(id) }
        if let revision, revision < popup.sinceRevision {
            return refuse(.stale, .olderRevision, id, in: popup.group)
        }
        closeWithGap(id, .dismissed, action: action)
        settle(popup.group)
        return nil
    }

    private func advance(_ group: String) {
        guard let active = active(of: group) else { return }
        if active.isProtected {
            popups[active.id]!.advanceIsPending = true
        } else {
            closeWithGap(active.id, .advanced)
            settle(group)
        }
    }

    private func update(_ change: Instruction.Change) -> Refusal? {
        guard let old = popups[change.id] else { return refuseAsNotLive(change.id) }
        let id = change.id
        let group = old.group

        if let priority = change.priority { popups[id]!.priority = priority }
        if let duration = change.duration { popups[id]!.duration = duration }
        if let interruptible = change.interruptible { popups[id]!.interruptible = interruptible }
        if let content = change.content { popups[id]!.content = content }
        if change.restartTimer {
            popups[id]!.used = 0
            if old.phase == .active {
                popups[id]!.displayed += now - old.activeSince
                popups[id]!.activeSince = now
            }
        }
        touched.append(id)
        emit(.updated, id, in: group)

        let new = popups[id]!
        let hasOtherTime = change.duration != nil || change.restartTimer
        if hasOtherTime, isUsedUp(new) {
            closeWithGap(id, .timedOut)
            settle(group)
            return nil
        }
        switch new.phase {
        case .active:
            if hasOtherTime { armDisplay(id) }
            changedInPlace.append(group)
            if suspensions(against: new).contains(where: { !new.exemptions.contains($0.number) }) {
                pause(id)
            } else if change.priority != nil || change.interruptible != nil, let best = bestEligible(of: group) {
                promote(best.id)
            }
            settle(group)
        case .waiting, .paused:
            if change.priority != nil { promote(id) }
            settle(group)
        case .delayed, .offered, .closed:
            break
        }
        return nil
    }

    // MARK: - Several

    private func clear(_ choice: Instruction.Choice) {
        for group in groupsInOrder {
            let chosen = closingOrder(of: group).filter { isChosen($0, by: choice) }
            for popup in chosen { close(popup.id, .cleared) }
            if chosen.contains(where: { $0.phase == .active }) { startGap(group) }
            settle(group)
        }
    }

    private func suspend(_ pattern: String, _ token: String, _ minimum: Int32?) -> Refusal? {
        let isNew = !suspensions.contains { $0.token == token }
        if isNew, suspensions.count >= limits.tokens {
            return refuse(.overload, .limit(.tokens), "", in: isName(pattern) ? pattern : "")
        }
        let before = eligibles()
        suspensions.removeAll { $0.token == token }
        suspensions.append(
            StandingSuspension(
                number: nextNumber(), token: token, pattern: pattern, minimumPriority: minimum))
        for group in groupsInOrder {
            if let active = active(of: group), matches(group, pattern), isBelow(active, minimum) { pause(active.id) }
            freed(group, before)
        }
        return nil
    }

    private func resume(_ token: String) {
        let before = eligibles()
        suspensions.removeAll { $0.token == token }
        for group in groupsInOrder { freed(group, before) }
    }

    private func eligibles() -> Set<String> {
        Set(popups.values.filter(isEligible).map(\.id))
    }

    /// Popups that have become eligible take a free slot, or preempt where strictly higher.
    private func freed(_ group: String, _ before: Set<String>) {
        if active(of: group) == nil { return settle(group) }
        for popup in line(of: group) where isEligible(popup) && !before.contains(popup.id) {
            if promote(popup.id) { return }
        }
    }

    private func setPolicy(_ pattern: String, _ policy: Policy) -> Refusal? {
        if policies[pattern] == nil, policies.count >= limits.policies {
            return refuse(.overload, .limit(.policies), "", in: isName(pattern) ? pattern : "")
        }
        changePolicies { $0[pattern] = policy }
        return nil
    }

    private func changePolicies(_ change: (inout [String: Policy]) -> Void) {
        let times = popups.mapValues(displayTime)
        let former = revisions.keys.map { ($0, policy(of: $0)) }
        change(&policies)
        let changed = former.filter { $0.1 != policy(of: $0.0) }.map(\.0)
        for group in groupsInOrder where changed.contains(group) {
            for popup in line(of: group) where isUsedUp(popup) { close(popup.id, .timedOut) }
            if let active = active(of: group), displayTime(active) != times[active.id] {
                if isUsedUp(active) {
                    closeWithGap(active.id, .timedOut)
                } else {
                    armDisplay(active.id)
                    changedInPlace.append(group)
                }
            }
            settle(group)
        }
    }
}
