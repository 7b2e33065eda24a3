import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Leases of renderers: the scheduler is told when one begins, changes or ends; that it goes on is noted here.
extension BrokerCore {
    /// Has all leases go on from now: nobody could be heard before.
    mutating func holdLeases() {
        var all: [(client: String, patterns: String)] = []
        state.scheduler.forEachLease { client, patterns in
            all.append(
                (
                    client.withUnsafeBytes { String(decoding: $0, as: UTF8.self) },
                    patterns.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                ))
        }
        for lease in all { leases.hold(lease.client, patterns: lease.patterns, at: now) }
    }

    /// Whether a command is a lease that only goes on: then it is noted, and no business of the journal. One that its
    /// producer wants to be told of is committed like any other. What is no renewal must come to its `endChange`.
    mutating func isRenewal(_ command: WireCommand) -> Bool {
        guard case .lease(let lease)? = command.command else { return false }
        let patterns = CommandTranslator.patterns(of: lease)
        if command.sequence == 0, leases.renew(lease.client, patterns: patterns, at: now) { return true }
        leases.beginChange(of: lease.client)
        return false
    }

    /// Notes a lease as the scheduler has it now.
    mutating func note(_ lease: WireLease) {
        if lease.groups.isEmpty {
            leases.release(lease.client)
        } else {
            leases.hold(lease.client, patterns: CommandTranslator.patterns(of: lease), at: now)
        }
    }

    /// A command is applied, or refused, or could not be committed.
    mutating func endChange(by command: WireCommand) {
        if case .lease(let lease) = command.command { leases.endChange(of: lease.client) }
    }

    /// Ends the leases that have run out until now, each as it would if its renderer left then.
    mutating func endLeases() throws {
        guard let first = leases.nextDue, first <= now else { return }
        let end = now
        // One that is applied over several turns has its own time until then.
        defer { if !pipeline.isApplying { now = end } }
        while !pipeline.isApplying, let (client, due) = leases.takeOverdue(at: end) {
            // Never before what is committed, or was told.
            now = max(due, settledUntil)
            let leaving = WireCommand.with { $0.lease.client = client }
            var isEnded = (try? append(leaving, call: nil)) != nil
            if isEnded { isEnded = try commit() }
            if !isEnded { leases.postpone(client, at: end) }
        }
    }
}
