// What many records of a state have, as bytes and back: what writes a field stands above what reads it. See `appendState`.
extension Scheduler {
    /// The account to which something belongs.
    func encodeOwner(_ account: AccountRecord.Index?, _ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(account.map { order.place(ofAccount: $0) }) { $0.add($1) }
    }

    /// The account to which something belongs; what older versions wrote says it of popups and ids alone.
    func restoredOwner(_ decoder: inout StateDecoder) throws(SnapshotError) -> AccountRecord.Index? {
        guard decoder.version > 2, try decoder.flag() else { return nil }
        return try restoredAccount(&decoder)
    }

    /// The account of a popup; in version 1 that of its producer, if that is known.
    mutating func restoredAccount(
        of producer: ProducerID?, _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> AccountRecord.Index {
        guard decoder.version > 1 else {
            return accounts.findOrMake(producer, seed: store.hashSeed, limit: limits.accounts)
        }
        return try restoredAccount(&decoder)
    }

    /// An account, all of which were read before.
    private func restoredAccount(_ decoder: inout StateDecoder) throws(SnapshotError) -> AccountRecord.Index {
        guard let account = accounts.index(at: try decoder.signed()) else {
            throw decoder.damaged("a number is out of its range")
        }
        return account
    }

    /// When a timer falls due, and its place among those of one instant.
    func encodeTimer(_ timer: TimerQueue.Index?, _ encoder: inout StateEncoder) {
        encoder.add(timer) { encoder, timer in
            encoder.add(timers.due(timer))
            encoder.add(timers.order(of: timer))
        }
    }

    /// A timer, if one is set.
    mutating func restoreTimer(
        _ task: TimerTask, _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> TimerQueue.Index? {
        guard try decoder.flag() else { return nil }
        let due = try decoder.signed(in: now...Self.lastTime)
        let order = try decoder.number(atMost: timers.settings)
        return timers.restore(task, due: due, order: order)
    }

    /// A time that is past.
    func restoredTime(_ decoder: inout StateDecoder) throws(SnapshotError) -> Milliseconds {
        try decoder.signed(in: 0...now)
    }

    /// Stores a text, if its size has room.
    mutating func keep(
        _ text: UnsafeRawBufferPointer, _ decoder: StateDecoder
    ) throws(SnapshotError) -> ByteReference {
        guard store.hasRoom(for: text.count) else { throw decoder.damaged("there are too many texts of one size") }
        return store.store(text)
    }

    /// A group, all of which were read before.
    func restoredGroup(_ decoder: inout StateDecoder) throws(SnapshotError) -> GroupRecord.Index {
        guard let group = groups.index(at: try decoder.signed()) else { throw decoder.damaged("a group is missing") }
        return group
    }

    /// A flow of a group, if one is named.
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
