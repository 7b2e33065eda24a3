import PopupClient
import Testing

@testable import PopupGateway

@Suite("The commands of one request")
struct CommandSeriesTests {
    private let start = ContinuousClock.now

    /// Sends commands at times, and returns the status of each, with whether it was sent.
    private func outcomes(
        _ commands: [(after: Duration, error: (any Error)?)]
    ) async -> [(status: Int, isSent: Bool, problem: Problem?)] {
        var series = CommandSeries(at: start)
        var outcomes: [(Int, Bool, Problem?)] = []
        for (time, failure) in commands {
            var isSent = false
            do throws(Problem) {
                try await series.send(at: start + time) {
                    isSent = true
                    if let failure { throw failure }
                }
                outcomes.append((200, isSent, nil))
            } catch {
                outcomes.append((error.status, isSent, error))
            }
        }
        return outcomes
    }

    @Test("After a refusal the next command is sent")
    func refused() async {
        let outcomes = await outcomes([
            (.zero, nil), (.zero, Problem(409, "STALE", "x")), (.zero, Problem(501, "UNSUPPORTED", "x")), (.zero, nil),
        ])
        #expect(outcomes.map(\.status) == [200, 409, 501, 200])
        #expect(outcomes.allSatisfy { $0.isSent })
    }

    @Test(
        "After a command without an acknowledgement none is sent, and each says so",
        arguments: [
            ClientError.acknowledgementTimedOut(endpoint: "tcp://127.0.0.1:9", after: .seconds(5)),
            .noReply(endpoint: "tcp://127.0.0.1:9", after: .seconds(5)),
            .notConnected(endpoint: "tcp://127.0.0.1:9", after: .zero), .queueFull(limit: 1),
        ])
    func outage(error: ClientError) async {
        let outcomes = await outcomes([(.zero, nil), (.zero, error), (.zero, nil), (.zero, nil)])
        #expect(outcomes.map(\.isSent) == [true, true, false, false])
        #expect(outcomes[1].problem == Problem(error))
        for outcome in outcomes[2...] {
            #expect(outcome.status == 503 && outcome.problem?.sent == .no && outcome.problem?.retryAfterMs != nil)
        }
    }

    @Test("When the time of the request is over none is sent")
    func deadline() async {
        let longest = CommandSeries.longest
        let outcomes = await outcomes([(.zero, nil), (longest - .milliseconds(1), nil), (longest, nil), (.zero, nil)])
        #expect(outcomes.map(\.isSent) == [true, true, false, false])
        #expect(outcomes[2].status == 503 && outcomes[2].problem?.sent == .no)
    }

    @Test("When the client has left none is sent")
    func left() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await outcomes([(.zero, nil), (.zero, nil)])
        }
        #expect(await task.value.map(\.isSent) == [false, false])
    }
}
