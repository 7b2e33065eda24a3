import PopupScheduling

/// What renderers report, and how many of them close a popup.
extension ReferenceScheduler {
    func report(_ id: String, by client: String, _ kind: Report.Kind) -> Refusal? {
        guard let popup = popups[id] else { return closed[id] == nil ? refuseAsNotLive(id) : nil }
        if popup.phase != .active { return nil }
        switch kind {
        case .displayed, .visible:
            if let refusal = refusalOfRendering(by: client, of: popup) { return refusal }
            popups[id]!.displayedBy.insert(client)
            cancelTimer(.displayTimeout(id))
            if kind == .visible { popups[id]!.visibleTo.insert(client) }
        case .hidden:
            popups[id]!.visibleTo.remove(client)
        }
        runClock(id)
        return nil
    }

    func dismiss(_ id: String, _ action: String, _ revision: UInt64?, by client: String) -> Refusal? {
        guard let popup = popups[id] else { return refuseAsNotLive(id) }
        if let revision, revision < popup.sinceRevision {
            return refuse(.stale, .olderRevision, id, in: popup.group)
        }
        // Where one is enough, nobody needs to be remembered.
        if !client.isEmpty, needsAll(popup) || needed(for: popup) > 1 {
            if let refusal = refusalOfRendering(by: client, of: popup) { return refusal }
            popups[id]!.dismissedBy.insert(client)
            if popups[id]!.visibleTo.remove(client) != nil { runClock(id) }
            popups[id]!.lastAction = action
            if !isQuorumReached(popups[id]!) { return nil }
        }
        finish(id, .dismissed, action: action)
        return nil
    }

    private func refusalOfRendering(by client: String, of popup: Popup) -> Refusal? {
        if popup.renderers.contains(client) { return nil }
        if popup.renderers.count >= limits.renderersPerPopup {
            return refuse(.overload, .limit(.renderersPerPopup), popup.id, in: popup.group)
        }
        return refuseToKnow(client, popup.id, in: popup.group)
    }

    func refuseToKnow(_ client: String, _ id: String, in group: String) -> Refusal? {
        if knownClients.contains(client) { return nil }
        let isClient = { (holding: Holding) in if case .client = holding { true } else { false } }
        if let cause = admissionError(in: .renderers, of: limits.renderers, for: sender, isClient) {
            return refuse(.overload, cause, id, in: group)
        }
        own(.client(client), by: account(for: sender))
        return nil
    }

    // MARK: - Quorum

    func needsAll(_ popup: Popup) -> Bool {
        popup.request.quorumAll || popup.request.quorum == 0 && policy(of: popup.group).quorumAll
    }

    func isQuorumReached(_ popup: Popup) -> Bool {
        if needsAll(popup) { return renderers(of: popup.group).allSatisfy { popup.dismissedBy.contains($0) } }
        return popup.dismissedBy.count >= needed(for: popup)
    }

    private func needed(for popup: Popup) -> UInt32 {
        popup.request.quorum > 0 ? popup.request.quorum : max(1, policy(of: popup.group).quorum)
    }

    // MARK: - Not displayed

    func displayTimeoutEnds(_ id: String) {
        let popup = popups[id]!
        let policy = policy(of: popup.group)
        switch policy.undisplayed {
        case .hold: return
        case .skip where popup.attempt < min(policy.maxAttempts, 100):
            popups[id]!.place.rank = nextNumber()
            goBack(id)
        case .skip, .close: finish(id, .undisplayed)
        }
    }
}

extension ReferenceScheduler.Popup {
    /// The clients that it remembers.
    var renderers: Set<String> { displayedBy.union(visibleTo).union(dismissedBy) }
}
