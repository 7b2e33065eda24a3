// Quorum: how many renderers have to dismiss a popup before it closes. Below it a dismissal only hides it there.

/// Whose dismissals close a popup.
enum Quorum: Equatable {
    /// Those of so many renderers.
    case number(UInt32)
    /// Those of all live renderers of its group.
    case all
}

extension Scheduler {
    /// What the popup asks for, or else its policy.
    func quorum(of popup: Int32) -> Quorum {
        let place = popups[popup].relations
        if place != nobody {
            if relations[place].quorumAll { return .all }
            if relations[place].quorum > 0 { return .number(relations[place].quorum) }
        }
        let policy = groups[popups[popup].group].policy
        return policies[policy].quorumAll ? .all : .number(max(1, policies[policy].quorum))
    }

    /// Notes that a renderer dismissed the popup.
    mutating func noteDismissal(
        of popup: Int32, by client: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer
    ) -> Refusal? {
        switch makeNote(of: popup, by: client) {
        case .failure(let refusal):
            return refusal
        case .success(let note):
            let place = popups[popup].relations
            if relations[place].dismissals == 0 { popupsWithDismissals += 1 }
            if !notes[note].hasDismissed { relations[place].dismissals += 1 }
            notes[note].hasDismissed = true
            if notes[note].isVisible { hide(popup, note) }
            let bytes = store.usedBytes
            store.release(relations[place].lastAction)
            relations[place].lastAction = store.store(action)
            charge(popups[popup].account, since: bytes)
            return nil
        }
    }

    func quorumIsReached(for popup: Int32) -> Bool {
        let place = popups[popup].relations
        guard place != nobody, relations[place].dismissals > 0 else { return false }
        switch quorum(of: popup) {
        case .number(let number): return relations[place].dismissals >= number
        case .all: return !(0..<clients.records.capacity).contains { keepsOpen($0, popup) }
        }
    }

    /// Whether a renderer lives, shows the popup's group, and has not dismissed it.
    private func keepsOpen(_ client: Int32, _ popup: Int32) -> Bool {
        isLive(client, for: popups[popup].group) && !hasDismissed(popup, client)
    }

    private func hasDismissed(_ popup: Int32, _ client: Int32) -> Bool {
        findNote(of: popup, by: client).map { notes[$0].hasDismissed } ?? false
    }

    /// Closes the popups of a group that only a renderer that is gone kept.
    mutating func closeWithoutMissing(in group: Int32) {
        let isDismissedSomewhere = firstAccepted(from: groups[group].oldest) { popup in
            let place = popups[popup].relations
            return place != nobody && relations[place].dismissals > 0
        }
        guard isDismissedSomewhere != nobody else { return }
        for popup in inClosingOrder(group) where quorum(of: popup) == .all && quorumIsReached(for: popup) {
            let action = [UInt8](store[relations[popups[popup].relations].lastAction])
            action.withUnsafeBytes { leave(popup, .dismissed, detail: $0) }
        }
    }
}
