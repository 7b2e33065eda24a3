// Renderers: created by their first lease, report or dismissal, removed with their last lease or rendering.
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

    /// Removes a renderer that has no lease and no renderings.
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

    // MARK: - Renderings

    func findRendering(of popup: PopupRecord.Index, by client: RendererRecord.Index) -> Rendering.Index? {
        popups[popup].relations.flatMap { renderers.findRendering(of: popups.relations[$0], by: client) }
    }

    /// Returns the rendering of a popup by a renderer, creating it if needed. Fails if a limit is reached.
    mutating func makeRendering(
        of popup: PopupRecord.Index, by name: UnsafeRawBufferPointer
    ) -> Result<Rendering.Index, Refusal> {
        if let client = findClient(name), let rendering = findRendering(of: popup, by: client) {
            return .success(rendering)
        }
        let index = popups.makeRelations(of: popup)
        guard popups.relations[index].renderingCount < limits.renderersPerPopup else {
            return .failure(.limit(.renderersPerPopup))
        }
        return findOrMakeClient(name).map { renderers.addRendering(of: &popups.relations[index], by: $0) }
    }

    /// Changes each rendering of a popup. Removes those that record nothing any more, and their renderers if they are
    /// idle then.
    @inline(__always)
    private mutating func changeRenderings(
        of index: RelationFields.Index, _ change: (inout RendererTable, Rendering.Index, inout RelationFields) -> Void
    ) {
        for rendering in renderers.renderings(of: popups.relations[index]) {
            change(&renderers, rendering, &popups.relations[index])
            guard renderers[rendering].isEmpty else { continue }
            let client = renderers[rendering].client
            renderers.removeRendering(rendering, of: &popups.relations[index])
            forgetClientIfIdle(client)
        }
    }

    /// Removes all displays of a popup that leaves the slot.
    @inline(__always)
    mutating func removeDisplays(_ popup: PopupRecord.Index) {
        if let index = popups[popup].relations, popups.relations[index].displays > 0 { forgetDisplays(index) }
    }

    private mutating func forgetDisplays(_ index: RelationFields.Index) {
        changeRenderings(of: index) { renderers, rendering, popup in
            renderers.setDisplayed(false, rendering, on: &popup)
            renderers.setVisible(false, rendering, on: &popup)
        }
    }

    /// Removes all dismissals of a popup that is shown again, so that the quorum is counted again.
    @inline(__always)
    mutating func forgetDismissals(of popup: PopupRecord.Index) {
        if let index = popups[popup].relations, popups.relations[index].dismissals > 0 { forgetDismissals(index) }
    }

    private mutating func forgetDismissals(_ index: RelationFields.Index) {
        changeRenderings(of: index) { renderers, rendering, popup in
            renderers.setDismissed(false, rendering, on: &popup)
        }
    }

    mutating func forgetRenderings(of popup: PopupRecord.Index) {
        removeDisplays(popup)
        forgetDismissals(of: popup)
    }
}
