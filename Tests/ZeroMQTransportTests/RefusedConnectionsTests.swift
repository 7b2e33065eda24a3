import PopupBroker
import Testing

@testable import ZeroMQTransport

@Suite("Refused connections")
struct RefusedConnectionsTests {
    @Test(
        "are kept one by one up to a limit, and counted beyond it, until they are taken",
        arguments: [0, 3, 1024, 1025, 5000])
    func counts(_ number: Int) {
        var refused = RefusedConnections()
        for peer in 0..<number { refused.add(CutConnection(socket: "CURVE", peer: "\(peer)", reason: "unknown")) }
        let taken = refused.take()
        #expect(taken.reduce(0) { $0 + $1.count } == number)
        #expect(taken.count == min(number, RefusedConnections.maxCount + 1))
        #expect(taken.prefix(3).compactMap(\.peer) == Array(["0", "1", "2"].prefix(number)))
        #expect(refused.take() == [])
    }
}
