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
        /// The number of producers without live popups whose counts are kept: those that sent last. A producer with
        /// live popups is always counted.
        public var producers = 10_000

        /// Creates settings without limits.
        public init() {}

        /// Whether the settings have a limit.
        public var isLimited: Bool { perProducer.isLimited || anonymous.isLimited }
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
    var settings: Settings {
        didSet { counts.capacity = settings.producers }
    }
    private var counts: QuotaCounts
    /// The admitted popups whose commit is not reported yet, by producer.
    private var pending: [ProducerName?: Pending] = [:]
    /// The producer of each live popup.
    private var owners = PopupOwners()

    /// Creates a plugin with settings.
    public init(_ settings: Settings) {
        self.settings = settings
        counts = QuotaCounts(capacity: settings.producers)
    }

    /// Refuses commands over the quota of their producer with `OVERLOAD`.
    public func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
        let producer = command.producer
        let quota = quota(of: producer)
        guard quota.isLimited else { return }
        var count = counts[producer] ?? QuotaCount(quota, at: now)
        defer { counts.set(count, of: producer) }
        if command.kind == .show, quota.livePopups > 0 {
            guard count.livePopups + (pending[producer]?.all ?? 0) < quota.livePopups else {
                throw refusal("`livePopups`", quota.livePopups, producer, "close some first")
            }
        }
        if quota.commandsPerSecond > 0 {
            count.refill(quota, at: now)
            guard count.credit >= 1000 else {
                var refusal = refusal("`commandsPerSecond`", quota.commandsPerSecond, producer, "send more slowly")
                refusal.retryAfter = count.timeToCredit(quota)
                throw refusal
            }
            count.credit -= 1000
        }
        if command.kind == .show, quota.livePopups > 0 { pending[producer, default: Pending()].latest += 1 }
    }

    /// Counts the live popups.
    public func committed(_ batch: CommittedBatch) {
        if !pending.isEmpty, !batch.commands.isEmpty || !batch.refusals.isEmpty { land(batch) }
        // Popups that were counted close even when there is no such quota any more.
        guard !owners.isEmpty || settings.perProducer.livePopups > 0 || settings.anonymous.livePopups > 0 else {
            return
        }
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
        var count = counts[producer] ?? QuotaCount(quota(of: producer), at: 0)
        count.livePopups += difference
        counts.set(count, of: producer)
    }

    private func refusal(
        _ quota: String, _ bound: Int, _ producer: ProducerName?, _ remedy: String
    ) -> CommandRefusal {
        let who = producer.map { "producer \($0)" } ?? "the commands without a producer"
        return CommandRefusal(.overload, "the quota \(quota) of \(bound) is reached by \(who); \(remedy)")
    }
}
