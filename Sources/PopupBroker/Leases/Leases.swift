import HeapModule
import PopupProtocol
import PopupScheduling

/// The times of the last signs of life of renderers. The journal records only the beginnings, changes and ends of
/// leases, not the renewals, of which a thousand renderers send a thousand per second.
///
/// A lease ends only if the broker was receiving and received nothing. After the broker was suspended or restarted, all
/// leases start over.
struct Leases {
    /// The delay in ms after the end of a lease from which the broker is assumed to have been suspended.
    static let tolerance: Milliseconds = 1000
    /// The time in ms after which the end of a lease is retried if it could not be committed.
    private static let retryDelay: Milliseconds = 1000

    private struct Held {
        /// The names and patterns of its groups, each followed by a line feed.
        var patterns: String
        var until: Milliseconds
        var isLive = true
        /// Whether `checks` contains a check of this lease.
        var isChecked = true
    }

    private struct Check: Comparable {
        var due: Milliseconds
        var client: String

        static func < (a: Check, b: Check) -> Bool { (a.due, a.client) < (b.due, b.client) }
    }

    /// There may be a hundred thousand.
    private var held = SpreadTable<String, Held>()
    /// The number of commands per renderer that change its lease and are not applied yet.
    private var changes: [String: Int] = [:]
    /// One check per held lease, at its end or before.
    private var checks = Heap<Check>()
    /// Whether messages are received before further leases end: they may contain renewals.
    private var waitsForMessages = false

    init() {}

    /// The time of the next check; `nil` if there are no leases.
    var nextDue: Milliseconds? { checks.min?.due }

    /// Whether leases are due that end before further messages are received.
    @inline(__always)
    func isDue(at clock: Milliseconds) -> Bool { !waitsForMessages && (nextDue.map { $0 <= clock } ?? false) }

    /// Sets whether messages are received before further leases end.
    mutating func waitForMessages(_ waits: Bool) { waitsForMessages = waits }

    /// Holds all leases of the scheduler from now on, since no renewals could be received before.
    mutating func holdAll(of scheduler: borrowing Scheduler, at now: Milliseconds) {
        var all: [(client: String, patterns: String)] = []
        scheduler.forEachLease { client, patterns in
            all.append(
                (
                    client.withUnsafeBytes { String(decoding: $0, as: UTF8.self) },
                    patterns.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                ))
        }
        for lease in all { hold(lease.client, patterns: lease.patterns, at: now) }
    }

    /// Whether a command only renews a lease. The renewal is recorded then, and not committed. A command that requires
    /// an acknowledgement is committed in any case. If the command is not a renewal, `endChange` must be called for it.
    mutating func isRenewal(_ command: WireCommand, at now: Milliseconds) -> Bool {
        guard case .lease(let lease)? = command.command else { return false }
        let patterns = CommandTranslator.patterns(of: lease)
        if command.sequence == 0, renew(lease.client, patterns: patterns, at: now) { return true }
        beginChange(of: lease.client)
        return false
    }

    /// Records a lease that the scheduler has applied.
    mutating func renew(_ lease: WireLease, at now: Milliseconds) {
        if lease.groups.isEmpty {
            release(lease.client)
        } else {
            hold(lease.client, patterns: CommandTranslator.patterns(of: lease), at: now)
        }
    }

    /// Records that a command is applied or refused, if it changes a lease.
    mutating func endChange(by command: WireCommand) {
        if case .lease(let lease) = command.command { endChange(of: lease.client) }
    }

    /// Adds to each renderer how long ago its last sign of life was.
    func addSilence(to renderers: inout [WireRenderer], at now: Milliseconds) {
        for index in renderers.indices {
            guard let lease = held[renderers[index].client] else { continue }
            renderers[index].silentMs = UInt32(clamping: now - (lease.until - Scheduler.leaseDuration))
        }
    }

    /// Renews a lease with unchanged patterns.
    ///
    /// - Returns: Whether it was renewed. Otherwise the command has to be applied by the scheduler.
    mutating func renew(_ client: String, patterns: String, at now: Milliseconds) -> Bool {
        guard let lease = held[client], lease.isLive, lease.patterns == patterns, changes[client] == nil else {
            return false
        }
        held[client]?.until = now + Scheduler.leaseDuration
        return true
    }

    /// Records that a command which changes a lease is not applied yet.
    mutating func beginChange(of client: String) {
        changes[client, default: 0] += 1
    }

    /// Records that a command which changes a lease is applied or refused.
    mutating func endChange(of client: String) {
        guard let left = changes[client] else { return }
        changes[client] = left > 1 ? left - 1 : nil
    }

    /// Holds a lease of the scheduler from now on.
    mutating func hold(_ client: String, patterns: String, at now: Milliseconds) {
        let until = now + Scheduler.leaseDuration
        let isChecked = held[client]?.isChecked == true
        held[client] = Held(patterns: patterns, until: until)
        if !isChecked { checks.insert(Check(due: until, client: client)) }
    }

    /// Records that the scheduler has ended a lease.
    mutating func release(_ client: String) {
        guard var lease = held[client] else { return }
        lease.isLive = false
        held[client] = lease.isChecked ? lease : nil
    }

    /// Schedules another check of a lease whose end could not be committed.
    mutating func postpone(_ client: String, at now: Milliseconds) {
        guard held[client]?.isChecked == false else { return }
        held[client]?.isChecked = true
        checks.insert(Check(due: now + Self.retryDelay, client: client))
    }

    /// Removes the check of the next lease that has ended at `now`. Returns its renderer and the time of its end; `nil`
    /// if there is none.
    mutating func takeOverdue(at now: Milliseconds) -> (client: String, due: Milliseconds)? {
        while let check = checks.min, check.due <= now {
            checks.removeMin()
            guard var lease = held[check.client] else { continue }
            guard lease.isLive else {
                held[check.client] = nil
                continue
            }
            guard changes[check.client] == nil else {
                // A command that is not applied yet may begin it again.
                checks.insert(Check(due: now + Self.retryDelay, client: check.client))
                continue
            }
            if lease.until < now - Self.tolerance, check.due < now - Self.tolerance {
                lease.until = now + Scheduler.leaseDuration
                held[check.client] = lease
            }
            guard lease.until <= check.due else {
                // It was renewed since, so it is checked again at its new end.
                checks.insert(Check(due: lease.until, client: check.client))
                continue
            }
            held[check.client]?.isChecked = false
            return (check.client, check.due)
        }
        return nil
    }
}
