import DequeModule
import PopupAccess
import PopupProtocol
import PopupScheduling
import PopupState

/// The producers that were active within the last minute, counted by who sends for them, so that no sender can fill the
/// table of producers alone.
///
/// A producer that has been silent for so long may be forgotten for a new one: what is not in here is free. A sender
/// with more than a multiple of what is free gets no more (see `Share`). The newcomer is refused, and none is forgotten
/// earlier: otherwise a stranger could make the broker forget the producer of another, whose command would take effect
/// a second time when it is repeated. This state does not outlive the process.
struct ActiveProducers {
    /// The sender of the commands of any number of producers.
    enum Sender: Hashable {
        /// A user, over any number of connections.
        case user(UserName)
        /// A connection of a client without a key.
        case connection(ConnectionID)
    }

    /// The reason why there is no place for a producer.
    enum Refusal {
        /// There are as many active producers as the table may contain.
        case full
        /// The sender's share is used up.
        case share
    }

    private struct Record {
        /// The last sender that made it active; `nil` if it is not known.
        var sender: Sender?
        /// The time of its last activity, once that is known to be over.
        var silentSince: Milliseconds?
    }

    /// The maximum number of producers that are removed at once.
    private static let removedAtOnce = 1024

    private let capacity: Int
    private let silence: Milliseconds
    private var records = SpreadTable<ProducerName, Record>()
    private var counts: [Sender: Int] = [:]
    private var silent: Deque<(producer: ProducerName, since: Milliseconds)> = []

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of producers.
    ///   - silence: The time in ms without activity after which a producer is not counted any more.
    init(capacity: Int, silence: Milliseconds) {
        self.capacity = capacity
        self.silence = silence
    }

    /// The number of producers.
    var count: Int { records.count }

    /// Begins the activity of a producer. Returns the reason if there is no place for it.
    mutating func begin(_ producer: ProducerName, from sender: Sender?, at now: Milliseconds) -> Refusal? {
        removeSilent(at: now)
        if let known = records[producer] {
            uncount(known.sender)
        } else if let refusal = refusal(of: sender) {
            return refusal
        }
        records[producer] = Record(sender: sender)
        if let sender { counts[sender, default: 0] += 1 }
        return nil
    }

    private func refusal(of sender: Sender?) -> Refusal? {
        let free = capacity - records.count
        guard free > 0 else { return .full }
        guard let sender, Share.isShort(records.count, free: free) else { return nil }
        return Share.isExceeded(by: counts[sender] ?? 0, free: free) ? .share : nil
    }

    /// Ends the activity of a producer, which was last active at `time`.
    mutating func end(_ producer: ProducerName, at time: Milliseconds) {
        guard records[producer] != nil else { return }
        records[producer]?.silentSince = time
        silent.append((producer, time))
    }

    private mutating func removeSilent(at now: Milliseconds) {
        for _ in 0..<Self.removedAtOnce {
            guard let first = silent.first, first.since <= now - silence else { return }
            silent.removeFirst()
            // It may have been active since.
            guard let record = records[first.producer], record.silentSince == first.since else { continue }
            records[first.producer] = nil
            uncount(record.sender)
        }
    }

    private mutating func uncount(_ sender: Sender?) {
        guard let sender, let count = counts[sender] else { return }
        counts[sender] = count == 1 ? nil : count - 1
    }
}

extension ActiveProducers.Refusal {
    /// The detail of the refusal, for users.
    var detail: String {
        switch self {
        case .full: "as many producers as `deduplication.maxProducers` allows were active within the last minute"
        case .share:
            "the sender's share of `deduplication.maxProducers` is used up: it sends for more than \(Limits.shareOfFree) "
                + "times as many producers as are free; use fewer, or raise the limit"
        }
    }
}
