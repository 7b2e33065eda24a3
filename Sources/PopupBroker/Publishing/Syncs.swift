import PopupScheduling

/// The active and the queued answers to `sync/…`.
///
/// Active answers take turns, one part each, so that a large one does not delay small ones. The next queued answer to
/// begin is one of the connection with the fewest active ones. If too many are queued, the latest of the connection
/// with the most is dropped.
struct Syncs {
    /// The maximum number of states in one message.
    static let statesInPart = 256
    /// The maximum size of one message in bytes, unless a single state is larger.
    static let bytesInPart = 65_536
    /// The limit of the work in one turn.
    struct Budget {
        /// The number of groups that may still be visited.
        var groups = 4096
        /// The number of bytes that may still be sent; the part that exceeds it is the last one of the turn.
        var bytes = 1 << 20

        var isSpent: Bool { groups <= 0 || bytes <= 0 }
    }

    /// The time of a byte in JSON, relative to one in binary.
    static let costOfJSON = 8

    /// The maximum number of matching groups that are listed when an answer begins; with more, all groups are visited.
    static let maxListed = 4096

    /// One answer.
    struct Answer {
        /// The topic of the subscription.
        var topic: [UInt8]
        /// The connection that asked.
        var connection: ConnectionID
        var isJSON: Bool
        /// The prefix of the groups' names, each followed by `/`.
        var prefix: [UInt8]
        /// The groups to visit; `nil` until it begins.
        var scope: Scope?
        /// The index of the next group.
        var next = 0
        /// The number of states sent.
        var states: UInt64 = 0
    }

    /// The groups that an answer visits, by their indices. A group keeps its index while it is known. So a group that
    /// is known from the beginning of the answer to its end is sent exactly once, whatever changes between. A group
    /// that is added meanwhile is a change, which is sent on `state/…`.
    enum Scope {
        /// The groups with these indices.
        case listed([GroupIndex])
        /// All groups with indices below `capacity`.
        case all(capacity: Int)
    }

    private let maxActive: Int
    private let maxWaiting: Int
    private var underWay: [Answer] = []
    private var waiting: [Answer] = []
    /// The number of queued answers of each connection.
    private var waitingCounts: [ConnectionID: Int] = [:]

    init(maxActive: Int, maxWaiting: Int) {
        self.maxActive = maxActive
        self.maxWaiting = maxWaiting
    }

    var isEmpty: Bool { underWay.isEmpty }

    /// The number of active answers.
    var activeCount: Int { underWay.count }

    /// The number of queued answers.
    var queuedCount: Int { waiting.count }

    /// Adds an answer. Returns whether there was space for it. If necessary, a queued answer of a connection with more
    /// of them is dropped.
    mutating func add(_ answer: Answer) -> Bool {
        guard underWay.count >= maxActive else {
            underWay.append(answer)
            return true
        }
        guard waiting.count < maxWaiting || makeRoom(for: answer.connection) else { return false }
        waiting.append(answer)
        waitingCounts[answer.connection, default: 0] += 1
        return true
    }

    /// Drops the latest queued answer of the connection with the most, if it has more than `connection` would have with
    /// one more; of equal ones, that of the newest.
    private mutating func makeRoom(for connection: ConnectionID) -> Bool {
        let heaviest = waitingCounts.max { ($0.value, $0.key.number) < ($1.value, $1.key.number) }
        guard let heaviest, heaviest.value > waitingCounts[connection, default: 0] + 1,
            let index = waiting.lastIndex(where: { $0.connection == heaviest.key })
        else { return false }
        _ = removeWaiting(at: index)
        return true
    }

    private mutating func removeWaiting(at index: Int) -> Answer {
        let answer = waiting.remove(at: index)
        let left = waitingCounts[answer.connection, default: 1] - 1
        waitingCounts[answer.connection] = left > 0 ? left : nil
        return answer
    }

    /// Ends the answer for a connection on a topic, if there is one, since no client receives it any more.
    mutating func withdraw(_ topic: [UInt8], of connection: ConnectionID) {
        func isMeant(_ answer: Answer) -> Bool { answer.connection == connection && answer.topic == topic }
        if let index = waiting.lastIndex(where: isMeant) {
            _ = removeWaiting(at: index)
        } else if let index = underWay.lastIndex(where: isMeant) {
            underWay.remove(at: index)
            fill()
        }
    }

    /// Removes and returns the next active answer. Put it back unless it is complete.
    mutating func takeNext() -> Answer? {
        underWay.isEmpty ? nil : underWay.removeFirst()
    }

    /// Appends an answer after the other active ones.
    mutating func putBack(_ answer: Answer) {
        underWay.append(answer)
    }

    /// Begins the next queued answer, after an active one is complete.
    mutating func fill() {
        guard underWay.count < maxActive, !waiting.isEmpty else { return }
        var served: [ConnectionID: Int] = [:]
        for answer in underWay { served[answer.connection, default: 0] += 1 }
        var (next, fewest) = (0, Int.max)
        for (index, answer) in waiting.enumerated() where served[answer.connection, default: 0] < fewest {
            (next, fewest) = (index, served[answer.connection, default: 0])
            if fewest == 0 { break }
        }
        underWay.append(removeWaiting(at: next))
    }
}

extension Syncs.Scope {
    /// Creates the scope of an answer when it begins.
    init(of answer: Syncs.Answer, in state: inout BrokerState) {
        if !answer.prefix.isEmpty {
            let groups = state.groups(withPrefix: answer.prefix.span.bytes, limit: Syncs.maxListed + 1)
            if groups.count <= Syncs.maxListed {
                self = .listed(groups)
                return
            }
        }
        self = .all(capacity: state.scheduler.groupCapacity)
    }

    /// Returns the group at an index of the scope; `nil` at its end.
    func group(at index: Int) -> GroupIndex? {
        switch self {
        case .listed(let groups): index < groups.count ? groups[index] : nil
        case .all(let capacity): index < capacity ? GroupIndex(number: index) : nil
        }
    }
}
