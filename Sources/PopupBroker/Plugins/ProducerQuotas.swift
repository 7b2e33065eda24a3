public import PopupProtocol
public import PopupScheduling

/// A plugin that limits what each producer may send and keep, so that a faulty one does not displace the others.
///
/// All commands without a producer share one quota, so omitting the producer does not avoid the limit.
public final class ProducerQuotas: BrokerPlugin {
    /// The limits of one producer; 0 means no limit.
    public struct Quota: Sendable, Hashable {
        /// The average number of commands per second.
        public var commandsPerSecond: Int
        /// The number of commands at once, after a pause; 0 means as many as in a second.
        public var burst: Int
        /// The number of live popups at a time.
        public var livePopups: Int

        /// Creates a quota, by default without limits.
        public init(commandsPerSecond: Int = 0, burst: Int = 0, livePopups: Int = 0) {
            self.commandsPerSecond = commandsPerSecond
            self.burst = burst
            self.livePopups = livePopups
        }

        /// Whether the quota has a limit.
        var isLimited: Bool { commandsPerSecond > 0 || livePopups > 0 }
    }

    /// The quotas of a broker.
    public struct Settings: Sendable, Hashable {
        /// The quota of each producer.
        public var perProducer = Quota()
        /// The quota of all commands without a producer together.
        public var anonymous = Quota()
        /// The maximum number of producers with a count. For a new one, the one without live popups that was silent for
        /// the longest time is removed; if there is none, the new one is refused.
        public var producers = 10_000

        /// Creates settings without limits.
        public init() {}

        /// Whether the settings have a limit.
        public var isLimited: Bool { perProducer.isLimited || anonymous.isLimited }
    }

    fileprivate struct Account {
        /// The number of commands that may be sent now, in thousandths.
        var credit: Int
        var refilledAt: Milliseconds
        var livePopups = 0
    }

    /// The popups of one producer that were admitted, and whose commit is not reported yet.
    fileprivate struct Pending {
        /// The commands from before the last reported batch. The next reported batch contains them, unless they were
        /// refused.
        var older = 0
        /// The commands since then. They are in the next batch, or in the one after it.
        var latest = 0

        var all: Int { older + latest }

        /// Applies a report of a batch with this number of popups.
        mutating func land(_ committed: Int) {
            older = min(latest, max(0, all - committed))
            latest = 0
        }
    }

    /// The name of the plugin in the log.
    public let name = "producer-quotas"
    /// The quotas. A change keeps the counts.
    var settings: Settings
    // Two generations: a producer that sends moves to `recent`, and one that stays in `older` may be removed.
    private var recent: [ProducerName?: Account] = [:]
    private var older: [ProducerName?: Account] = [:]
    private var rotatedAt: Milliseconds = .min
    /// The admitted popups whose commit is not reported yet, by producer.
    private var pending: [ProducerName?: Pending] = [:]
    /// The producer of each live popup.
    private var owners = PopupOwners()

    /// Creates a plugin with settings.
    public init(_ settings: Settings) {
        self.settings = settings
    }

