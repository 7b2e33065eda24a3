// The encoding of groups. Each encoding function is above its decoding function. See `appendState`.
extension Scheduler {
    func encodeGroups(_ order: StateOrder, _ encoder: inout StateEncoder) {
        for group in order.groups {
            encodeGroup(group, order, &encoder)
            encodePopups(of: group, order, &encoder)
        }
    }

    mutating func restoreGroups(_ count: Int, _ decoder: inout StateDecoder) throws(SnapshotError) {
        let patterns = policies.patterns
        var last: UnsafeRawBufferPointer?
        // For each renderer the last popup for which a rendering was read.
        var lastRendered = [PopupRecord.Index?](repeating: nil, count: renderers.count)
        for _ in 0..<count {
            let name = try decoder.text(atMost: Limits.nameBytes)
            guard last.map({ $0.precedes(name) }) ?? true else { throw decoder.damaged("the groups are out of order") }
            last = name
            let policy = try restoredPolicy(of: name, patterns, &decoder)
            let group = try restoreGroup(name, policy, &decoder)
            try restorePopups(of: group, &lastRendered, &decoder)
            try check(group, decoder)
        }
        groups.enterAllInOrder()
    }

    private func encodeGroup(_ group: GroupRecord.Index, _ order: StateOrder, _ encoder: inout StateEncoder) {
        let record = groups[group]
        encoder.add(store[record.name])
        encoder.add(order.position(ofPolicy: record.policy))
        encoder.add(record.revision)
        encoder.add(store[record.session])
        encoder.add(record.activation)
        encoder.add(record.advances)
        encoder.add(record.gapAfterHold)
        encoder.add(record.quietSince)
        encoder.add(record.isHeld)
        encodeOwner(record.account, order, &encoder)
        for timer in [record.minimumDisplay, record.gap, record.hold, record.displayTimeout] {
            encodeTimer(timer, &encoder)
        }
        encoder.add(order.position(ofFlow: record.holder)) { $0.add($1) }
        encodeCaps(of: group, order, &encoder)
    }

