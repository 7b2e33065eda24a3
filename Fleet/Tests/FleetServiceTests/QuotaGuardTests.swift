import PopupBroker
import PopupProtocol
import SwiftProtobuf
import Testing

@testable import FleetService

@Suite struct QuotaGuardTests {
    private let show = WireCommand.with { $0.show = .with { $0.group = "lobby" } }
    private let dismiss = WireCommand.with { $0.dismiss = .with { $0.id = "A" } }

    private func refusal(_ guarding: QuotaGuard, _ command: WireCommand) -> CommandRefusal? {
        guard var admitted = AdmittedCommand(command) else {
            Issue.record("it has no command")
            return nil
        }
        do throws(CommandRefusal) {
            try guarding.admit(&admitted, at: 0)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (799, 800, false), (800, 800, true), (100, 949, false), (100, 950, true), (0, 0, false),
    ])
    func `commands that need room are refused at 80 percent in use, or 95 percent of the file`(
        used: Int64, file: Int64, isFull: Bool
    ) {
        let quota = QuotaGuard(quota: 1000)
        #expect(refusal(quota, show) == nil)

        quota.record(QuotaGuard.Use(fileBytes: file, usedBytes: used))

        let said = refusal(quota, show)
        #expect(said?.reason == (isFull ? .overload : nil))
        #expect(said?.retryAfter == (isFull ? QuotaGuard.interval : nil))
        #expect(quota.isFull == isFull)
        #expect(refusal(quota, dismiss) == nil)
        quota.record(QuotaGuard.Use(fileBytes: 0, usedBytes: 0))
        #expect(refusal(quota, show) == nil)
    }

    @Test func `an alarm is told whatever the sizes are; without a quota nothing is refused`() {
        let quota = QuotaGuard(quota: 1000)
        quota.record(QuotaGuard.Use(fileBytes: 1, usedBytes: 1, isAlarmed: true))
        #expect(refusal(quota, show)?.detail.contains("disarm its alarm") == true)

        let unlimited = QuotaGuard(quota: nil)
        unlimited.record(QuotaGuard.Use(fileBytes: 1 << 40, usedBytes: 1 << 40, isAlarmed: true))
        #expect(refusal(unlimited, show) == nil)
    }
}
