/// What only some popups have, so that the others don't carry it: a flow, a page, a session, a cap key, an offer, a
/// quorum, renderers that reported on it.
struct Particulars: BitwiseCopyable {
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
    /// The particulars of a popup, made if it has none.
    mutating func particularsMade(of popup: Int32) -> Int32 {
        if popups[popup].particulars == nobody { popups[popup].particulars = particulars.insert(Particulars()) }
        return popups[popup].particulars
    }

    /// Keeps what a request says beyond what all popups have.
    mutating func acceptParticulars(of popup: Int32, _ request: PopupRequest, _ text: UnsafeRawBufferPointer) {
        let place = particularsMade(of: popup)
        let bytes = store.usedBytes
        particulars[place].session = store.store(text[request.session])
        particulars[place].capKey = store.store(text[request.capKey])
        charge(popups[popup].account, since: bytes)
        particulars[place].offer = request.offer
        particulars[place].quorum = request.quorum
        particulars[place].quorumAll = request.quorumAll
        if let flow = request.flow { join(flow, popup, text) }
        if let page = request.page { bind(popup, to: page, text) }
    }

    /// Lets go of what a popup that closes had beyond what all have.
    @inline(__always)
    mutating func releaseParticulars(of popup: Int32) {
        if popups[popup].particulars != nobody { release(particulars: popups[popup].particulars, of: popup) }
    }

    private mutating func release(particulars place: Int32, of popup: Int32) {
        forgetNotes(of: popup)
        leaveFlow(popup)
        unbind(popup)
        timers.cancel(particulars[place].retry)
        let (record, bytes) = (particulars[place], store.usedBytes)
        for text in record.texts { store.release(text) }
        charge(popups[popup].account, since: bytes)
        particulars.remove(place)
        popups[popup].particulars = nobody
    }
}

extension PopupRequest {
    var hasParticulars: Bool {
        flow != nil || page != nil || !session.isEmpty || !capKey.isEmpty || offer > 0 || quorum > 0 || quorumAll
    }
}
