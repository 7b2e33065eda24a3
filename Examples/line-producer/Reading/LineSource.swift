/// A source of lines. One task reads it, no faster than it uses the lines.
protocol LineSource: Sendable {
    /// Returns the next lines; `nil` at the end, which comes early if the task is cancelled.
    mutating func next() async throws -> [String]?
}
