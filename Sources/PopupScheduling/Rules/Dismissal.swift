// The commands that close popups: `dismiss` (one), `advance` (the active one of a group), `clear` (a selection).
extension Scheduler {
    mutating func dismiss(_ dismissal: Dismissal, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let id = text[dismissal.id]
        let group = text[dismissal.group]
        switch findLive(id, in: group) {
        case .failure(let refusal):
            return refuse(refusal, popup: id, in: group)
        case .success(let popup):
            if let revision = dismissal.revision, revision < popups[popup].sinceRevision {
                return refuse(.olderRevision, popup: id)
            }
            let (action, client) = (text[dismissal.action], text[dismissal.client])
            guard max(action.count, client.count) <= Limits.nameBytes else { return refuse(.tooLong, popup: id) }
            if !client.isEmpty, quorum(of: popup) != .number(1) {
                if let refusal = recordDismissal(of: popup, by: client, action) { return refuse(refusal, popup: id) }
                guard quorumIsReached(for: popup) else { return nil }
            }
            leave(popup, .dismissed, detail: action)
            return nil
        }
    }

    /// Closes the active popup of a group, if there is one. During its minimum display time, it closes when that ends.
    mutating func advance(_ name: UnsafeRawBufferPointer) {
        guard let group = findGroup(name), let active = groups[group].active else { return }
        if protects(active) {
            groups[group].advances = true
        } else {
            advanceActive(of: group)
        }
    }

    mutating func advanceActive(of group: GroupRecord.Index) {
        if let active = groups[group].active { leave(active, .advanced) }
    }

    mutating func clear(_ selector: Selector, _ text: UnsafeRawBufferPointer) {
        perform(.clear(selector, text: Array(text)), in: groups(matching: text[selector.pattern]))
    }

    mutating func clear(_ selector: Selector, in group: GroupRecord.Index, _ text: UnsafeRawBufferPointer) {
        let chosen = inClosingOrder(group) { selects(selector, $0, text) }
        close(chosen, .cleared, detail: nothing, in: group)
    }

    /// Whether a selector chooses a live popup, regardless of the selector's pattern.
    func selects(_ selector: Selector, _ popup: PopupRecord.Index, _ text: UnsafeRawBufferPointer) -> Bool {
        let record = popups[popup]
        if selector.active || selector.waiting || selector.paused {
            let chosen =
                record.holdsSlot ? selector.active : record.isPaused ? selector.paused : selector.waiting
            guard chosen else { return false }
        }
        if let bound = selector.priorityBelow, record.priority >= bound { return false }
        if let bound = selector.priorityAbove, record.priority <= bound { return false }
        if let producer = selector.producer, self.producer(of: popup) != producer { return false }
        if !selector.collapseKey.isEmpty, !collapseKey(of: popup).equals(text[selector.collapseKey]) { return false }
        return selector.surface.isEmpty || surface(of: popup).equals(text[selector.surface])
    }
}
