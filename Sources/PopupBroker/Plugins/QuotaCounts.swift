import PopupProtocol
import PopupScheduling
import PopupState

/// The credit of a producer, and the number of its live popups.
struct QuotaCount {
    /// The number of commands that may be sent now, in thousandths.
    var credit: Int
    var refilledAt: Milliseconds
    var livePopups = 0
}

/// The counts of producers; all commands without a producer have one.
///
/// No producer is refused because others are counted. A count with live popups stays while they are live, so there are
/// at most as many of those as live popups. Of the others, those of the producers that sent last stay: two generations,
/// each of at most `capacity`. A producer that sends moves to the recent one. When that is full, the older one is
/// forgotten.
struct QuotaCounts {
    /// The minimum number of producers without live popups, those that sent last, whose counts are kept.
    var capacity: Int
    private var anonymous: QuotaCount?
    private var withPopups = SpreadTable<ProducerName, QuotaCount>()
    private var recent: [ProducerName: QuotaCount] = [:]
    private var older: [ProducerName: QuotaCount] = [:]

    /// Creates a table without counts.
    init(capacity: Int) { self.capacity = capacity }

    /// The count of a producer; `nil` if it has none.
    subscript(producer: ProducerName?) -> QuotaCount? {
        guard let producer else { return anonymous }
        return withPopups[producer] ?? recent[producer] ?? older[producer]
    }

    /// Sets the count of a producer. One without live popups becomes the most recent.
    mutating func set(_ count: QuotaCount, of producer: ProducerName?) {
        guard let producer else { return anonymous = count }
        if count.livePopups > 0 {
            if withPopups[producer] == nil { forget(producer) }
            withPopups[producer] = count
        } else {
            if !withPopups.isEmpty { withPopups[producer] = nil }
            if recent[producer] == nil {
                older[producer] = nil
                if recent.count >= capacity { beginGeneration() }
            }
            recent[producer] = count
        }
    }

    private mutating func forget(_ producer: ProducerName) {
        if recent.removeValue(forKey: producer) == nil { older[producer] = nil }
    }

    private mutating func beginGeneration() {
        swap(&recent, &older)
        recent.removeAll(keepingCapacity: true)
    }
}

extension QuotaCount {
    /// Creates the count of a producer that has sent nothing lately.
    init(_ quota: ProducerQuotas.Quota, at now: Milliseconds) {
        credit = quota.maxCredit
        refilledAt = now
    }

    /// Adds the credit for the time since the last refill.
    mutating func refill(_ quota: ProducerQuotas.Quota, at now: Milliseconds) {
        let elapsed = min(max(0, now - refilledAt), 3_600_000)
        credit = min(quota.maxCredit, credit + Int(elapsed) * quota.commandsPerSecond)
        refilledAt = now
    }

    /// Returns the time in ms until one command may be sent again.
    func timeToCredit(_ quota: ProducerQuotas.Quota) -> UInt32 {
        UInt32(clamping: (1000 - credit + quota.commandsPerSecond - 1) / quota.commandsPerSecond)
    }
}

extension ProducerQuotas.Quota {
    fileprivate var maxCredit: Int { 1000 * (burst > 0 ? burst : commandsPerSecond) }
}
