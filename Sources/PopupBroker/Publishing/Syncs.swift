import PopupScheduling

/// The answers to `sync/…` that are under way, and those that wait to be.
///
/// Those under way take turns, a part each, so that a large one doesn't hold up small ones.
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

    init(mostUnderWay: Int, mostWaiting: Int) {
        self.mostUnderWay = mostUnderWay
        self.mostWaiting = mostWaiting
    }

    var isEmpty: Bool { underWay.isEmpty }

    /// Adds an answer. Returns whether there was room for it.
    mutating func add(_ answer: Answer) -> Bool {
        if underWay.count < mostUnderWay {
            underWay.append(answer)
        } else if waiting.count < mostWaiting {
            waiting.append(answer)
        } else {
            return false
        }
        return true
    }

    /// Ends one answer on a topic, if there is one: nobody receives it any more.
    mutating func withdraw(_ topic: [UInt8]) {
        if let index = waiting.lastIndex(where: { $0.topic == topic }) {
            waiting.remove(at: index)
        } else if let index = underWay.lastIndex(where: { $0.topic == topic }) {
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
        underWay.append(waiting.removeFirst())
    }
}
