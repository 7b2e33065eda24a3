// Acceptance: the limits that a request has to meet, and the record of an accepted popup.
extension Scheduler {
    /// Returns the refusal of a request that has too long a text or would exceed a limit; `nil` if it can be accepted.
    /// Remembered ids of closed popups never lead to a refusal: they are removed instead.
    @inline(__always)
    mutating func admissionError(for request: PopupRequest, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let longest = max(request.id.count, request.group.count, request.collapseKey.count, request.surface.count)
        guard longest <= Limits.nameBytes, request.content.count <= Limits.largestContent else {
            return .tooLong
        }
        if request.hasRelations, let admissionError = admissionErrorOfRelations(of: request, text) {
            return admissionError
        }
        if let admissionError = admissionError(
            in: .popups, used: popups.count, of: limits.popups, for: request.producer)
        {
            return admissionError
        }
        if popups.count >= limits.maxIDs { return .limit(.maxIDs) }
        let producer = request.producer == nil ? 0 : MemoryLayout<ProducerID>.size
        let body = producer + Int(request.collapseKey.count + request.surface.count + request.content.count)
        let bytes = ByteStore.blockBytes(for: Int(request.id.count)) + ByteStore.blockBytes(for: body)
        if let admissionError = admissionError(toStoring: bytes, for: request.producer) { return admissionError }
        return admissionErrorOfCaps(in: text[request.group], for: request.producer)
    }

    private mutating func admissionErrorOfRelations(of request: PopupRequest, _ text: UnsafeRawBufferPointer)
        -> Refusal?
    {
        var longest = max(request.session.count, request.capKey.count)
        if let page = request.page {
            longest = max(longest, page.tree.count, page.value.count)
            if pages.index(of: text[page.tree]) == nil,
                let admissionError = admissionError(
                    in: .pageTrees, used: pages.count, of: limits.pageTrees, for: request.producer)
            {
                return admissionError
            }
        }
        if let flow = request.flow {
            longest = max(longest, flow.key.count, flow.requires.count, flow.requiredAction.count)
            let known = findGroup(text[request.group]).flatMap { findFlow(text[flow.key], in: $0) }
            if let known, flows[known].live >= limits.membersPerFlow { return .limit(.membersPerFlow) }
        }
        return longest <= Limits.nameBytes ? nil : .tooLong
    }

    /// Creates the record of an accepted popup, in the phase `arriving`.
    mutating func accept(
        _ request: PopupRequest, _ text: UnsafeRawBufferPointer, idHash: UInt32, in group: GroupRecord.Index
    ) -> PopupRecord.Index {
        let (id, key) = (text[request.id], text[request.collapseKey])
        let account = accounts.findOrMake(request.producer, seed: store.hashSeed, limit: limits.accounts)
        let holder = accounts.mutableAddress(of: account)
        holder.pointee.live += 1
        let bytes = store.usedBytes
        let popup = popups.add(
            PopupRecord(
                id: store.store(id), idHash: idHash,
                body: storeBody(request.producer, key, text[request.surface], text[request.content]),
                keyCount: key.count, surfaceCount: Int(request.surface.count), hasProducer: request.producer != nil,
                account: account, group: group, priority: request.priority, duration: request.duration,
                interruptible: request.interruptible, exclusive: request.exclusive, acceptance: popups.nextAcceptance())
        )
        charge(holder, since: bytes)
        bringIntoUse(group, by: account)
        popups[popup].agesSince = now
        if request.minimumDisplay > 0 {
            popups.changeRareFields(of: popup) { $0.minimumDisplay = request.minimumDisplay }
        }
        groups[group].references += 1
        popups.append(popup, to: &groups[group].accepted)
        if request.hasRelations { acceptRelations(of: popup, request, text) }
        return popup
    }

    /// Removes an accepted popup that no event has mentioned yet.
    mutating func withdraw(_ popup: PopupRecord.Index) {
        popups.withdraw(popup)
        let group = popups[popup].group
        groups[group].references -= 1
        let bytes = store.usedBytes
        store.release(popups[popup].id)
        charge(popups[popup].account, since: bytes)
        discard(popup)
        if groups[group].isIdle, groups[group].isHeld { endUse(of: group) }
    }

    /// Sets the timer that expires a popup which is not shown in time. Showing the popup cancels it.
    mutating func setExpiry(of popup: PopupRecord.Index, _ timeToLive: UInt32) {
        guard timeToLive > 0 else { return }
        popups[popup].expiry = timers.set(.expiry(popup), due: now + Milliseconds(timeToLive))
    }

    mutating func expire(_ popup: PopupRecord.Index) {
        popups[popup].expiry = nil
        leave(popup, .expired)
    }
}
