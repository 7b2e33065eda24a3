import PopupProtocol

/// The calls from other threads that the loop has begun and not answered.
struct CallsInHand {
    /// Takes the outcome of a call: why it was refused; `nil`: it was not.
    typealias Completion = @Sendable (CommandRefusal?) -> Void

    private var waiting: [Int: Completion] = [:]
    private var answers: [(call: Int, refusal: CommandRefusal?)] = []
    private var count = 0

    init() {}

    /// Adds a call and returns its number.
    mutating func add(_ completion: @escaping Completion) -> Int {
        count += 1
        waiting[count] = completion
        return count
    }

    /// Notes the outcome of a call; its caller is told by `deliver`.
    mutating func answer(_ call: Int, _ refusal: CommandRefusal?) { answers.append((call, refusal)) }

    /// Tells the callers whose outcomes are known.
    mutating func deliver() {
        for answer in answers { waiting.removeValue(forKey: answer.call)?(answer.refusal) }
        answers.removeAll(keepingCapacity: true)
    }

    /// Ends all calls, those whose outcomes are not known with this refusal.
    mutating func endAll(_ refusal: CommandRefusal) {
        deliver()
        for call in waiting.keys.sorted() { waiting.removeValue(forKey: call)?(refusal) }
    }
}
