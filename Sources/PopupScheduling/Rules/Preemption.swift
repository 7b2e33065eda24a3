// Preemption in one pass: an ordinary newcomer stops an ordinary active popup.
//
// Where a policy says `stop`, nearly every `show` does this. `accept`, `close` and `activate` have the same result step
// by step, but most of their steps ask for things that an ordinary popup does not have. Here the newcomer takes over
// the record and the timer of the popup that it stops, the memory of its body if that fits, and its position in the
// acceptance order if that was the last one. Each is read and written once:
//
//     record, timer, body of the active popup ─▶ of the newcomer
//              └─▶ closed event, remembered id        └─▶ shown event
extension Scheduler {
    /// Returns the active popup of the group if the newcomer stops it, and both are ordinary.
    @inline(__always)
    func preemptedInOnePass(by request: PopupRequest, in group: GroupRecord.Index) -> PopupRecord.Index? {
        let record = groups.address(of: group)
        guard record.pointee.isOrdinary, request.isOrdinary, let active = record.pointee.active else { return nil }
        let popup = popups.address(of: active)
        guard popup.pointee.isOrdinaryAndActive, popup.pointee.interruptible,
            Int64(request.priority) >= record.pointee.threshold,
            policies.interruption(by: request.priority, of: popup.pointee.priority, under: record.pointee.policy)
                == .stop
        else { return nil }
        return active
    }

    /// Stops the active popup, and gives its slot to the newcomer.
    mutating func preempt(
        _ active: PopupRecord.Index, by request: PopupRequest, _ text: UnsafeRawBufferPointer, idHash: UInt32,
        at vacancy: PopupTable.Vacancy
    ) {
        let id = text[request.id]
        let popup = popups.mutableAddress(of: active)
        let group = groups.mutableAddress(of: popup.pointee.group)
        let index = GroupIndex(popup.pointee.group)
        let revision = group.pointee.revision + 1
        let displayed = popup.pointee.displayed(at: now)

        // Events: the one popup closes, the other is shown.
        let (groupName, closedID, shownID) = transaction.output.add(
            store[group.pointee.name], store[popup.pointee.id], id)
        transaction.output.appendChange(of: index, revision: revision)
        transaction.output.append(
            .closed(.preempted, action: .none, displayed: displayed), at: wallTime, group: groupName, popup: closedID,
            index: index, revision: revision)
        transaction.output.append(
            .shown(attempt: 1), at: wallTime, group: groupName, popup: shownID, index: index, revision: revision)
        transaction.firstEvent = transaction.output.events.count

        // The popup that closes: only its id is remembered.
        let former = popup.pointee.account
        let account = accounts.findOrMake(request.producer, seed: store.hashSeed, limit: limits.accounts)
        let holder = accounts.mutableAddress(of: account)
        let formerHolder = account == former ? holder : accounts.mutableAddress(of: former)
        let lends = account == former && !store.isSparse
        let (newID, detail) = store(newID: id, of: holder, asDetailFor: formerHolder, isLent: lends)
        _ = popups.close(
            active,
            as: ClosedPopups.Record(
                id: popup.pointee.id, idHash: popup.pointee.idHash, account: former, group: popup.pointee.group,
                flow: nil, reason: .preempted, detail: detail, borrowsDetail: lends, at: now,
                displayed: displayed),
            &formerHolder.pointee.closed, content: content(of: active))
        accounts.countRemembered(of: former)

        // The newcomer.
        let body = replaceBody(popup.pointee.body, of: formerHolder, by: request, text, of: holder)
        if account != former {
            formerHolder.pointee.live -= 1
            holder.pointee.live += 1
        }
        group.pointee.references += 1
        var record = PopupRecord(
            id: newID, idHash: idHash, body: body, keyCount: 0, surfaceCount: Int(request.surface.count),
            hasProducer: request.producer != nil, account: account, group: popup.pointee.group,
            priority: request.priority, duration: request.duration, interruptible: request.interruptible,
            exclusive: .none, acceptance: popups.nextAcceptance())
        record.agesSince = now
        record.sinceRevision = revision
        record.attempt = 1
        let timer = resetDisplayTimer(popup.pointee.displayTimer, of: active, request.duration, group.pointee.policy)
        record.start(at: now, timer)
        popups.replaceRecord(active, by: record, in: &group.pointee.accepted, at: vacancy)
        transaction.waitingTimes.record(0)
        group.pointee.advances = false
        group.pointee.activation = groups.nextActivation()
        group.pointee.revision = revision
    }

