@testable import PopupScheduling

/// What each command does, save those that have a chapter of their own.
extension ReferenceScheduler {
    func perform(_ instruction: Instruction) -> Refusal? {
        switch instruction {
        case .show(let request): return show(request)
        case .update(let change): return update(change)
        case .dismiss(let id, let action, let revision, let client): return dismiss(id, action, revision, by: client)
        case .advance(let group): advance(group)
        case .clear(let choice): clear(choice)
        case .suspend(let pattern, let token, let minimum): return suspend(pattern, token, minimum)
        case .resume(let token): resume(token)
        case .policy(let pattern, let policy): return setPolicy(pattern, policy)
        case .removePolicy(let pattern): changePolicies(pattern) { $0[pattern] = nil }
        case .setSession(let group, let session): return setSession(group, session)
        case .report(let id, let client, let kind): return report(id, by: client, kind)
        case .answer(let id, _, let choice): return answer(id, choice)
        case .lease(let client, let patterns): return lease(client, patterns)
        case .page(let tree, let change): return changePages(tree, change)
        case .setWallClock(let ahead): setWallClock(ahead: ahead)
        }
        return nil
    }

    /// Refuses, and says so in an event, with no group where none is known.
    func refuse(_ reason: Refusal.Reason, _ cause: Refusal.Cause, _ id: String, in group: String) -> Refusal {
        let refusal = Refusal(reason: reason, cause: cause)
        emit(.refused(refusal), id, in: group)
        return refusal
    }

    func refuseAsNotLive(_ id: String) -> Refusal {
        if let over = closed[id] { return refuse(.stale, .popupClosed, id, in: over.group) }
        return refuse(.notFound, .unknownPopup, id, in: "")
    }

    private func isName(_ pattern: String) -> Bool { !pattern.hasSuffix("*") }

    // MARK: - One popup

    private func advance(_ group: String) {
        guard let occupant = occupant(of: group) else { return }
        if occupant.isProtected {
            popups[occupant.id]!.advanceIsPending = true
        } else {
            finish(occupant.id, .advanced)
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
            if old.clockSince != nil { popups[id]!.clockSince = now }
        }
        touched.append(id)
        emit(.updated, id, in: group)

        let new = popups[id]!
        let hasOtherTime = change.duration != nil || change.restartTimer
        if hasOtherTime, isUsedUp(new) {
            finish(id, .timedOut)
            return nil
        }
        switch new.phase {
        case .active, .offered:
            if hasOtherTime { armDisplay(id) }
            changedInPlace.append(group)
            if !mayStay(new) {
                giveWay(id)
            } else if change.priority != nil || change.interruptible != nil, let best = bestEligible(of: group) {
                promote(best.id)
            }
            settle(group)
        case .waiting, .paused:
            if change.priority != nil { promote(id) }
            settle(group)
        case .delayed, .closed:
            break
        }
        return nil
    }

    // MARK: - Several

    private func clear(_ choice: Instruction.Choice) {
        for group in groupsInOrder {
            close(closingOrder(of: group).filter { isChosen($0, by: choice) }, .cleared)
            settle(group)
        }
    }

    private func suspend(_ pattern: String, _ token: String, _ minimum: Int32?) -> Refusal? {
        let isNew = !suspensions.contains { $0.token == token }
        let isToken = { (holding: Holding) in if case .token = holding { true } else { false } }
        if isNew, let cause = admissionError(in: .suspensions, of: limits.suspensions, for: sender, isToken) {
            return refuse(.overload, cause, "", in: isName(pattern) ? pattern : "")
        }
        own(.token(token), by: account(for: sender))
        let before = open()
        suspensions.removeAll { $0.token == token }
        suspensions.append(
            StandingSuspension(
                number: nextNumber(), token: token, pattern: pattern, minimumPriority: minimum))
        reconsider(openBefore: before)
        return nil
    }

    private func resume(_ token: String) {
        let before = open()
        suspensions.removeAll { $0.token == token }
        reconsider(openBefore: before)
    }

    private func setPolicy(_ pattern: String, _ policy: Policy) -> Refusal? {
        let isPolicy = { (holding: Holding) in if case .policy = holding { true } else { false } }
        if policies[pattern] == nil,
            let cause = admissionError(in: .policies, of: limits.policies, for: sender, isPolicy)
        {
            return refuse(.overload, cause, "", in: isName(pattern) ? pattern : "")
        }
        own(.policy(pattern), by: account(for: sender))
        changePolicies(pattern) { $0[pattern] = policy }
        return nil
    }

    private func changePolicies(_ pattern: String, _ change: (inout [String: Policy]) -> Void) {
        let times = popups.mapValues(displayTime)
        let former = revisions.keys.map { ($0, policy(of: $0)) }
        let all = policies
        change(&policies)
        if policies == all { return }
        armQuiet(pattern)
        let changed = former.filter { $0.1 != policy(of: $0.0) }.map(\.0)
        for group in groupsInOrder where matches(group, pattern) { countAnew(group) }
        for group in groupsInOrder where changed.contains(group) {
            for popup in queue(of: group) where isUsedUp(popup) { close([popup], .timedOut) }
            if let occupant = occupant(of: group) {
                if occupant.phase == .active { runClock(occupant.id) }
                let hasOtherClock = former.contains { $0.0 == group && $0.1.clock != policy(of: group).clock }
                if hasOtherClock { changedInPlace.append(group) }
                if displayTime(occupant) != times[occupant.id] {
                    if isUsedUp(popups[occupant.id]!) {
                        close([popups[occupant.id]!], .timedOut)
                    } else {
                        armDisplay(occupant.id)
                        changedInPlace.append(group)
                    }
                }
            }
            // What a policy lets go on is no arrival, and preempts nobody.
            reconsider(group) { _ in false }
        }
    }
}
