/// The commands of one request, which are sent one after the other. After one that the broker has not acknowledged, and when
/// the time of the request is over, no further one is sent: a broker that hangs would hold each for seconds.
struct CommandSeries {
    private let end: ContinuousClock.Instant
    private var obstacle: Problem?

    /// Begins a request.
    init(at now: ContinuousClock.Instant = .now) {
        end = now + Self.longest
    }

    /// Sends a command, if it may still be sent.
    ///
    /// - Throws: `Problem`: that of the command, or 503 if it was not sent.
    mutating func send<Answer>(
        at now: ContinuousClock.Instant = .now, _ command: () async throws -> Answer
    ) async throws(Problem) -> Answer {
        if obstacle == nil {
            if Task.isCancelled { obstacle = Self.unsent("the client has left") }
            if now >= end { obstacle = Self.unsent("the time of the request is over") }
        }
        if let obstacle { throw obstacle }
        do {
            return try await command()
        } catch {
            let problem = Problem(failure: error)
            if problem.isOutage { obstacle = Self.unsent("an earlier one of the request was not acknowledged") }
            throw problem
        }
    }

    private static func unsent(_ why: String) -> Problem {
        Problem(
            503, "UNAVAILABLE", "the command was not sent: \(why); send it again", retryAfterMs: 1000, sent: .no)
    }

    /// The time after which no further command of a request is sent.
    static let longest: Duration = .seconds(30)
}
