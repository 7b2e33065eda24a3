// The fields that only some popups have: stored when a popup is accepted, released when it closes.
extension Scheduler {
    /// Stores the fields of a request that only some popups have.
    mutating func acceptRelations(of popup: PopupRecord.Index, _ request: PopupRequest, _ text: UnsafeRawBufferPointer)
    {
        let index = popups.makeRelations(of: popup)
        let bytes = store.usedBytes
        popups.relations[index].session = store.store(text[request.session])
        popups.relations[index].capKey = store.store(text[request.capKey])
        charge(popups[popup].account, since: bytes)
        popups.relations[index].offer = request.offer
        popups.relations[index].quorum = request.quorum
        popups.relations[index].quorumAll = request.quorumAll
        if let flow = request.flow { join(flow, index, text) }
        if let page = request.page { bind(index, to: page, text) }
    }

    /// Releases the fields that only some popups have, when a popup closes.
    @inline(__always)
    mutating func releaseRelations(of popup: PopupRecord.Index) {
        if let index = popups[popup].relations { release(relations: index, of: popup) }
    }

    private mutating func release(relations index: RelationFields.Index, of popup: PopupRecord.Index) {
        forgetRenderings(of: popup)
        leaveFlow(index)
        unbind(index)
        timers.cancel(popups.relations[index].retry)
        let (record, bytes) = (popups.relations[index], store.usedBytes)
        for text in record.texts { store.release(text) }
        charge(popups[popup].account, since: bytes)
        popups.removeRelations(of: popup)
    }
}

extension PopupRequest {
    @inline(__always)
    var hasRelations: Bool {
        flow != nil || page != nil || !session.isEmpty || !capKey.isEmpty || offer > 0 || quorum > 0 || quorumAll
    }
}
