import PopupProtocol

/// The calls from other threads that have begun and are not answered.
struct PendingCalls {
    /// The function that receives the outcome of a call: its refusal; `nil` if it was accepted.
    typealias Completion = @Sendable (CommandRefusal?) -> Void

    private var waiting: [Int: Completion] = [:]
    private var answers: [(call: Int, refusal: CommandRefusal?)] = []
    private var count = 0

    init() {}

    /// Adds a call. Returns its number.
    mutating func add(_ completion: @escaping Completion) -> Int {
        count += 1
        waiting[count] = completion
        return count
    }

    /// Records the outcome of a call. `deliver` passes it to the caller.
    mutating func answer(_ call: Int, _ refusal: CommandRefusal?) { answers.append((call, refusal)) }

    /// Passes the recorded outcomes to the callers.
    mutating func deliver() {
        for answer in answers { waiting.removeValue(forKey: answer.call)?(answer.refusal) }
        answers.removeAll(keepingCapacity: true)
    }

    /// Ends all calls. Calls without an outcome receive this refusal.
    mutating func endAll(_ refusal: CommandRefusal) {
        deliver()
        for call in waiting.keys.sorted() { waiting.removeValue(forKey: call)?(refusal) }
    }
}
