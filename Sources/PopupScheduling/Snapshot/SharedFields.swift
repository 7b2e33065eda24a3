// The encoding of fields that several records have. Each encoding function is above its decoding function. See
// `appendState`.
extension Scheduler {
    /// Encodes the account of an object.
    func encodeOwner(_ account: AccountRecord.Index?, _ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(account.map { order.position(ofAccount: $0) }) { $0.add($1) }
    }

    /// Returns the account of an object. Versions before 3 contain it only for popups and ids.
    func restoredOwner(_ decoder: inout StateDecoder) throws(SnapshotError) -> AccountRecord.Index? {
        guard decoder.version > 2, try decoder.flag() else { return nil }
        return try restoredAccount(&decoder)
    }

    /// Returns the account of a popup; in version 1 that of its producer, if it is known.
    mutating func restoredAccount(
        of producer: ProducerID?, _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> AccountRecord.Index {
        guard decoder.version > 1 else {
            return accounts.findOrMake(producer, seed: store.hashSeed, limit: limits.accounts)
        }
        return try restoredAccount(&decoder)
    }

    /// Returns an account, all of which were restored before.
    private func restoredAccount(_ decoder: inout StateDecoder) throws(SnapshotError) -> AccountRecord.Index {
        guard let account = accounts.index(at: try decoder.signed()) else {
            throw decoder.damaged("a number is out of its range")
        }
        return account
    }

    /// Encodes the time of a timer and its order among those of the same instant.
    func encodeTimer(_ timer: TimerQueue.Index?, _ encoder: inout StateEncoder) {
        encoder.add(timer) { encoder, timer in
            encoder.add(timers.due(timer))
            encoder.add(timers.order(of: timer))
        }
    }

    /// Returns a restored timer, if one is set.
    mutating func restoreTimer(
        _ task: TimerTask, _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> TimerQueue.Index? {
        guard try decoder.flag() else { return nil }
        let due = try decoder.signed(in: now...Self.lastTime)
        let order = try decoder.number(atMost: timers.settings)
        return timers.restore(task, due: due, order: order)
    }

    /// Returns a time that is not in the future.
    func restoredTime(_ decoder: inout StateDecoder) throws(SnapshotError) -> Milliseconds {
        try decoder.signed(in: 0...now)
    }

    /// Stores a text, if the store has space for it.
    mutating func keep(
        _ text: UnsafeRawBufferPointer, _ decoder: StateDecoder
    ) throws(SnapshotError) -> ByteReference {
        guard store.hasRoom(for: text.count) else { throw decoder.damaged("there are too many texts of one size") }
        return store.store(text)
    }

    /// Returns a group, all of which were restored before.
    func restoredGroup(_ decoder: inout StateDecoder) throws(SnapshotError) -> GroupRecord.Index {
        guard let group = groups.index(at: try decoder.signed()) else { throw decoder.damaged("a group is missing") }
        return group
    }

    /// Returns a flow of a group, if one is given.
    func restoredFlow(
        of group: GroupRecord.Index, _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> FlowRecord.Index? {
        guard try decoder.flag() else { return nil }
        guard let flow = flows.index(at: try decoder.signed()), flows[flow].group == group else {
            throw decoder.damaged("a flow is missing")
        }
        return flow
    }
}
