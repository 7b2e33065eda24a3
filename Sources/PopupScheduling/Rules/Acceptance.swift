// What acceptance needs: place in the tables, and a record.
extension Scheduler {
    /// What keeps a request out before it is judged: a text too long, or a full table. A live popup's id has its place
    /// among the remembered ones from the start, so that closing never lacks it.
    func obstacle(to request: PopupRequest) -> Refusal? {
        let longest = max(request.id.count, request.group.count, request.collapseKey.count, request.surface.count)
        guard longest <= Limits.nameBytes, request.content.count <= Limits.largestContent else {
            return .tooLong
        }
        if popups.count >= limits.popups { return .limit(.popups) }
        if popups.count + closedPopups.count >= limits.rememberedIDs { return .limit(.rememberedIDs) }
        let body = Int(request.collapseKey.count + request.surface.count + request.content.count)
        let bytes = ByteStore.blockBytes(for: Int(request.id.count)) + ByteStore.blockBytes(for: body)
        if store.usedBytes + bytes > limits.contentBytes { return .limit(.contentBytes) }
        return nil
    }

    /// Makes the record of an accepted popup, arriving.
    mutating func accept(_ request: PopupRequest, _ text: UnsafeRawBufferPointer, in group: Int32) -> Int32 {
        let (id, key) = (text[request.id], text[request.collapseKey])
        let idHash = id.hash(seed: hashSeed)
        acceptances += 1
        let popup = popups.insert(
            PopupRecord(
                id: store.store(id), idHash: idHash,
                body: store.store(key, text[request.surface], text[request.content]),
                keyCount: UInt16(key.count), surfaceCount: UInt16(request.surface.count),
                keyHash: key.isEmpty ? 0 : keyHash(key, in: group), producer: request.producer, group: group,
                priority: request.priority, duration: request.duration, minimumDisplay: request.minimumDisplay,
                interruptible: request.interruptible, exclusive: request.exclusive, acceptance: acceptances,
                rank: Int64(acceptances)))
        ids.insert(popup, hash: idHash)
        groups[group].references += 1
        enroll(popup)
        return popup
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
