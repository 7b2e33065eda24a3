import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Leases that end: the end of a lease is committed like a command.
extension BrokerLoop {
    /// Whether leases are due that end before further messages are received.
    var isLeaseDue: Bool { leases.isDue(at: time.clock) }

    /// The maximum number of leases that end in a turn: the end of each is a commit.
    private static var leaseEndsAtOnce: Int { 16 }

    /// Ends leases that have ended until now, each at its own time, as if its renderer left then. If that is not all of
    /// them, messages come before the others, which end later than due. If the next commit would delay the loop,
    /// leases end together instead.
    mutating func endLeases() throws {
        guard !pipeline.isShared else { return try endLeasesTogether() }
        guard let first = leases.nextDue, first <= now else { return }
        guard !pipeline.isNextCommitLong else {
            // Timers that are due by now are handled while the batch is in flight.
            pipeline.recordTimers(until: now)
            return try endLeasesTogether()
        }
        let end = now
        var count = 0
        // A batch that is applied over several turns keeps its own time until it is applied.
        defer { if !pipeline.isApplying { time.advance(to: end) } }
        while !pipeline.isApplying, count < Self.leaseEndsAtOnce, !pipeline.isNextCommitLong,
            let (client, due) = leases.takeOverdue(at: end)
        {
            count += 1
            // Never before the time of the committed commands and handled timers.
            time.goBack(to: due)
            if enterEnd(ofLeaseOf: client) { try commit() }
        }
        leases.waitForMessages(isLeaseDue)
    }

    /// The maximum number of leases that end in one batch.
    private static var leaseEndsTogether: Int { 1024 }

    /// Ends leases in one batch, now: a shared journal may have promised the others that nothing earlier comes. The
    /// batch is only submitted, since its commit waits for the network, or for the disk at the beginning of a file.
    private mutating func endLeasesTogether() throws {
        guard !pipeline.isApplying else { return }
        enterLeaseEnds()
        if !pipeline.gathered.isEmpty { try commitOrSubmit() }
    }

    /// Enters the ends of leases into the gathered batch, which is submitted at the time of the clock. Those that are
    /// refused with it are postponed.
    mutating func enterLeaseEnds() {
        var count = 0
        let former = pipeline.gathered.visits
        // The batch is applied before what comes after it: as much as one turn does.
        while count < Self.leaseEndsTogether, pipeline.gathered.visits - former < TurnBudget.ofTurn,
            !pipeline.hasFullLog, let (client, _) = leases.takeOverdue(at: time.clock)
        {
            count += 1
            enterEnd(ofLeaseOf: client)
        }
        leases.waitForMessages(isLeaseDue)
    }

    /// Enters the end of a lease. Until it is applied or refused, a renewal is a command: it begins the lease again.
    ///
    /// - Returns: Whether it was entered. Otherwise it is postponed.
    @discardableResult
    private mutating func enterEnd(ofLeaseOf client: String) -> Bool {
        // The command counts as a frame, so that visits of other commands do not count towards it.
        admission.beginFrame()
        leases.beginChange(of: client)
        guard (try? append(.with { $0.lease.client = client }, call: nil)) == nil else { return true }
        leases.endChange(of: client)
        leases.postpone(client, at: time.clock)
        return false
    }
}
