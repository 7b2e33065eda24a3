// Ids of popups: live, remembered, forgotten.
extension Scheduler {
    /// Returns the live or remembered popup with this id; `nil` if there is none.
    func findID(_ id: UnsafeRawBufferPointer) -> PopupReference? {
        findID(id, hash: store.hash(id))
    }

    func findID(_ id: UnsafeRawBufferPointer, hash: UInt32) -> PopupReference? {
        popups.find(id, hash: hash, in: store)
    }

    /// Returns the live popup with this id, or the refusal if there is none.
    func findLive(_ id: UnsafeRawBufferPointer) -> Result<PopupRecord.Index, Refusal> {
        switch findID(id) {
        case nil: .failure(.unknownPopup)
        case .closed: .failure(.popupClosed)
        case .live(let popup): .success(popup)
        }
    }

    /// Returns the live popup with this id if it is in the named group, or the refusal otherwise. An empty name means
    /// any group.
    func findLive(
        _ id: UnsafeRawBufferPointer, in group: UnsafeRawBufferPointer
    ) -> Result<PopupRecord.Index, Refusal> {
        let found = findLive(id)
        guard !group.isEmpty, case .success(let popup) = found else { return found }
        return store[groups[popups[popup].group].name].equals(group) ? found : .failure(.otherGroup)
    }

    /// Refuses a command about a popup, in the group that the command names, or else in the popup's group if it is
    /// known.
    mutating func refuse(
        _ refusal: Refusal, popup id: UnsafeRawBufferPointer, in group: UnsafeRawBufferPointer
    ) -> Refusal {
        group.isEmpty ? refuse(refusal, popup: id) : refuse(refusal, group: group, popup: id)
    }

    /// Refuses a command about a popup, in the popup's group if it is known.
    mutating func refuse(_ refusal: Refusal, popup id: UnsafeRawBufferPointer) -> Refusal {
        let group: GroupRecord.Index? =
            switch findID(id) {
            case nil: nil
            case .live(let popup): popups[popup].group
            case .closed(let record): popups.closed[record].group
            }
        let name = group.map { store[groups[$0].name] } ?? nothing
        return refuse(refusal, group: name, popup: id)
    }

    /// Remembers the id of a popup that closes, with the reason. `detail` is the action of a dismissal, otherwise the
    /// cause, as in `close`.
    mutating func remember(
        _ popup: PopupRecord.Index, _ reason: CloseReason, detail: UnsafeRawBufferPointer, displayed: Milliseconds
    ) {
        let flow = flow(of: popup)
        let (id, idHash) = (popups[popup].id, popups[popup].idHash)
        let (account, bytes) = (popups[popup].account, store.usedBytes)
        let holder = accounts.mutableAddress(of: account)
        let remembered = popups.close(
            popup,
            as: ClosedPopups.Record(
                id: id, idHash: idHash, account: account, group: popups[popup].group, flow: flow, reason: reason,
                detail: store.store(detail), at: now, displayed: displayed), &holder.pointee.closed,
            content: content(of: popup))
        charge(holder, since: bytes)
        accounts.countRemembered(of: account)
        guard let flow else { return }
        flows[flow].remembered += 1
        transaction.outcomes.append(remembered)
    }

    /// The maximum number of ids that one command forgets, so that no command takes long.
    static var maxForgottenPerCommand: Int { 64 }

    /// Forgets ids that have been remembered for the deduplication window.
    mutating func forgetOldIDs() {
        for _ in 0..<Self.maxForgottenPerCommand {
            guard let oldest = popups.closed.oldest, now - popups.closed[oldest].at >= limits.deduplicationWindow else {
                return
            }
            forgetID(oldest)
        }
    }

    /// Forgets ids of closed popups early while there are too many: the oldest of the account that holds the most, of the
    /// user that does.
    mutating func forgetIDsEarly() {
        for _ in 0..<Self.maxForgottenPerCommand {
            guard popups.closed.count > 0, popups.count + popups.closed.count > limits.maxIDs else { return }
            _ = forgetIDEarly(of: heaviestAccount())
        }
    }

    /// Forgets the oldest id of an account's closed popups early. Returns whether there was one.
    mutating func forgetIDEarly(of account: AccountRecord.Index) -> Bool {
        guard accounts.contains(account), let oldest = accounts[account].closed.oldest else { return false }
        popups.countForgottenEarly(at: popups.closed[oldest].at)
        forgetID(oldest)
        return true
    }

    /// Forgets the oldest id of an account.
    private mutating func forgetID(_ index: ClosedPopups.Index) {
        let record = popups.closed[index]
        let account = accounts.mutableAddress(of: record.account)
        popups.forget(index, &account.pointee.closed)
        accounts.countForgotten(of: record.account)
        let bytes = store.usedBytes
        store.release(record.id)
        if record.borrowsDetail { store.takeBack(record.detail) } else { store.release(record.detail) }
        charge(account, since: bytes)
        accounts.forgetIfEmpty(record.account)
        if let flow = record.flow {
            flows[flow].remembered -= 1
            forgetFlowIfEmpty(flow)
        }
        groups[record.group].references -= 1
        listIfIdle(record.group)
    }
}
