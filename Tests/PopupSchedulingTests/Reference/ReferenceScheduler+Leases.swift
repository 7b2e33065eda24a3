import PopupScheduling

/// Which renderers live.
extension ReferenceScheduler {
    func renderers(of group: String) -> [String] {
        leases.filter { $0.value.contains { matches(group, $0) } }.map(\.key)
    }

    func lease(_ client: String, _ patterns: [String]) -> Refusal? {
        if patterns.isEmpty {
            cancelTimer(.lease(client))
            leaseEnds(client)
            return nil
        }
        if patterns.count > limits.groupsPerLease { return refuse(.overload, .limit(.groupsPerLease), "", in: "") }
        if let refusal = refuseToKnow(client, "", in: "") { return refusal }
        leases[client] = patterns
        cancelTimer(.lease(client))
        setTimer(.lease(client), after: Scheduler.leaseDuration)
        return nil
    }

    /// Its popups have lost it; those that only waited for its dismissal close.
    func leaseEnds(_ client: String) {
        let patterns = leases.removeValue(forKey: client) ?? []
        for group in groupsInOrder {
            var lost: String?
            if let occupant = occupant(of: group), occupant.displayedBy.contains(client) {
                popups[occupant.id]!.displayedBy.remove(client)
                popups[occupant.id]!.visibleTo.remove(client)
                runClock(occupant.id)
                if popups[occupant.id]!.displayedBy.isEmpty, loses(occupant.id) { lost = occupant.id }
            }
            guard patterns.contains(where: { matches(group, $0) }) else { continue }
            for popup in closingOrder(of: group) where popup.id != lost {
                if popups[popup.id] != nil, needsAll(popup), !popup.dismissedBy.isEmpty, isQuorumReached(popup) {
                    finish(popup.id, .dismissed, action: popup.lastAction)
                }
            }
        }
    }

    /// The last renderer that displayed the active popup is gone. Says whether anything comes of it.
    private func loses(_ id: String) -> Bool {
        let popup = popups[id]!
        let policy = policy(of: popup.group)
        switch policy.rendererLost {
        case .hold: return false
        case .requeue where popup.attempt < min(policy.maxAttempts, 100):
            goBack(id)
        case .requeue, .close: finish(id, .rendererLost)
        }
        return true
    }
}