    private mutating func restoreGroup(
        _ name: UnsafeRawBufferPointer, _ policy: PolicyTable.Index, _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> GroupRecord.Index {
        let group = addGroup(
            try keep(name, decoder), hash: store.hash(name), policy: policy,
            revision: try decoder.number(atMost: Self.lastNumber))
        groups[group].session = try keep(decoder.text(atMost: Limits.nameBytes), decoder)
        groups[group].activation = try decoder.number(atMost: groups.activations)
        groups[group].advances = try decoder.flag()
        groups[group].gapAfterHold = try decoder.flag()
        groups[group].quietSince = try decoder.number(atMost: policies.suspensions.latest)
        if decoder.version > 2 {
            let isHeld = try decoder.flag()
            let account = try restoredOwner(&decoder)
            guard isHeld || account == nil else { throw decoder.damaged("a group that holds nothing has an account") }
            if isHeld { restoreUse(of: group, by: account) }
        }
        groups[group].minimumDisplay = try restoreTimer(.minimumDisplay(group), &decoder)
        groups[group].gap = try restoreTimer(.gap(group), &decoder)
        groups[group].hold = try restoreTimer(.hold(group), &decoder)
        groups[group].displayTimeout = try restoreTimer(.displayTimeout(group), &decoder)
        groups[group].holder = try restoredFlow(of: group, &decoder)
        try restoreCaps(of: group, &decoder)
        return group
    }

    private mutating func restoreUse(of group: GroupRecord.Index, by account: AccountRecord.Index?) {
        bringIntoUse(group, by: account)
        guard let account else { return }
        accounts[account].bytes += ByteStore.blockBytes(for: Int(groups[group].session.count))
    }

    /// Returns the policy of a group, which has to match its name.
    private func restoredPolicy(
        of name: UnsafeRawBufferPointer, _ patterns: [[UInt8]], _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> PolicyTable.Index {
        // 0 is the policy that applies if no other was set.
        let index: Int = try decoder.signed(in: 0...patterns.count)
        guard index > 0 else { return PolicyTable.initial }
        let pattern = patterns[index - 1]
        guard pattern.withUnsafeBytes({ Pattern($0).matches(name) }), let policy = policies.index(ofPattern: pattern)
        else { throw decoder.damaged("a group has a policy that does not match its name") }
        return policy
    }

    private func encodeCaps(of group: GroupRecord.Index, _ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(groups.caps[group]) { encoder, count in
            encoder.add(count.times.indices) { encoder, index in
                encoder.add(count.times[index])
                encodeOwner(count.payers[index].accountIfAny, order, &encoder)
            }
            encodeTimer(count.timer, &encoder)
        }
    }

    /// Restores the showings that the caps of a group counted. In versions before 7, no account pays for them.
    private mutating func restoreCaps(of group: GroupRecord.Index, _ decoder: inout StateDecoder) throws(SnapshotError)
    {
        var counts = groups.caps[group]
        guard try decoder.count(eachAtLeast: 2) == counts.count else {
            throw decoder.damaged("a group's caps are not its policy's")
        }
        guard !counts.isEmpty else { return }
        for index in counts.indices {
            for _ in 0..<(try decoder.count(eachAtLeast: 1)) {
                let time = try restoredTime(&decoder)
                guard counts[index].times.last.map({ $0 <= time }) ?? true else {
                    throw decoder.damaged("a cap's showings are out of order")
                }
                counts[index].append(time, paidBy: decoder.version > 6 ? try restoredOwner(&decoder) : nil)
            }
            counts[index].timer = try restoreTimer(.cap(group), &decoder)
            let most = Int(counts[index].cap.most)
            guard counts[index].times.count <= most, isClosedInTime(counts[index], decoder.version) else {
                throw decoder.damaged("a cap and its showings disagree")
            }
        }
        groups.caps.set(counts, of: group, named: groups[group].name, &accounts, store)
    }

    /// Whether a cap is open, or closed because of its showings until the first of them leaves the window.
    private func isClosedInTime(_ count: CapCounts.Count, _ version: UInt64) -> Bool {
        guard let timer = count.timer else { return true }
        return version > 6 ? !count.times.isEmpty && timers.due(timer) == count.release : count.isFull
    }

    private func encodePopups(of group: GroupRecord.Index, _ order: StateOrder, _ encoder: inout StateEncoder) {
        let record = groups[group]
        encoder.add(UInt64(record.waiting + record.paused + (record.active == nil ? 0 : 1)))
        var next = record.accepted.first
        while let popup = next {
            encodePopup(popup, order, &encoder)
            next = popups.next(after: popup, Acceptances.self)
        }
    }

    private mutating func restorePopups(
        of group: GroupRecord.Index, _ lastRendered: inout [PopupRecord.Index?], _ decoder: inout StateDecoder
    ) throws(SnapshotError) {
        var queue: [PopupRecord.Index] = []
        for _ in 0..<(try decoder.count(eachAtLeast: 27)) {
            let popup = try restorePopup(in: group, &lastRendered, &decoder)
            if popups[popup].isWaiting || popups[popup].isPaused { queue.append(popup) }
        }
        try restoreQueue(of: group, queue, decoder)
    }

    private mutating func restoreQueue(
        of group: GroupRecord.Index, _ members: [PopupRecord.Index], _ decoder: StateDecoder
    ) throws(SnapshotError) {
        var queue = members.map { (popup: $0, priority: effectivePriority(of: $0), rank: popups[$0].rank) }
        queue.sort { $0.priority != $1.priority ? $0.priority > $1.priority : $0.rank < $1.rank }
        for (popup, next) in zip(queue, queue.dropFirst())
        where (popup.priority, popup.rank) == (next.priority, next.rank) {
            throw decoder.damaged("two popups have one index in the queue")
        }
        for (popup, priority, _) in queue {
            if belongsIntoTree(popup) {
                groups.enqueue(candidate(for: popup), &popups)
            } else {
                groups.enqueueLast(popup, priority: priority, &popups)
            }
        }
    }

    /// Checks the invariants of a restored group on which the rules depend.
    private func check(_ group: GroupRecord.Index, _ decoder: StateDecoder) throws(SnapshotError) {
        let record = groups[group]
        let isShown = record.active.map { popups[$0].isActive } ?? false
        guard isShown || record.minimumDisplay == nil && record.displayTimeout == nil && !record.advances else {
            throw decoder.damaged("a timer of the active popup is set while there is none")
        }
        guard (record.hold == nil) == (record.holder == nil), record.hold == nil || record.active == nil
        else { throw decoder.damaged("a flow holds a slot that is not free") }
    }

    func encodeIdleGroups(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(groups.idleGroups) { $0.add(order.position(ofGroup: $1)) }
    }

    mutating func restoreIdleGroups(_ decoder: inout StateDecoder) throws(SnapshotError) {
        for _ in 0..<(try decoder.count(eachAtLeast: 1)) {
            let group = try restoredGroup(&decoder)
            guard !groups[group].isListedAsIdle else { throw decoder.damaged("a group is idle twice") }
            groups.listAsIdle(group)
        }
    }
}
