// Sessions: a popup with a session is shown only while its group has this session, and closes with it.
extension Scheduler {
    mutating func setSession(
        of name: UnsafeRawBufferPointer, to session: UnsafeRawBufferPointer
    ) -> Refusal? {
        guard max(name.count, session.count) <= Limits.nameBytes else {
            return refuse(.tooLong, group: name, popup: nothing)
        }
        guard !session.isEmpty || findGroup(name) != nil else { return nil }
        if let known = findGroup(name), store[groups[known].session].equals(session) { return nil }
        if let admissionError = admissionError(
            toStoring: ByteStore.blockBytes(for: session.count), for: transaction.sender)
        {
            return refuse(admissionError, group: name, popup: nothing)
        }
        if let admissionError = admissionError(toUsing: findGroup(name), by: transaction.sender) {
            return refuse(admissionError, group: name, popup: nothing)
        }
        guard let group = findOrMakeGroup(name) else { return refuse(.limit(.groups), group: name, popup: nothing) }
        if !session.isEmpty, !groups[group].isHeld { bringIntoUse(group, by: sendersAccount()) }
        markChanged(group)
        let former = groups[group].session
        let ended = former.isEmpty ? [] : inClosingOrder(group) { belongs($0, to: store[former]) }
        let bytes = store.usedBytes
        groups[group].session = store.store(session)
        store.release(former)
        charge(groups[group].account, since: bytes)
        let queue = queue(of: group)
        for popup in queue { updateConditions(of: popup) }
        let freed = queue.filter { belongs($0, to: session) }
        close(ended, .sessionEnded, detail: nothing, in: group, freed: freed)
        return nil
    }

    /// Whether the popup has no session or that of its group.
    func isInItsSession(_ index: RelationFields.Index) -> Bool {
        let session = popups.relations[index].session
        return session.isEmpty
            || store[session].equals(store[groups[popups[popups.relations[index].popup].group].session])
    }

    private func belongs(_ popup: PopupRecord.Index, to session: UnsafeRawBufferPointer) -> Bool {
        guard let index = popups[popup].relations, !session.isEmpty else { return false }
        return store[popups.relations[index].session].equals(session)
    }
}
