/// What only some popups have, so that the others don't carry it: a flow, a page, a session, a cap key, an offer, a
/// quorum, renderers that reported on it.
struct RelationFields: BitwiseCopyable {
    /// What is known of what a flow's member requires of another.
    enum Requirement: UInt8, BitwiseCopyable {
        /// Nothing is required.
        case none
        case unknown
        case met
        case failed
    }

    // Its flow, and its neighbours among the flow's live members in order of acceptance.
    var flow = nobody
    var stage: UInt32 = 0
    var hold: UInt32 = 0
    var requirement = Requirement.none
    var required = ByteReference.empty
    var requiredAction = ByteReference.empty
    var olderMember = nobody
    var youngerMember = nobody

    // Its page, and its neighbours among the popups bound to the tree.
    var tree = nobody
    var page = ByteReference.empty
    var scope = PageBinding.Scope.current
    /// Whether its page is where it has to be, as far as the popup knows; true where it is bound to none.
    var isOnPage = true
    var olderBound = nobody
    var youngerBound = nobody

    var session = ByteReference.empty
    var capKey = ByteReference.empty

    var offer: UInt32 = 0
    /// Not eligible while it is set.
    var retry = nobody

    var quorum: UInt32 = 0
    var quorumAll = false
    /// The notes of renderers that reported on it, the latest first.
    var notes = nobody
    var noteCount: Int32 = 0
    var displays: Int32 = 0
    var views: Int32 = 0
    var dismissals: Int32 = 0
    /// The action of the latest dismissal that did not close it.
    var lastAction = ByteReference.empty

    /// All that it has in the store.
    var texts: [ByteReference] { [required, requiredAction, page, session, capKey, lastAction] }
}

extension Scheduler {
    /// The relations of a popup, made if it has none.
    mutating func relationsMade(of popup: Int32) -> Int32 {
        if popups[popup].relations == nobody { popups[popup].relations = relations.insert(RelationFields()) }
        return popups[popup].relations
    }

    /// Keeps what a request says beyond what all popups have.
    mutating func acceptRelations(of popup: Int32, _ request: PopupRequest, _ text: UnsafeRawBufferPointer) {
        let place = relationsMade(of: popup)
        let bytes = store.usedBytes
        relations[place].session = store.store(text[request.session])
        relations[place].capKey = store.store(text[request.capKey])
        charge(popups[popup].account, since: bytes)
        relations[place].offer = request.offer
        relations[place].quorum = request.quorum
        relations[place].quorumAll = request.quorumAll
        if let flow = request.flow { join(flow, popup, text) }
        if let page = request.page { bind(popup, to: page, text) }
    }

    /// Lets go of what a popup that closes had beyond what all have.
    @inline(__always)
    mutating func releaseRelations(of popup: Int32) {
        if popups[popup].relations != nobody { release(relations: popups[popup].relations, of: popup) }
    }

    private mutating func release(relations place: Int32, of popup: Int32) {
        forgetNotes(of: popup)
        leaveFlow(popup)
        unbind(popup)
        timers.cancel(relations[place].retry)
        let (record, bytes) = (relations[place], store.usedBytes)
        for text in record.texts { store.release(text) }
        charge(popups[popup].account, since: bytes)
        relations.remove(place)
        popups[popup].relations = nobody
    }
}

extension PopupRequest {
    var hasRelations: Bool {
        flow != nil || page != nil || !session.isEmpty || !capKey.isEmpty || offer > 0 || quorum > 0 || quorumAll
    }
}