    /// Refuses commands over the quota of their producer with `OVERLOAD`.
    public func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
        let producer = command.producer
        let quota = quota(of: producer)
        guard quota.isLimited else { return }
        guard var account = account(of: producer, quota, now) else {
            throw CommandRefusal(
                .overload, "as many producers as the quotas' `producers` allows have live popups; try again later")
        }
        defer { recent[producer] = account }
        if command.kind == .show, quota.livePopups > 0 {
            guard account.livePopups + (pending[producer]?.all ?? 0) < quota.livePopups else {
                throw refusal("`livePopups`", quota.livePopups, producer, "close some first")
            }
        }
        if quota.commandsPerSecond > 0 {
            account.refill(quota, at: now)
            guard account.credit >= 1000 else {
                var refusal = refusal("`commandsPerSecond`", quota.commandsPerSecond, producer, "send more slowly")
                refusal.retryAfter = account.timeToCredit(quota)
                throw refusal
            }
            account.credit -= 1000
        }
        if command.kind == .show, quota.livePopups > 0 { pending[producer, default: Pending()].latest += 1 }
    }

    /// Counts the live popups.
    public func committed(_ batch: CommittedBatch) {
        if !pending.isEmpty, !batch.commands.isEmpty || !batch.refusals.isEmpty { land(batch) }
        guard settings.perProducer.livePopups > 0 || settings.anonymous.livePopups > 0 else { return }
        var senders: [String: ProducerName?] = [:]
        for command in batch.commands where command.kind == .show && quota(of: command.producer).livePopups > 0 {
            // Of several with one id, at most the first one was accepted.
            let id = command.command.show.id
            if senders[id] == nil { senders[id] = .some(command.producer) }
        }
        for event in batch.outcome.events {
            switch event.kind {
            case .queued, .offered, .shown:
                let popup = batch.outcome.string(event.popup)
                guard owners[popup] == nil, let sender = senders[popup] else { continue }
                owners[popup] = .some(sender)
                change(sender, by: 1)
            case .closed:
                guard let owner = owners.remove(batch.outcome.string(event.popup)) else { continue }
                change(owner, by: -1)
            case .paused, .resumed, .updated, .refused: break
            }
        }
    }

    /// Removes the popups of a batch from the pending ones. Popups that were admitted while it was in flight stay
    /// pending, since they are in the next batch.
    private func land(_ batch: CommittedBatch) {
        var shows: [ProducerName?: Int] = [:]
        for command in batch.commands where command.kind == .show { shows[command.producer, default: 0] += 1 }
        for producer in Array(pending.keys) {
            pending[producer]?.land(shows[producer] ?? 0)
            if pending[producer]?.all == 0 { pending[producer] = nil }
        }
    }

    private func quota(of producer: ProducerName?) -> Quota {
        producer == nil ? settings.anonymous : settings.perProducer
    }

    private func change(_ producer: ProducerName?, by difference: Int) {
        if recent[producer] != nil {
            recent[producer]?.livePopups += difference
        } else {
            older[producer, default: Account(quota(of: producer), at: 0)].livePopups += difference
        }
    }

    private func account(of producer: ProducerName?, _ quota: Quota, _ now: Milliseconds) -> Account? {
        if let account = recent[producer] { return account }
        if let account = older.removeValue(forKey: producer) { return account }
        if recent.count + older.count >= settings.producers {
            guard rotatedAt <= now - 1000 || rotatedAt == .min else { return nil }
            rotatedAt = now
            older = older.filter { $0.value.livePopups > 0 }.merging(recent) { $1 }
            recent.removeAll(keepingCapacity: true)
            guard older.count < settings.producers else { return nil }
        }
        return Account(quota, at: now)
    }

    private func refusal(
        _ quota: String, _ bound: Int, _ producer: ProducerName?, _ remedy: String
    ) -> CommandRefusal {
        let who = producer.map { "producer \($0)" } ?? "the commands without a producer"
        return CommandRefusal(.overload, "the quota \(quota) of \(bound) is reached by \(who); \(remedy)")
    }
}

extension ProducerQuotas.Account {
    fileprivate init(_ quota: ProducerQuotas.Quota, at now: Milliseconds) {
        credit = quota.maxCredit
        refilledAt = now
    }

    fileprivate mutating func refill(_ quota: ProducerQuotas.Quota, at now: Milliseconds) {
        let elapsed = min(max(0, now - refilledAt), 3_600_000)
        credit = min(quota.maxCredit, credit + Int(elapsed) * quota.commandsPerSecond)
        refilledAt = now
    }

    /// Returns the time in ms until one command may be sent again.
    fileprivate func timeToCredit(_ quota: ProducerQuotas.Quota) -> UInt32 {
        UInt32(clamping: (1000 - credit + quota.commandsPerSecond - 1) / quota.commandsPerSecond)
    }
}

extension ProducerQuotas.Quota {
    fileprivate var maxCredit: Int { 1000 * (burst > 0 ? burst : commandsPerSecond) }
}
