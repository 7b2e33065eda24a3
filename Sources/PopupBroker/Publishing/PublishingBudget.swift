/// The limit of what may be published in one turn in addition to the results of commands and timers.
struct PublishingBudget {
    /// The maximum number of groups that are visited without being published.
    static let groups = 8192

    /// The number of messages that may still be published.
    private var messages = 512
    /// The number of bytes that may still be published; the message that exceeds it is the last one.
    private var bytes = 512 << 10

    init() {}

    var isSpent: Bool { messages <= 0 || bytes <= 0 }

    mutating func spend(bytes count: Int) {
        messages -= 1
        bytes -= count
    }
}
