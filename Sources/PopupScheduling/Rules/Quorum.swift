// Quorum: the number of renderers that have to dismiss a popup before it closes. Below it, a dismissal hides the popup
// on that renderer only.

/// The renderers whose dismissals close a popup.
enum Quorum: Equatable {
    /// A number of renderers.
    case number(UInt32)
    /// All live renderers of its group.
    case all
}

extension Scheduler {
    /// Returns the quorum of the popup, or else of its policy.
    func quorum(of popup: PopupRecord.Index) -> Quorum {
        if let index = popups[popup].relations {
            if popups.relations[index].quorumAll { return .all }
            if popups.relations[index].quorum > 0 { return .number(popups.relations[index].quorum) }
        }
        let policy = groups[popups[popup].group].policy
        return policies[policy].quorumAll ? .all : .number(max(1, policies[policy].quorum))
    }

    /// Records the dismissal of a popup by a renderer.
    mutating func recordDismissal(
        of popup: PopupRecord.Index, by client: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer
    ) -> Refusal? {
        switch makeRendering(of: popup, by: client) {
        case .failure(let refusal):
            return refusal
        case .success(let rendering):
            let index = popups.makeRelations(of: popup)
            renderers.setDismissed(true, rendering, on: &popups.relations[index])
            if renderers[rendering].isVisible { hide(popup, rendering) }
            let bytes = store.usedBytes
            store.release(popups.relations[index].lastAction)
            popups.relations[index].lastAction = store.store(action)
            charge(popups[popup].account, since: bytes)
            return nil
        }
    }

    func quorumIsReached(for popup: PopupRecord.Index) -> Bool {
        guard let index = popups[popup].relations, popups.relations[index].dismissals > 0 else { return false }
        switch quorum(of: popup) {
        case .number(let number): return popups.relations[index].dismissals >= number
        case .all:
            let dismissers = dismissers(of: popup)
            let missing = renderers.firstLeaseHolder(ofGroup: store[groups[popups[popup].group].name]) { client in
                transaction.meter.count += 1
                return !dismissers.contains(client)
            }
            return missing == nil
        }
    }

    /// Returns the renderers that dismissed the popup.
    private func dismissers(of popup: PopupRecord.Index) -> Set<RendererRecord.Index> {
        guard let index = popups[popup].relations else { return [] }
        let renderings = renderers.renderings(of: popups.relations[index]).map { renderers[$0] }
        return Set(renderings.filter(\.hasDismissed).map(\.client))
    }

    /// Closes the popups of a group that only needed the dismissal of a renderer which is gone.
    mutating func closePopupsWithQuorum(in group: GroupRecord.Index) {
        let isDismissedSomewhere = firstAccepted(in: group) { popup in
            guard let index = popups[popup].relations else { return false }
            return popups.relations[index].dismissals > 0
        }
        guard isDismissedSomewhere != nil else { return }
        // If one closes, others of its flow may close with it.
        for popup in inClosingOrder(group)
        where popups.contains(popup) && quorum(of: popup) == .all && quorumIsReached(for: popup) {
            let action = popups[popup].relations.map { [UInt8](store[popups.relations[$0].lastAction]) } ?? []
            action.withUnsafeBytes { leave(popup, .dismissed, detail: $0) }
        }
    }
}
