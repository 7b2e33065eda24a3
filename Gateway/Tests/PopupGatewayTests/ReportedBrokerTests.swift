import PopupClient
import Testing

@testable import PopupGateway

@Suite("What streams are told of the broker")
struct ReportedBrokerTests {
    private let start = ContinuousClock.now

    private func beat(_ epoch: UInt64, at seconds: Int) -> BrokerHeartbeat.Beat {
        BrokerHeartbeat.Beat(epoch: epoch, time: start + .seconds(seconds))
    }

    /// Returns which of some checks, a second apart, the streams are told of.
    ///
    /// - Parameter beats: The last heartbeat at each check; `nil`: the broker is not connected, or silent.
    private func told(_ beats: [BrokerHeartbeat.Beat?]) -> [Int] {
        var broker = ReportedBroker()
        var indices: [Int] = []
        for (second, beat) in beats.enumerated() where broker.record(beat, at: start + .seconds(second)) {
            indices.append(second)
            #expect(broker.isConnected == (beat != nil))
        }
        return indices
    }

    @Test("A broker that goes away is told at once, and one that is back with its first heartbeat since then")
    func outage() {
        let beats = [
            nil, beat(7, at: 1), beat(7, at: 1), beat(7, at: 3), nil, nil, beat(7, at: 3), beat(7, at: 7), nil,
            beat(8, at: 9), beat(8, at: 10),
        ]
        #expect(told(beats) == [1, 4, 7, 8, 9])
    }

    @Test("A broker that has restarted without having been away is told as one that is back, as often as it does")
    func restart() {
        // The last but one is the last word of an earlier owner of a fleet.
        let beats = [beat(7, at: 0), beat(8, at: 1), beat(8, at: 1), beat(9, at: 3), beat(8, at: 4), beat(9, at: 5)]
        #expect(told(beats) == [0, 1, 3])
        #expect(told([beat(7, at: 0), nil, beat(8, at: 2), beat(9, at: 3)]) == [0, 1, 2, 3])
    }
}
