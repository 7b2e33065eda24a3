import HeapModule
import PopupProtocol
import PopupScheduling

/// Knows when each renderer was heard last, so that the journal needn't: it is told of a lease that begins, changes or
/// ends, not of each renewal, which a thousand renderers send a thousand times a second.
///
/// A renderer is given up only by a broker that listened and heard nothing. When the broker itself was stopped, or has
/// just been started, the renderers have their time anew.
struct Leases {
    /// In ms: a broker that looks so much later than a lease ran out was not listening.
    static let tolerance: Milliseconds = 1000
    /// In ms: a lease whose end could not be committed is looked at again after it.
    private static let retryDelay: Milliseconds = 1000

    private struct Held {
        /// The names and patterns of its groups, each followed by a line feed.
        var patterns: String
        var until: Milliseconds
        var isLive = true
        /// There is a look at it to come.
        var isLooked = true
    }

    private struct Look: Comparable {
        var due: Milliseconds
        var client: String

        static func < (a: Look, b: Look) -> Bool { (a.due, a.client) < (b.due, b.client) }
    }

    private var held: [String: Held] = [:]
    /// Commands that are not applied yet and change a renderer's lease: what it will be is known then.
    private var changes: [String: Int] = [:]
    /// One look at each renderer that is held: when its lease runs out, or sooner.
    private var looks = Heap<Look>()

    init() {}

    /// When it is to be asked again; `nil`: nothing is held.
    var nextDue: Milliseconds? { looks.min?.due }

    /// Has all leases that the scheduler has go on from now: nobody could be heard before.
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

    /// Whether a command is a lease that only goes on: then it is noted, and no business of the journal. One that its
    /// producer wants to be told of is committed like any other. What is no renewal must come to its `endChange`.
    mutating func isRenewal(_ command: WireCommand, at now: Milliseconds) -> Bool {
        guard case .lease(let lease)? = command.command else { return false }
        let patterns = CommandTranslator.patterns(of: lease)
        if command.sequence == 0, renew(lease.client, patterns: patterns, at: now) { return true }
        beginChange(of: lease.client)
        return false
    }

    /// Notes a lease as the scheduler has it now.
    mutating func note(_ lease: WireLease, at now: Milliseconds) {
        if lease.groups.isEmpty {
            release(lease.client)
        } else {
            hold(lease.client, patterns: CommandTranslator.patterns(of: lease), at: now)
        }
    }

    /// Notes that a command is applied, or refused, if it changes a lease.
    mutating func endChange(by command: WireCommand) {
        if case .lease(let lease) = command.command { endChange(of: lease.client) }
    }

    /// Notes that a renderer lives, if its lease says only that.
    ///
    /// - Returns: Whether it does. Otherwise it is for the scheduler.
    mutating func renew(_ client: String, patterns: String, at now: Milliseconds) -> Bool {
        guard let lease = held[client], lease.isLive, lease.patterns == patterns, changes[client] == nil else {
            return false
        }
        held[client]?.until = now + Scheduler.leaseDuration
        return true
    }

    /// A command that changes a lease is on its way to the scheduler.
    mutating func beginChange(of client: String) {
        changes[client, default: 0] += 1
    }

    /// It is applied, or nothing comes of it.
    mutating func endChange(of client: String) {
        guard let left = changes[client] else { return }
        changes[client] = left > 1 ? left - 1 : nil
    }

    /// The scheduler has a lease now.
    mutating func hold(_ client: String, patterns: String, at now: Milliseconds) {
        let until = now + Scheduler.leaseDuration
        let former = held.updateValue(Held(patterns: patterns, until: until), forKey: client)
        if former?.isLooked != true { looks.insert(Look(due: until, client: client)) }
    }

    /// The scheduler has it no longer.
    mutating func release(_ client: String) {
        guard var lease = held[client] else { return }
        lease.isLive = false
        held[client] = lease.isLooked ? lease : nil
    }

    /// The end of a lease could not be committed: it is due again later.
    mutating func postpone(_ client: String, at now: Milliseconds) {
        guard held[client]?.isLooked == false else { return }
        held[client]?.isLooked = true
        looks.insert(Look(due: now + Self.retryDelay, client: client))
    }

    /// A renderer whose lease has run out at `now`, and when; `nil` when there is none (any more).
    mutating func takeOverdue(at now: Milliseconds) -> (client: String, due: Milliseconds)? {
        while let look = looks.min, look.due <= now {
            looks.removeMin()
            guard var lease = held[look.client] else { continue }
            guard lease.isLive else {
                held[look.client] = nil
                continue
            }
            if lease.until < now - Self.tolerance, look.due < now - Self.tolerance {
                lease.until = now + Scheduler.leaseDuration
                held[look.client] = lease
            }
            guard lease.until <= look.due else {
                // Renewed since: it has its turn among those that run out later.
                looks.insert(Look(due: lease.until, client: look.client))
                continue
            }
            held[look.client]?.isLooked = false
            return (look.client, look.due)
        }
        return nil
    }
}
