import Testing
import ZeroMQ

@testable import ZeroMQTransport

@Suite("The events of connections that the loop has not taken")
struct PendingEventsTests {
    /// An event in words.
    private func words(_ event: ConnectionEvents.Event) -> String {
        switch event {
        case .accepted(let descriptor): "accepted \(descriptor)"
        case .disconnected(let descriptor): "disconnected \(descriptor)"
        case .shutDown(_, let reason): "shut down: \(reason)"
        case .handshakeFailed: "handshake failed"
        case .relisted(let connected): "relisted \(connected.compactMap { $0?.descriptor })"
        }
    }

    @Test("are taken in order, once")
    func order() {
        var pending = PendingEvents()
        #expect(pending.isEmpty)
        for event in [.accepted(5), .handshakeFailed(.other), .disconnected(5), .accepted(6)]
            as [ConnectionEvents.Event]
        {
            pending.append(event)
        }
        #expect(!pending.isEmpty)
        let taken = pending.takeAll(connected: [])
        #expect(taken.map(words) == ["accepted 5", "handshake failed", "disconnected 5", "accepted 6"])
        #expect(pending.isEmpty)
        #expect(pending.takeAll(connected: []).isEmpty)
    }

    @Test("as many as fit are taken one by one")
    func full() {
        var pending = PendingEvents()
        for number in 0..<PendingEvents.maxCount { pending.append(.accepted(Int32(number))) }
        let taken = pending.takeAll(connected: [])
        #expect(taken.count == PendingEvents.maxCount)
        #expect(taken.last.map(words) == "accepted \(PendingEvents.maxCount - 1)")
    }

    @Test("are bounded while clients come and go: beyond the limit the current connections replace them")
    func bounded() throws {
        let wakeup = try Wakeup()
        let current = try #require(AcceptedConnection(descriptor: wakeup.fileDescriptor))
        var pending = PendingEvents()
        pending.append(.shutDown(current, reason: "first"))
        for number in 0..<1_000_000 {
            pending.append(number % 2 == 0 ? .accepted(7) : .disconnected(7))
            if number == 500_000 { pending.append(.shutDown(current, reason: "second")) }
        }
        #expect(pending.count <= PendingEvents.maxCount)
        #expect(!pending.isEmpty)

        let taken = pending.takeAll(connected: [nil, current])
        // What the guard cut is told.
        #expect(
            taken.map(words) == ["shut down: first", "shut down: second", "relisted [\(current.descriptor)]"])

        // Then it begins anew.
        pending.append(.accepted(8))
        #expect(pending.takeAll(connected: []).map(words) == ["accepted 8"])
    }

    @Test("cut connections are bounded, too")
    func manyCuts() throws {
        let wakeup = try Wakeup()
        let current = try #require(AcceptedConnection(descriptor: wakeup.fileDescriptor))
        var pending = PendingEvents()
        for _ in 0..<3 * PendingEvents.maxCount { pending.append(.shutDown(current, reason: "it floods")) }
        #expect(pending.takeAll(connected: []).count == PendingEvents.maxCount + 1)
    }
}
