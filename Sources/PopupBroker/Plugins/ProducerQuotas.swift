public import PopupProtocol
public import PopupScheduling

/// Bounds what one producer may send and keep, so that one that runs wild does not crowd out the others.
///
/// Commands that name no producer share one quota: leaving the name out is no way around it.
public final class ProducerQuotas: BrokerPlugin {
    /// What one producer may do. 0: without limit.
    public struct Quota: Sendable, Hashable {
        /// Commands in a second, on average.
        public var commandsPerSecond: Int
        /// Commands at once, after a pause; 0: as many as in a second.
        public var burst: Int
        /// Popups that are live at a time.
        public var livePopups: Int

        /// A quota; without limits unless told otherwise.
        public init(commandsPerSecond: Int = 0, burst: Int = 0, livePopups: Int = 0) {
            self.commandsPerSecond = commandsPerSecond
            self.burst = burst
            self.livePopups = livePopups
        }

        /// Whether it bounds anything.
        var isLimited: Bool { commandsPerSecond > 0 || livePopups > 0 }
    }

    /// The quotas of a broker.
    public struct Settings: Sendable, Hashable {
        /// Of each producer that names itself.
        public var perProducer = Quota()
        /// Of all commands together that name no producer.
        public var anonymous = Quota()
        /// Producers told apart at a time; the longest silent without live popups is forgotten for a new one, and when
        /// there is none the new one is refused.
        public var producers = 10_000

        /// No limits.
        public init() {}

        /// Whether they bound anything.
        public var isLimited: Bool { perProducer.isLimited || anonymous.isLimited }
    }

    fileprivate struct Account {
        /// Commands that may be sent now, in thousandths.
        var credit: Int
        var refilledAt: Milliseconds
        var livePopups = 0
    }

    /// Popups of one producer that were admitted and are not told to be committed.
    fileprivate struct Pending {
        /// Those of before the last batch was told: the next one told has them, unless they came to nothing.
        var older = 0
        /// Those since: they are in the next batch, or in the one after it.
        var latest = 0

        var all: Int { older + latest }

        /// A batch with so many is told.
        mutating func land(_ committed: Int) {
            older = min(latest, max(0, all - committed))
            latest = 0
        }
    }

    /// What the broker is told of it in the log.
    public let name = "producer-quotas"
    /// What one producer may do; a change counts on with what is there.
    var settings: Settings
    // Two generations: whoever is heard moves to `recent`, and who stays in `older` may be forgotten.
    private var recent: [ProducerName?: Account] = [:]
    private var older: [ProducerName?: Account] = [:]
    private var rotatedAt: Milliseconds = .min
    /// Who has how many popups admitted and not told to be committed yet.
    private var pending: [ProducerName?: Pending] = [:]
    /// Whose each live popup is.
    private var owners: [String: ProducerName?] = [:]

    /// A plugin with these settings.
    public init(_ settings: Settings) {
        self.settings = settings
    }

    /// Refuses what is over the sender's quota as `OVERLOAD`.
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

    /// Counts the popups that live.
    public func committed(_ batch: CommittedBatch) {
        if !pending.isEmpty, !batch.commands.isEmpty || !batch.refusals.isEmpty { land(batch) }
        guard settings.perProducer.livePopups > 0 || settings.anonymous.livePopups > 0 else { return }
        var senders: [String: ProducerName?] = [:]
        for command in batch.commands where command.kind == .show && quota(of: command.producer).livePopups > 0 {
            // The first of several with one id is the one that was accepted, if any.
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
                guard let owner = owners.removeValue(forKey: batch.outcome.string(event.popup)) else { continue }
                change(owner, by: -1)
            case .paused, .resumed, .updated, .refused: break
            }
        }
    }

    /// What a batch held is no longer pending. What was admitted while it was in flight is in the next one, and stays
    /// so.
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
        credit = quota.mostCredit
        refilledAt = now
    }

    fileprivate mutating func refill(_ quota: ProducerQuotas.Quota, at now: Milliseconds) {
        let elapsed = min(max(0, now - refilledAt), 3_600_000)
        credit = min(quota.mostCredit, credit + Int(elapsed) * quota.commandsPerSecond)
        refilledAt = now
    }

    /// In ms: when one command may be sent again.
    fileprivate func timeToCredit(_ quota: ProducerQuotas.Quota) -> UInt32 {
        UInt32(clamping: (1000 - credit + quota.commandsPerSecond - 1) / quota.commandsPerSecond)
    }
}

extension ProducerQuotas.Quota {
    fileprivate var mostCredit: Int { 1000 * (burst > 0 ? burst : commandsPerSecond) }
}
