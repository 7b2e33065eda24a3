import PopupJournal

// A standby follows the log, and takes it over when nobody claims it.
extension FleetNode {
    mutating func standByTurn(at moment: FleetMoment, _ effects: inout [FleetEffect]) throws {
        // It was asked to end; or it was while it took over, and another node was faster.
        if handsOver, pending == nil { return leave(at: moment, &effects) }
        if headRead.map({ moment.boot - $0 >= timing.polling }) ?? true { ask(.readHead, at: moment, &effects) }
        guard let head else { return }
        if replica.index < head.index { readOn(to: head, at: moment, &effects) }
        // The same request until its outcome is known.
        if let pending { ask(.write(pending), at: moment, &effects) }
        if let held = claim.held {
            if pending == nil, moment.boot - held.since >= timing.claimPatience {
                claim.giveUp(at: moment.boot)
                return ask(.releaseClaim, at: moment, &effects)
            }
            if claim.isRenewalDue(at: moment.boot, timing) { ask(.renewClaim, at: moment, &effects) }
            try takeOver(head, claimedSince: held.since, at: moment, &effects)
        } else if isCandidate, claim.isDue(at: moment.boot, rank: rank, timing) {
            claim.ask(at: moment.boot)
            ask(.claim, at: moment, &effects)
        }
    }

    /// Ends a standby. It gives the claim back that it may hold: otherwise nobody could take over until that ends.
    private mutating func leave(at moment: FleetMoment, _ effects: inout [FleetEffect]) {
        guard claim.mayBeHeld else { return end(.handedOver, &effects) }
        // What is under way might claim it once more.
        guard !calls.contains(.claim), !calls.contains(.renewClaim) else { return }
        ask(.releaseClaim, at: moment, &effects)
    }

    /// Whether it has all entries of the newest head that it knows.
    private var isCandidate: Bool { orders.isRead && replica.index == head?.index }

    /// Asks to take over, after a read of the head that began when it had the claim already.
    private mutating func takeOver(
        _ head: LogHead, claimedSince since: Int64, at moment: FleetMoment, _ effects: inout [FleetEffect]
    ) throws {
        guard pending == nil else { return }
        guard let headRead, headRead >= since else { return ask(.readHead, at: moment, &effects) }
        guard isCandidate else { return }
        let time = estimate.beginning(after: head.horizon, at: moment, wallStep: timing.wallStep)
        let write = HeadWrite.takeOver(
            after: head, by: identity, epoch: UInt64(max(0, moment.wall)), at: time, horizon: time + timing.ahead)
        pending = write
        ask(.write(write), at: moment, &effects)
    }

    /// Follows an entry that is in the log.
    mutating func follow(_ entry: LogEntry, at moment: FleetMoment) throws {
        // The node's own take-over is applied when its answer comes: until then the state is that before it.
        guard role == .standby, entry != pending?.entry else { return }
        if entry.index == replica.index + 1 { estimate.observe(entry.time, at: moment.boot) }
        try apply(entry)
    }

    /// Follows a head that the log has, or had.
    mutating func follow(_ head: LogHead, at moment: FleetMoment) throws {
        guard head.level <= newestLevel else { throw LevelIsNewer(newestLevel: newestLevel) }
        // A take-over appends: a later epoch with fewer entries is that of another log, such as one that was restored from
        // a backup and taken over since.
        guard head.epoch <= replica.epoch || head.index >= replica.index else {
            throw ReplicaDiffers(index: head.index)
        }
        estimate.observe(head.time, at: moment.boot)
        if self.head.map({ isLater(head, than: $0) }) ?? true { self.head = head }
        // An older head says nothing that the replica does not know.
        try replica.follow(head)
    }

    private func isLater(_ head: LogHead, than known: LogHead) -> Bool {
        (head.epoch, head.index, head.time) > (known.epoch, known.index, known.time)
            // A hand-over takes the horizon back at the same time.
            || (head.epoch, head.index, head.time) == (known.epoch, known.index, known.time)
    }

    // MARK: - What is missing

    /// Asks for what comes next: entries; if the first one is not there, a later snapshot; if there is none, the head once
    /// more, which says whether the entry is to be there.
    private mutating func readOn(to head: LogHead, at moment: FleetMoment, _ effects: inout [FleetEffect]) {
        let call: FleetCall =
            switch openGap {
            case nil: .readEntries(replica.index + 1...min(head.index, replica.index + 32))
            case let gap? where gap.snapshotRead == nil: .readSnapshot
            default: .readHead
            }
        ask(call, at: moment, &effects)
    }

    /// The entry that it needs next and that the log does not have; `nil`: it can be read, as far as is known.
    private var openGap: LogGap? { gap?.index == replica.index + 1 ? gap : nil }

    /// Records that an entry is not there: it was dropped, or is missing. `nil`: entries are there.
    mutating func noteGap(_ index: UInt64?) { gap = index.map { LogGap(index: $0) } }

    mutating func received(_ snapshot: LogSnapshot?, at moment: FleetMoment) throws {
        guard role == .standby else { return }
        if let snapshot { try replica.restore(snapshot) }
        gap = openGap.map { LogGap(index: $0.index, snapshotRead: moment.boot) }
    }

    /// Checks that the entry which it needs is not missing for good. Entries are dropped when two later snapshots are there,
    /// so none is later only if the log is damaged, or is another one: that shows in the head, which is checked before.
    ///
    /// - Throws: `LogIsUnreadable`.
    mutating func checkGap(headAsked: Int64) throws {
        guard let gap = openGap, let snapshotRead = gap.snapshotRead, headAsked >= snapshotRead else { return }
        throw LogIsUnreadable(missing: gap.index)
    }

    /// Begins the tenure, after its entry was applied.
    mutating func beginTenure(asked: Int64, at moment: FleetMoment) {
        role = .owner
        // What passed since the request was made has passed for the log, too.
        clock = TenureClock(max(replica.time, estimate.beginning(after: 0, at: moment, wallStep: 0)), at: moment.boot)
        confirmation = Confirmation(headAsked: asked, claimAsked: claim.held?.asked ?? asked - timing.mute - 1)
    }
}

/// An entry that a standby needs and the log does not have.
struct LogGap {
    /// Its index.
    var index: UInt64
    /// The time at which the snapshots were read since, and none was later; `nil`: they were not read.
    var snapshotRead: Int64?
}
