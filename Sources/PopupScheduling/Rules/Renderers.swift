// Renderers: created by their first lease, report or dismissal, removed with their last lease or note.
extension Scheduler {
    func findClient(_ name: UnsafeRawBufferPointer) -> RendererRecord.Index? {
        renderers.find(name, hash: store.hash(name), in: store)
    }

    /// Returns the renderer of a name, creating it if needed. Fails if there is no space for it, or for `bytes` more
    /// bytes of its other texts.
    mutating func findOrMakeClient(
        _ name: UnsafeRawBufferPointer, adding bytes: Int = 0
    ) -> Result<RendererRecord.Index, Refusal> {
        if let client = findClient(name) {
            if bytes > 0, let admissionError = admissionError(toStoring: bytes, of: renderers[client].account) {
                return .failure(admissionError)
            }
            return .success(client)
        }
        let table = admissionError(
            in: .renderers, used: renderers.count, of: limits.renderers, for: transaction.sender)
        let needed = ByteStore.blockBytes(for: name.count) + bytes
        if let admissionError = table ?? admissionError(toStoring: needed, for: transaction.sender) {
            return .failure(admissionError)
        }
        let (hash, account, used) = (store.hash(name), sendersAccount(), store.usedBytes)
        let client = renderers.add(RendererRecord(name: store.store(name), nameHash: hash, account: account))
        accounts[account].renderers += 1
        charge(account, since: used)
        return .success(client)
    }

    /// Removes a renderer that has no lease and no notes.
    mutating func forgetClientIfIdle(_ client: RendererRecord.Index) {
        guard renderers.contains(client), renderers[client].isIdle else { return }
        let record = renderers[client]
        renderers.remove(client)
        let bytes = store.usedBytes
        store.release(record.name)
        store.countBytes(-LeaseHolders.bytes(for: store[record.patterns]))
        store.release(record.patterns)
        charge(record.account, since: bytes)
        count(of: record.account) { $0.renderers -= 1 }
    }

    // MARK: - Notes

    func findNote(of popup: PopupRecord.Index, by client: RendererRecord.Index) -> Note.Index? {
        popups[popup].relations.flatMap { renderers.findNote(on: popups.relations[$0], by: client) }
    }

    /// Returns the note of a renderer on a popup, creating it if needed. Fails if a limit is reached.
    mutating func makeNote(of popup: PopupRecord.Index, by name: UnsafeRawBufferPointer) -> Result<Note.Index, Refusal>
    {
        if let client = findClient(name), let note = findNote(of: popup, by: client) { return .success(note) }
        let index = popups.makeRelations(of: popup)
        guard popups.relations[index].noteCount < limits.renderersPerPopup else {
            return .failure(.limit(.renderersPerPopup))
        }
        return findOrMakeClient(name).map { renderers.addNote(on: &popups.relations[index], by: $0) }
    }

    /// Changes each note on a popup. Removes those that record nothing any more, and their renderers if they are idle then.
    @inline(__always)
    private mutating func changeNotes(
        on index: RelationFields.Index, _ change: (inout RendererTable, Note.Index, inout RelationFields) -> Void
    ) {
        for note in renderers.notes(on: popups.relations[index]) {
            change(&renderers, note, &popups.relations[index])
            guard renderers[note].isEmpty else { continue }
            let client = renderers[note].client
            renderers.removeNote(note, on: &popups.relations[index])
            forgetClientIfIdle(client)
        }
    }

    /// Removes all displays of a popup that leaves the slot.
    @inline(__always)
    mutating func removeDisplays(_ popup: PopupRecord.Index) {
        if let index = popups[popup].relations, popups.relations[index].displays > 0 { forgetDisplays(index) }
    }

    private mutating func forgetDisplays(_ index: RelationFields.Index) {
        changeNotes(on: index) { renderers, note, popup in
            renderers.setDisplayed(false, note, on: &popup)
            renderers.setVisible(false, note, on: &popup)
        }
    }

    /// Removes all dismissals of a popup that is shown again, so that the quorum is counted anew.
    @inline(__always)
    mutating func forgetDismissals(of popup: PopupRecord.Index) {
        if let index = popups[popup].relations, popups.relations[index].dismissals > 0 { forgetDismissals(index) }
    }

    private mutating func forgetDismissals(_ index: RelationFields.Index) {
        changeNotes(on: index) { renderers, note, popup in renderers.setDismissed(false, note, on: &popup) }
    }

    mutating func forgetNotes(of popup: PopupRecord.Index) {
        removeDisplays(popup)
        forgetDismissals(of: popup)
    }
}
