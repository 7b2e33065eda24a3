/// What was sent, and what is known of it.
struct TrafficTally: CustomStringConvertible {
    var shown = 0
    var closed = 0
    var otherCommands = 0
    var numbered = 0
    var passingSubscribers = 0
    var slowSubscriberMessages = 0
    /// What is wrong, each once.
    private(set) var problems: [String] = []
    private var problemCount = 0

    mutating func note(_ problem: String) {
        problemCount += 1
        if problems.count < 10 { problems.append(problem) }
    }

    var description: String {
        "\(shown) popups, \(closed) ended, \(otherCommands) other commands, \(numbered) numbered, "
            + "\(passingSubscribers) passing subscribers" + (problemCount > 0 ? ", \(problemCount) PROBLEMS" : "")
    }
}
