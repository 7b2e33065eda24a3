// What acceptance needs: place in the tables, and a record.
extension Scheduler {
    /// What keeps a request out before it is judged: a text too long, or a full table. Ids of closed popups keep nobody
    /// out: they are forgotten.
    mutating func obstacle(to request: PopupRequest, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let longest = max(request.id.count, request.group.count, request.collapseKey.count, request.surface.count)
        guard longest <= Limits.nameBytes, request.content.count <= Limits.largestContent else {
            return .tooLong
        }
        if request.hasParticulars, let obstacle = obstacleInParticulars(of: request, text) { return obstacle }
        if popups.count >= limits.popups || exceedsShare(request.producer) { return .limit(.popups) }
        if popups.count >= limits.rememberedIDs { return .limit(.rememberedIDs) }
        let producer = request.producer == nil ? 0 : MemoryLayout<ProducerID>.size
        let body = producer + Int(request.collapseKey.count + request.surface.count + request.content.count)
        let bytes = ByteStore.blockBytes(for: Int(request.id.count)) + ByteStore.blockBytes(for: body)
        if store.usedBytes + bytes > limits.contentBytes { return .limit(.contentBytes) }
        if capCounts.showings >= limits.cappedShowings, !forgetOldShowings() { return .limit(.cappedShowings) }
        return nil
    }

    /// Whether a producer has as many live popups as its account may: a multiple of those for which there is room (Choudhury
    /// and Hahne, "Dynamic Queue Length Thresholds", 1998), so that one alone can have nearly all, and none shuts others out.
    @inline(__always)
    private mutating func exceedsShare(_ producer: ProducerID?) -> Bool {
        // None has more than all.
        guard popups.count > Limits.shareOfFree * (limits.popups - popups.count),
            let payer = accounts.payer(producer, seed: hashSeed, limit: limits.accounts)
        else { return false }
        return Int(accounts[payer].live) > Limits.shareOfFree * (limits.popups - popups.count)
    }

    private func obstacleInParticulars(of request: PopupRequest, _ text: UnsafeRawBufferPointer) -> Refusal? {
        var longest = max(request.session.count, request.capKey.count)
        if let page = request.page {
            longest = max(longest, page.tree.count, page.value.count)
            if pages.place(of: text[page.tree]) == nil, pages.count >= limits.trees { return .limit(.trees) }
        }
        if let flow = request.flow {
            longest = max(longest, flow.key.count, flow.requires.count, flow.requiredAction.count)
            let known = findGroup(text[request.group]).flatMap { findFlow(text[flow.key], in: $0) }
            if let known, flows[known].live >= limits.membersPerFlow { return .limit(.membersPerFlow) }
        }
        return longest <= Limits.nameBytes ? nil : .tooLong
    }

    /// Makes the record of an accepted popup, arriving.
    mutating func accept(
        _ request: PopupRequest, _ text: UnsafeRawBufferPointer, idHash: UInt32, in group: Int32
    ) -> Int32 {
        let (id, key) = (text[request.id], text[request.collapseKey])
        let account = accounts.findOrMake(request.producer, seed: hashSeed, limit: limits.accounts)
        accounts[account].live += 1
        acceptances += 1
        let popup = popups.insert(
            PopupRecord(
                id: store.store(id), idHash: idHash,
                body: storeBody(request.producer, key, text[request.surface], text[request.content]),
                keyCount: key.count, surfaceCount: Int(request.surface.count), hasProducer: request.producer != nil,
                account: account, group: group, priority: request.priority, duration: request.duration,
                interruptible: request.interruptible, exclusive: request.exclusive, acceptance: acceptances))
        popups[popup].arrivedAt = now
        if request.minimumDisplay > 0 { changeRarities(of: popup) { $0.minimumDisplay = request.minimumDisplay } }
        ids.insert(popup, hash: idHash)
        groups[group].references += 1
        enroll(popup)
        if request.hasParticulars { acceptParticulars(of: popup, request, text) }
        return popup
    }

    /// Takes back the acceptance of a popup of which nobody was told.
    mutating func withdraw(_ popup: Int32) {
        ids.remove(popup, hash: popups[popup].idHash)
        groups[popups[popup].group].references -= 1
        store.release(popups[popup].id)
        acceptances -= 1
        discard(popup)
    }

    /// Sets the time within which a popup has to be shown; showing it cancels the timer.
    mutating func setExpiry(of popup: Int32, _ timeToLive: UInt32) {
        guard timeToLive > 0 else { return }
        popups[popup].expiry = timers.set(.expiry, of: popup, due: now + Milliseconds(timeToLive))
    }

    mutating func expire(_ popup: Int32) {
        popups[popup].expiry = nobody
        leave(popup, .expired)
    }
}
