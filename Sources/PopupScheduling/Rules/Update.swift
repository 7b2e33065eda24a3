// `update` changes a live popup in place: its priority (which reorders the queue and may lead to preemption), its
// content, its display time.
extension Scheduler {
    mutating func update(_ update: PopupUpdate, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let id = text[update.id]
        let group = text[update.group]
        switch findLive(id, in: group) {
        case .failure(let refusal):
            return refuse(refusal, popup: id, in: group)
        case .success(let popup):
            if let content = update.content {
                guard content.count <= Limits.largestContent else { return refuse(.tooLong, popup: id) }
                let bytes = ByteStore.blockBytes(for: Int(content.count))
                if content.count > self.content(of: popup).count,
                    let admissionError = admissionError(toStoring: bytes, of: popups[popup].account)
                {
                    return refuse(admissionError, popup: id)
                }
                setContent(of: popup, text[content])
            }
            change(popup, by: update)
            return nil
        }
    }

    private mutating func change(_ popup: PopupRecord.Index, by update: PopupUpdate) {
        let group = popups[popup].group
        let isActive = popups[popup].holdsSlot
        if let priority = update.priority { setPriority(of: popup, priority) }
        if let interruptible = update.interruptible { popups[popup].interruptible = interruptible }
        if let duration = update.duration { popups[popup].duration = duration }
        if update.restartTimer { restartDisplayTime(of: popup) }
        if isActive { markChanged(group, slot: true) }
        transaction.updated = popup
        emit(.updated, popup)

        if update.duration != nil || update.restartTimer, !adjustDisplayTime(of: popup) { return }
        if isActive {
            if !mayStay(popup) {
                pauseActive(of: group)
            } else if update.priority != nil || update.interruptible != nil {
                if let best = firstEligible(of: group) { _ = promotes(best) }
            }
        } else if update.priority != nil, popups[popup].hasPlace {
            _ = promotes(popup)
        }
        fillSlot(group)
    }

    private mutating func setPriority(of popup: PopupRecord.Index, _ priority: Int32) {
        let isInQueue = popups[popup].hasPlace
        if isInQueue { dequeue(popup) }
        popups[popup].priority = priority
        if isInQueue { enqueue(popup) }
    }

    private mutating func restartDisplayTime(of popup: PopupRecord.Index) {
        popups[popup].used = 0
        if popups[popup].clockSince != PopupRecord.stopped { popups[popup].clockSince = now }
    }

    private mutating func setContent(of popup: PopupRecord.Index, _ content: UnsafeRawBufferPointer) {
        let (old, bytes) = (popups[popup].body, store.usedBytes)
        popups[popup].body = storeBody(producer(of: popup), collapseKey(of: popup), surface(of: popup), content)
        store.release(old)
        charge(popups[popup].account, since: bytes)
    }
}