    /// Stores the id of a newcomer, which is also the detail of the popup that closes. An account forgets its ids in
    /// the order in which their popups closed. So if both are of one account, the newcomer's text outlives the detail,
    /// and is stored once, unless the store is sparse: see `Compaction.swift`.
    @inline(__always)
    private mutating func store(
        newID id: UnsafeRawBufferPointer, of account: UnsafeMutablePointer<AccountRecord>,
        asDetailFor former: UnsafeMutablePointer<AccountRecord>, isLent lends: Bool
    ) -> (id: ByteReference, detail: ByteReference) {
        let newID = store.store(id)
        let bytes = ByteStore.blockBytes(for: id.count)
        account.pointee.bytes += bytes
        former.pointee.bytes += bytes
        return (newID, lends ? store.lend(newID) : store.store(id))
    }

    /// Stores the body of a newcomer in place of that of the popup that closes, and changes what their accounts hold.
    @inline(__always)
    private mutating func replaceBody(
        _ old: ByteReference, of former: UnsafeMutablePointer<AccountRecord>, by request: PopupRequest,
        _ text: UnsafeRawBufferPointer, of account: UnsafeMutablePointer<AccountRecord>
    ) -> ByteReference {
        // The body of a popup with a producer begins with it.
        guard request.producer == nil, request.surface.isEmpty, let body = store.replace(old, by: text[request.content])
        else {
            let bytes = store.usedBytes
            let body = storeBody(request.producer, nothing, text[request.surface], text[request.content])
            charge(account, since: bytes)
            let stored = store.usedBytes
            store.release(old)
            charge(former, since: stored)
            return body
        }
        if account != former {
            let block = ByteStore.blockBytes(for: Int(body.count))
            account.pointee.bytes += block
            former.pointee.bytes -= block
        }
        return body
    }

    /// Sets the timer of a display time that begins now, in place of the timer of the popup that closes.
    @inline(__always)
    private mutating func resetDisplayTimer(
        _ timer: TimerQueue.Index?, of popup: PopupRecord.Index, _ duration: UInt32, _ policy: PolicyTable.Index
    ) -> TimerQueue.Index? {
        let time = policies.displayTime(duration, under: policy)
        guard time > 0 else {
            timers.cancel(timer)
            return nil
        }
        guard let timer else { return timers.set(.display(popup), due: now + time) }
        timers.reset(timer, due: now + time)
        return timer
    }
}

extension PopupRequest {
    /// Whether it arrives at once, and asks for nothing that only some popups have.
    @inline(__always)
    fileprivate var isOrdinary: Bool {
        delay | timeToLive | minimumDisplay | collapseKey.count == 0 && exclusive == .none && !hasRelations
    }
}

extension PopupRecord {
    /// Whether it is active, and has nothing that only some popups have.
    @inline(__always)
    fileprivate var isOrdinaryAndActive: Bool {
        isActive && relations == nil && rareFields == nil && expiry == nil && !holdsKey
    }
}

extension GroupRecord {
    /// Whether its policy allows preemption in one pass, and neither a timer of the group nor a flow affects its slot.
    @inline(__always)
    fileprivate var isOrdinary: Bool {
        canBePreemptedInOnePass && minimumDisplay == nil && gap == nil && hold == nil && holder == nil
            && displayTimeout == nil
    }
}

extension Policy {
    /// Whether newcomers stop the active popup, and a popup that takes the slot is shown at once and for its display
    /// time, with no other effect.
    var preemptsInOnePass: Bool {
        [higher, peers, lower].contains(.stop) && offer == 0 && clock == .display && displayTimeout == 0 && caps.isEmpty
            && pageTree.isEmpty
            && (aging == 0 || ignorePriority)
    }
}
