/// Where lines come from. It is read by one task, and read no faster than its lines are used.
protocol LineSource: Sendable {
    /// The next lines; nil: there are no more. Ends early when the task is cancelled.
    mutating func next() async throws -> [String]?
}
