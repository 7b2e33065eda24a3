import PopupScheduling

/// The answers to `sync/…` that are under way, and those that wait to be.
///
/// Those under way take turns, a part each, so that a large one doesn't hold up small ones. Of those that wait one begins
/// whose connection has the fewest under way; when too many wait, the latest of the connection with most of them goes.
struct Syncs {
    /// States in one message at most.
    static let statesInPart = 256
    /// Bytes of one message at most, unless a single state has more.
    static let bytesInPart = 65_536
    /// What is done in one turn at most.
    struct Budget {
        /// Groups still to be looked at.
        var groups = 4096
        /// Bytes still to be sent; the part that exceeds them is the turn's last.
        var bytes = 1 << 20

        var isSpent: Bool { groups <= 0 || bytes <= 0 }
    }

    /// A byte that is sent in JSON takes as long as so many others.
    static let costOfJSON = 8

    /// So many matching groups are listed when an answer begins; with more all groups are gone through.
    static let mostListed = 4096

    /// One answer.
    struct Answer {
        /// What was subscribed to.
        var topic: [UInt8]
        /// Who asked.
        var connection: ConnectionID
        var isJSON: Bool
        /// The groups whose name followed by `/` begins so.
        var prefix: [UInt8]
        /// Which groups it has to look at; `nil` until it begins.
        var scope: Scope?
        /// The next of them.
        var next = 0
        /// States sent.
        var states: UInt64 = 0
    }

    /// The groups that an answer looks at, by their indices. A group keeps its index as long as it is known, so that what
    /// was there when the answer began and still is comes exactly once, whatever comes and goes between; a group that
    /// comes meanwhile is a change, which `state/…` tells.
    enum Scope {
        /// These.
        case listed([GroupIndex])
        /// All below this index.
        case all(capacity: Int)
    }

    private let mostUnderWay: Int
    private let mostWaiting: Int
    private var underWay: [Answer] = []
    private var waiting: [Answer] = []
    /// How many wait of each connection.
    private var waitingCounts: [ConnectionID: Int] = [:]

    init(mostUnderWay: Int, mostWaiting: Int) {
        self.mostUnderWay = mostUnderWay
        self.mostWaiting = mostWaiting
    }

    var isEmpty: Bool { underWay.isEmpty }

    /// Adds an answer. Returns whether there was room for it: one that waits of a connection with more of them gives way.
    mutating func add(_ answer: Answer) -> Bool {
        guard underWay.count >= mostUnderWay else {
            underWay.append(answer)
            return true
        }
        guard waiting.count < mostWaiting || makeRoom(for: answer.connection) else { return false }
        waiting.append(answer)
        waitingCounts[answer.connection, default: 0] += 1
        return true
    }

    /// Lets go of the latest answer that waits of the connection with most of them, if it has more than another would have
    /// with one more; of equal ones the newest.
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

    /// Ends a connection's answer on a topic, if there is one: nobody receives it any more.
    mutating func withdraw(_ topic: [UInt8], of connection: ConnectionID) {
        func isMeant(_ answer: Answer) -> Bool { answer.connection == connection && answer.topic == topic }
        if let index = waiting.lastIndex(where: isMeant) {
            _ = removeWaiting(at: index)
        } else if let index = underWay.lastIndex(where: isMeant) {
            underWay.remove(at: index)
            fill()
        }
    }

    /// The answer whose turn it is; put it back unless it is finished.
    mutating func takeNext() -> Answer? {
        underWay.isEmpty ? nil : underWay.removeFirst()
    }

    /// Puts an answer behind the others.
    mutating func putBack(_ answer: Answer) {
        underWay.append(answer)
    }

    /// An answer that was taken is finished: the next one begins.
    mutating func fill() {
        guard underWay.count < mostUnderWay, !waiting.isEmpty else { return }
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
    /// The groups that an answer has to look at when it begins.
    init(of answer: Syncs.Answer, in state: inout BrokerState) {
        if !answer.prefix.isEmpty {
            let groups = state.groups(withPrefix: answer.prefix.span.bytes, limit: Syncs.mostListed + 1)
            if groups.count <= Syncs.mostListed {
                self = .listed(groups)
                return
            }
        }
        self = .all(capacity: state.scheduler.groupCapacity)
    }

    /// The group at a place of the scope; `nil` at its end.
    func group(at place: Int) -> GroupIndex? {
        switch self {
        case .listed(let groups): place < groups.count ? groups[place] : nil
        case .all(let capacity): place < capacity ? GroupIndex(rawValue: Int32(place)) : nil
        }
    }
}
