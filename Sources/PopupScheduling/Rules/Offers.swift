// Offers: a popup with an offer time takes the slot, and is shown when a renderer accepts it, or when no renderer
// answered and the policy is to show it. If the offer ends in another way, no gap follows, since the popup was not
// shown.
extension Scheduler {
    /// Returns the offer time in ms; 0 if the popup is shown without an offer.
    @inline(__always)
    func offerTime(of popup: PopupRecord.Index) -> UInt32 {
        let own = popups[popup].relations.map { popups.relations[$0].offer } ?? 0
        return own > 0 ? own : policies[groups[popups[popup].group].policy].offer
    }

    /// Offers a popup to the renderers.
    mutating func offer(_ popup: PopupRecord.Index, for time: UInt32) {
        popups[popup].phase = .offered(timer: timers.set(.offer(popup), due: now + Milliseconds(time)))
        emit(.offered, popup)
    }

    mutating func answer(_ answer: Answer, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let id = text[answer.id]
        let group = text[answer.group]
        switch findLive(id, in: group) {
        case .failure(let refusal):
            return refuse(refusal, popup: id, in: group)
        case .success(let popup):
            guard answer.client.count <= Limits.nameBytes else { return refuse(.tooLong, popup: id) }
            guard popups[popup].isOffered else { return refuse(.notOffered, popup: id) }
            switch answer.choice {
            case .accept: acceptOffer(of: popup)
            case .veto: leave(popup, .vetoed, detail: text[answer.client])
            case .later(let retry): postpone(popup, retry)
            }
            return nil
        }
    }

    mutating func offerIsOver(_ popup: PopupRecord.Index) {
        popups[popup].phase = .offered(timer: nil)
        switch policies[groups[popups[popup].group].policy].offerDefault {
        case .show: acceptOffer(of: popup)
        case .close: leave(popup, .unanswered)
        }
    }

    private mutating func acceptOffer(of popup: PopupRecord.Index) {
        guard case .offered(let timer) = popups[popup].phase else { return }
        timers.cancel(timer)
        markChanged(popups[popup].group, slot: true)
        present(popup, resumes: false)
    }

    private mutating func postpone(_ popup: PopupRecord.Index, _ retry: UInt32?) {
        let group = popups[popup].group
        let departure = vacate(popup)
        let time = retry ?? policies[groups[group].policy].retry
        if time > 0 {
            let index = popups.makeRelations(of: popup)
            popups.relations[index].retry = timers.set(.retry(popup), due: now + Milliseconds(time))
        }
        backIntoQueue(popup)
        proceed(in: group, after: departure.withoutHold)
    }

    mutating func retryIsDue(_ popup: PopupRecord.Index) {
        if let index = popups[popup].relations { popups.relations[index].retry = nil }
        updateConditions(of: popup)
        markChanged(popups[popup].group)
        reconsider(popups[popup].group, freed: [popup])
    }
}
