import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Leases of renderers: the scheduler is told when one begins, changes or ends; that it goes on is noted here.
extension BrokerCore {
    /// Has all leases go on from now: nobody could be heard before.
    mutating func holdLeases() {
        var all: [(client: String, patterns: String)] = []
        scheduler.forEachLease { client, patterns in
            all.append(
                (
                    client.withUnsafeBytes { String(decoding: $0, as: UTF8.self) },
                    patterns.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                ))
        }
        for lease in all { leases.hold(lease.client, patterns: lease.patterns, at: now) }
    }

    /// Whether a command is a lease that only goes on: then it is noted, and no business of the journal. One that its
    /// producer wants to be told of is committed like any other.
    mutating func isRenewal(_ command: WireCommand) -> Bool {
        guard case .lease(let lease)? = command.command, command.sequence == 0 else { return false }
        return leases.isRenewal(by: lease.client, patterns: CommandTranslator.patterns(of: lease), at: now)
    }

    /// Notes a lease as the scheduler has it now.
    mutating func note(_ lease: WireLease) {
        if lease.groups.isEmpty {
            leases.release(lease.client)
        } else {
            leases.hold(lease.client, patterns: CommandTranslator.patterns(of: lease), at: now)
        }
    }

    /// A command is refused, or could not be committed: if it is a lease, the one before goes on.
    mutating func dropChange(by command: WireCommand) {
        if case .lease(let lease) = command.command { leases.dropChange(of: lease.client) }
    }

    /// Ends the leases that have run out until now, each as it would if its renderer left then.
    mutating func endLeases() throws {
        guard let first = leases.nextDue, first <= now else { return }
        let end = now
        defer { now = end }
        while let (client, due) = leases.takeOverdue(at: end) {
            now = due
            try fireDueTimers()
            let leaving = WireCommand.with { $0.lease.client = client }
            guard (try? append(leaving, call: nil)) != nil, try commit() else {
                leases.postpone(client, at: end)
                continue
            }
        }
    }
}
