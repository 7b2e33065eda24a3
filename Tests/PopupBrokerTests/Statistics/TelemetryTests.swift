@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import Testing

/// The counters and log lines of what is reported.
@Suite struct TelemetryTests {
    private let kept = LogLines()

    private func telemetry() -> Telemetry { Telemetry(BrokerConfiguration(), logger: kept.logger) }

    private func filled(_ telemetry: Telemetry) -> WireStatsResult {
        var result = WireStatsResult()
        telemetry.fill(&result, waitingTimes: Histogram())
        return result
    }

    @Test func `a refusal is counted by its reason and logged`() {
        var telemetry = telemetry()
        telemetry.reportRefusal(.invalid, "why", group: "g", popup: "A", at: 0)
        let result = filled(telemetry)
        #expect(result.refused == 1 && result.refusedByReason.first { $0.reason == .invalid }?.count == 1)
        #expect(kept.all == ["warning command refused detail=why group=g popup=A reason=INVALID"])
    }

    @Test func `a connection that was cut is counted and logged`() {
        var telemetry = telemetry()
        telemetry.report(CutConnection(socket: "egress", peer: nil, reason: "r", isSlow: true), at: 0)
        let result = filled(telemetry)
        #expect([result.connectionsCut, result.slowSubscribers] == [1, 1])
        #expect(kept.all == ["warning connection cut off reason=r socket=egress"])
    }

    @Test func `refused policies of the start are logged and remembered, also when counting begins`() {
        var telemetry = telemetry()
        #expect(!telemetry.hasRefusedPolicies)
        telemetry.reportRefusedPolicies(CommandRefusal(.invalid, "why"))
        telemetry.beginCounting(findings: 1, waitingTimes: Histogram())
        #expect(telemetry.hasRefusedPolicies && filled(telemetry).journalFindings == 1)
        #expect(kept.all.count == 1 && kept.all[0].hasPrefix("critical the configured policies are refused"))
    }
}
