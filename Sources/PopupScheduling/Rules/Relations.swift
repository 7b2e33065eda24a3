// The fields that only some popups have: stored when a popup is accepted, released when it closes.
extension Scheduler {
    /// Stores the fields of a request that only some popups have.
    mutating func acceptRelations(of popup: PopupRecord.Index, _ request: PopupRequest, _ text: UnsafeRawBufferPointer)
    {
        let place = popups.makeRelations(of: popup)
        let bytes = store.usedBytes
        popups.relations[place].session = store.store(text[request.session])
        popups.relations[place].capKey = store.store(text[request.capKey])
        charge(popups[popup].account, since: bytes)
        popups.relations[place].offer = request.offer
        popups.relations[place].quorum = request.quorum
        popups.relations[place].quorumAll = request.quorumAll
        if let flow = request.flow { join(flow, place, text) }
        if let page = request.page { bind(place, to: page, text) }
    }

    /// Releases the fields that only some popups have, when a popup closes.
    @inline(__always)
    mutating func releaseRelations(of popup: PopupRecord.Index) {
        if let place = popups[popup].relations { release(relations: place, of: popup) }
    }

    private mutating func release(relations place: RelationFields.Index, of popup: PopupRecord.Index) {
        forgetNotes(of: popup)
        leaveFlow(place)
        unbind(place)
        timers.cancel(popups.relations[place].retry)
        let (record, bytes) = (popups.relations[place], store.usedBytes)
        for text in record.texts { store.release(text) }
        charge(popups[popup].account, since: bytes)
        popups.removeRelations(of: popup)
    }
}

extension PopupRequest {
    var hasRelations: Bool {
        flow != nil || page != nil || !session.isEmpty || !capKey.isEmpty || offer > 0 || quorum > 0 || quorumAll
    }
}
