import PopupClient
import Testing

@testable import PopupGateway

@Suite("What streams are told of the broker")
struct ReportedBrokerTests {
    private let start = ContinuousClock.now

    private func beat(_ epoch: UInt64, at seconds: Int) -> BrokerHeartbeat.Beat {
        BrokerHeartbeat.Beat(epoch: epoch, time: start + .seconds(seconds))
    }

    /// Returns which of some checks the streams are told of, and the epoch that they know at the end.
    private func told(
        _ checks: [(isConnected: Bool, last: BrokerHeartbeat.Beat?)]
    ) -> (indices: [Int], epoch: UInt64?) {
        var broker = ReportedBroker()
        var indices: [Int] = []
        for (index, check) in checks.enumerated() where broker.record(isConnected: check.isConnected, check.last) {
            indices.append(index)
        }
        return (indices, broker.epoch)
    }

    @Test("A broker that goes away and comes back is told once each, also if its last heartbeat is from before")
    func outage() {
        let told = told([
            (false, nil), (true, beat(7, at: 0)), (true, beat(7, at: 0)), (true, beat(7, at: 1)),
            (false, beat(7, at: 1)),
            (true, beat(7, at: 1)),
            // The first heartbeat of the broker that the streams have been told of.
            (true, beat(8, at: 2)), (true, beat(8, at: 3)),
        ])
        #expect(told == ([1, 4, 5], 8))
    }

    @Test("A broker that has restarted without having been away is told as one that is back")
    func restart() {
        let told = told([
            (true, beat(7, at: 0)), (true, beat(7, at: 1)), (true, beat(8, at: 2)), (true, beat(8, at: 2)),
            (true, beat(8, at: 3)),
            // The last words of an earlier owner of a fleet.
            (true, beat(7, at: 4)), (true, beat(8, at: 5)),
        ])
        #expect(told == ([0, 2], 8))
    }
}
