@testable import PopupBroker
import PopupProtocol
import Testing

@Suite("The log of the loop")
struct LoopLogsTests {
    private let kept = LogLines()

    private func logs(linesPerSecond: Int = 10) -> LoopLogs {
        var configuration = BrokerConfiguration()
        configuration.limits.refusalLogLines = linesPerSecond
        return LoopLogs(configuration, logger: kept.logger)
    }

    @Test("has a line for each subscription that cannot be answered, with the reason")
    func subscriptions() {
        var logs = logs()
        var requests = SubscriptionRequests()
        requests.denials = ["may not read `state/b`"]
        requests.invalidSyncs = [Array("sync/x".utf8)]
        logs.logRefused(requests, at: 0)
        #expect(
            kept.all == [
                "warning command refused detail=may not read `state/b` reason=PERMISSION_DENIED",
                "warning command refused detail=`sync/x` is not a topic of sync; use CLIENT/NONCE/ and a group name, "
                    + "or * for all groups reason=INVALID",
            ])
    }

    @Test("limits refusals and disconnections each for itself")
    func limits() {
        var logs = logs(linesPerSecond: 1)
        for number in 1...2 {
            logs.logRefusal(.invalid, "number \(number)", at: 0)
            logs.log(CutConnection(socket: "egress", peer: nil, reason: "number \(number)"), at: 0)
        }
        #expect(
            kept.all == [
                "warning command refused detail=number 1 reason=INVALID",
                "warning connection cut off reason=number 1 socket=egress",
            ])
    }
}
