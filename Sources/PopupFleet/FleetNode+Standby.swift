import PopupJournal

// A standby follows the log, and takes it over when nobody claims it.
extension FleetNode {
    mutating func standByTurn(at moment: FleetMoment, _ effects: inout [FleetEffect]) throws {
        // It was asked to end while it took over, and another node was faster.
        if handsOver, pending == nil { return end(.handedOver, &effects) }
        if headRead.map({ moment.boot - $0 >= timing.polling }) ?? true { ask(.readHead, at: moment, &effects) }
        guard let head else { return }
        if replica.index < head.index {
            let last = min(head.index, replica.index + 32)
            ask(entriesAreDropped ? .readSnapshot : .readEntries(replica.index + 1...last), at: moment, &effects)
        }
        // The same request until its outcome is known.
        if let pending { ask(.write(pending), at: moment, &effects) }
        if let claimHeld {
            if moment.boot - claimHeld.asked >= timing.renewal { ask(.renewClaim, at: moment, &effects) }
            try takeOver(head, claimedSince: claimHeld.since, at: moment, &effects)
        } else if isCandidate, isTimeToClaim(at: moment.boot) {
            claimTried = moment.boot
            claimHinted = nil
            ask(.claim, at: moment, &effects)
        }
    }

    /// Whether it has all entries of the newest head that it knows.
    private var isCandidate: Bool { orders != nil && replica.index == head?.index }

    private func isTimeToClaim(at boot: Int64) -> Bool {
        if let claimHinted { return boot - claimHinted >= rank * timing.rankDelay }
        return claimTried.map { boot - $0 >= timing.polling + rank * timing.rankDelay } ?? true
    }

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

    mutating func received(_ snapshot: LogSnapshot?) throws {
        entriesAreDropped = false
        guard role == .standby, let snapshot else { return }
        try replica.restore(snapshot)
    }

    /// Begins the tenure, after its entry was applied.
    mutating func beginTenure(asked: Int64, at moment: FleetMoment) {
        role = .owner
        // What passed since the request was made has passed for the log, too.
        clock = TenureClock(max(replica.time, estimate.beginning(after: 0, at: moment, wallStep: 0)), at: moment.boot)
        confirmation = Confirmation(headAsked: asked, claimAsked: claimHeld?.asked ?? asked - timing.mute - 1)
    }
}
