import PopupScheduling

/// Asking before showing.
extension ReferenceScheduler {
    func offerTime(of popup: Popup) -> Milliseconds {
        Milliseconds(popup.request.offer == 0 ? policy(of: popup.group).offer : popup.request.offer)
    }

    func offer(_ id: String) {
        popups[id]!.phase = .offered
        popups[id]!.place.pausedAt = nil
        setTimer(.offer(id), after: offerTime(of: popups[id]!))
        emit(.offered, id, in: popups[id]!.group)
    }

    func offerEnds(_ id: String) {
        switch policy(of: popups[id]!.group).offerDefault {
        case .show: show(id)
        case .close: finish(id, .unanswered)
        }
    }

    func answer(_ id: String, _ choice: Answer.Choice) -> Refusal? {
        guard let popup = popups[id] else { return refuseAsNotLive(id) }
        if popup.phase != .offered { return refuse(.stale, .notOffered, id, in: popup.group) }
        switch choice {
        case .accept:
            show(id)
        case .veto:
            finish(id, .vetoed)
        case .later(let retry):
            let pause = Milliseconds(retry ?? policy(of: popup.group).retry)
            if pause > 0 {
                popups[id]!.retryAt = now + pause
                setTimer(.retry(id), after: pause)
            }
            goBack(id)
        }
        return nil
    }

    func retryEnds(_ id: String) {
        popups[id]!.retryAt = nil
        reconsider(popups[id]!.group) { $0.id == id }
    }
}
