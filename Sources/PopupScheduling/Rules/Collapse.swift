// Collapse keys: a newcomer replaces the live popup of its group with the same key. The table of keys contains the
// popup that holds each key: at most one that has arrived. A delayed popup holds its key only while no arrived popup
// does.
extension Scheduler {
    func keyHash(_ key: UnsafeRawBufferPointer, in group: GroupRecord.Index) -> UInt32 {
        key.hash(seed: store.hashSeed ^ UInt64(group.number) &* 0x9E37_79B9_7F4A_7C15)
    }

    func keyHash(of popup: PopupRecord.Index) -> UInt32 { keyHash(collapseKey(of: popup), in: popups[popup].group) }

    /// Returns the live popup of the group that has this key, except `besides`.
    func keyHolder(in group: GroupRecord.Index, _ key: UnsafeRawBufferPointer, besides: PopupRecord.Index? = nil)
        -> PopupRecord.Index?
    {
        guard !key.isEmpty else { return nil }
        let arrived = popups.keyHolder(keyHash(key, in: group)) {
            popups[$0].group == group && collapseKey(of: $0).equals(key)
        }
        if let arrived { return arrived == besides ? nil : arrived }
        guard groups[group].delayed > 0 else { return nil }
        return firstDelayed(in: group, key, besides: besides)
    }

    /// Returns the delayed popup of the group with this key that was accepted first, except `besides`.
    private func firstDelayed(
        in group: GroupRecord.Index, _ key: UnsafeRawBufferPointer, besides: PopupRecord.Index? = nil
    ) -> PopupRecord.Index? {
        popups.firstDelayed(keyHash(key, in: group), besides: besides) {
            popups[$0].group == group && collapseKey(of: $0).equals(key)
        }
    }

    /// Whether two popups are of one group and have one collapse key.
    func hasSameKey(_ popup: PopupRecord.Index, _ other: PopupRecord.Index) -> Bool {
        popups[popup].group == popups[other].group && collapseKey(of: popup).equals(collapseKey(of: other))
    }

    /// Adds a popup to the delayed popups of its key, if it has one.
    mutating func registerDelay(of popup: PopupRecord.Index) {
        guard popups[popup].keyCount > 0 else { return }
        let first = firstDelayed(in: popups[popup].group, collapseKey(of: popup))
        popups.addDelayed(popup, toRingOf: first, hash: keyHash(of: popup))
    }

    /// Removes a popup from the delayed popups of its key, if it has one. It must still be delayed.
    mutating func releaseDelay(of popup: PopupRecord.Index) {
        guard popups[popup].keyCount > 0 else { return }
        popups.removeDelayed(popup, hash: keyHash(of: popup))
    }

    /// Registers an arrived popup as the holder of its key.
    @inline(__always)
    mutating func registerKey(of popup: PopupRecord.Index) {
        guard popups[popup].keyCount > 0, !popups[popup].holdsKey else { return }
        popups.holdKey(popup, hash: keyHash(of: popup))
    }

    /// Replaces `old` by the newcomer, regardless of the limits of the queue. If the popup has gathered, no free slot
    /// is filled: that is decided when all gathered members have joined the queue.
    mutating func replace(
        _ old: PopupRecord.Index, by popup: PopupRecord.Index, isNew: Bool, hasGathered: Bool = false
    ) {
        let (record, turn, rareFields) = (popups[old], popups.turn(of: old), popups.rareFields(of: old))
        let samePriority = effectivePriority(of: old) == effectivePriority(of: popup)
        let wasInFlow = isSameFlow(old, popup)
        let departure = close(old, .replaced, detail: store[popups[popup].id])
        if record.isDelayed { return enact(hasGathered ? .wait : judgeByTable(popup), popup, isNew: isNew) }

        registerKey(of: popup)
        if let flow = flow(of: popup) { transaction.changedFlows.append(flow) }
        if let departure {
            takeSlot(popup, after: departure, wasInFlow: wasInFlow, isNew: isNew)
            if !hasGathered { fillSlot(record.group) }
            return
        }
        if samePriority {
            popups[popup].rank = record.rank
            popups[popup].agesSince = record.agesSince
            popups.changeRareFields(of: popup) {
                $0.turn = turn
                $0.early = rareFields.early
                $0.earlyFor = rareFields.earlyFor
            }
            if groups[record.group].minimumDisplay != nil, isMarked(popup, for: groups[record.group].activation) {
                listEarlyAttempt(of: popup)
            }
        } else {
            putLast(popup)
        }
        // At another priority it meets the active popup as after an update, unless it replaces a paused popup.
        let meetsActive = !samePriority && !record.isPaused
        if meetsActive, promotes(popup) { return }
        if !hasGathered, isFree(popups[popup].group, for: popup), isEligible(popup) { return activate(popup) }
        wait(popup, isNew: isNew)
    }

    /// Gives the slot of a replaced popup to the newcomer, if that may be shown. What was active stays active,
    /// regardless of the stages within the same flow and of caps, which count the newcomer nevertheless.
    private mutating func takeSlot(_ popup: PopupRecord.Index, after departure: Departure, wasInFlow: Bool, isNew: Bool)
    {
        let group = popups[popup].group
        resolveDependants()
        // The newcomer may require the popup that it replaces, and has closed in that case.
        guard popups.contains(popup) else { return }
        let isAllowed =
            Int64(popups[popup].priority) >= groups[group].threshold
            && meetsConditions(popup, caps: !departure.wasShown) && (wasInFlow || isNextOfFlow(popup))
        if isAllowed {
            activate(popup, offering: !departure.wasShown)
        } else {
            wait(popup, isNew: isNew)
        }
    }

    /// Moves a popup behind all others of its priority.
    mutating func putLast(_ popup: PopupRecord.Index) {
        popups[popup].rank = Int64(popups.nextAcceptance())
        popups.changeRareFields(of: popup) { [turn = popups[popup].rank] in $0.turn = turn }
    }
}
