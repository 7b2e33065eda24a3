import Synchronization

/// A budget of requests, which grows with time up to that of five seconds.
struct RequestBudget: Sendable {
    private var left: Double
    private var counted: ContinuousClock.Instant

    /// Creates a full budget.
    init(rate: Int, at now: ContinuousClock.Instant) {
        left = Double(rate) * Self.burstSeconds
        counted = now
    }

    /// Takes a request from the budget. If it is empty, returns the time after which it is not.
    mutating func take(rate: Int, at now: ContinuousClock.Instant) -> Duration? {
        let rate = Double(rate)
        left = min(rate * Self.burstSeconds, left + max(0, counted.duration(to: now) / .seconds(1)) * rate)
        counted = now
        guard left >= 1 else { return .seconds((1 - left) / rate) }
        left -= 1
        return nil
    }

    /// The seconds of the rate that a full budget holds.
    static let burstSeconds = 5.0
}

/// The budgets of the access tokens: of each, one for requests and one for opening streams. All streams of a token may be
/// opened at once, when the gateway or the network comes back.
final class RequestBudgets: Sendable {
    private typealias Budgets = [TokenHash: RequestBudget]

    private let requests = Mutex(Budgets())
    private let streams = Mutex(Budgets())

    /// Takes a request from the budget of a token.
    ///
    /// - Throws: 429.
    func take(for token: AccessToken, rate: Int, at now: ContinuousClock.Instant = .now) throws(Problem) {
        let rate = token.requests ?? rate
        let wait = requests.withLock { Self.take(from: &$0, token, rate: rate, at: now) }
        guard let wait else { return }
        throw Problem(
            429, "OVERLOAD", "the token `\(token.name)` may make \(rate) requests a second; send batches, or wait",
            retryAfterMs: UInt32(max(1, (wait / .milliseconds(1)).rounded(.up))))
    }

    /// Takes the opening of a stream from the budget of a token. Returns whether it has one left.
    func takeStream(for token: AccessToken, rate: Int, at now: ContinuousClock.Instant = .now) -> Bool {
        let share = (Double(token.streams) / RequestBudget.burstSeconds).rounded(.up)
        let rate = max(token.requests ?? rate, Int(share))
        return streams.withLock { Self.take(from: &$0, token, rate: rate, at: now) } == nil
    }

    private static func take(
        from budgets: inout Budgets, _ token: AccessToken, rate: Int, at now: ContinuousClock.Instant
    ) -> Duration? {
        budgets[token.hash, default: RequestBudget(rate: rate, at: now)].take(rate: rate, at: now)
    }
}
