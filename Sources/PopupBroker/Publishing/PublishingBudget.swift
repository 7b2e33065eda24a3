/// What may be published in one go beside what commands and timers bring, before others are served.
struct PublishingBudget {
    /// Groups that are looked at without being published, at most.
    static let groups = 8192

    /// Messages still to be published.
    private var messages = 512
    /// Their bytes; what exceeds them is the last.
    private var bytes = 512 << 10

    init() {}

    var isSpent: Bool { messages <= 0 || bytes <= 0 }

    mutating func spend(bytes count: Int) {
        messages -= 1
        bytes -= count
    }
}
