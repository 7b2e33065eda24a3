internal import PopupAccess
internal import PopupClient
internal import PopupProtocol
import Synchronization

// What another policy would have changed.
extension Call {
    /// Answers with the popups whose outcome would differ if the policy in the body had been in force instead of the
    /// one of its group or pattern.
    func whatIf() async throws -> GatewayResponse {
        try require(.query, in: .every)
        guard let trial = gateway.policyTrial else {
            throw Problem(
                404, "NOT_CONFIGURED",
                "the gateway does not know the broker's data directory; set `whatIf.dataDirectory`")
        }
        let policy: WireSetPolicy = try body()
        guard GroupPattern(policy.group) != nil else { throw ClientError.invalidGroup(policy.group) }
        let since = Int64(UnixTime.milliseconds) - Int64(try lookBack())
        let text = String(decoding: try WireJSON.encode(policy), as: UTF8.self)
        let result = try await gateway.trials.run { try await trial.run(policy: text, since: since) }
        return GatewayResponse(json: Array(result.json.utf8))
    }

    /// Returns the time of `?since=` in ms: an hour by default.
    private func lookBack() throws(Problem) -> UInt32 {
        guard let text = request.query["since"] else { return 3_600_000 }
        guard let milliseconds = TimeText.milliseconds(text) else { throw TimeText.problem("since", text) }
        return milliseconds
    }
}

/// The turns of comparisons, which take a core for seconds: one at a time.
final class PolicyTrialTurns: Sendable {
    private let isBusy = Mutex(false)

    /// Performs a comparison.
    ///
    /// - Throws: 429 if another one runs.
    func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        let isFree = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else {
            throw Problem(
                429, "OVERLOAD", "another comparison of policies runs; try again when it is done", retryAfterMs: 5000)
        }
        defer { isBusy.withLock { $0 = false } }
        return try await body()
    }
}
