import PopupBroker
import Testing
import ZeroMQ
import ZeroMQTransport

/// The transport by itself. Each test does what the loop does in its turns.
@Suite("A subscriber that ends", .timeLimit(.minutes(1)))
struct EndedSubscriberTests {
    private static let subscriptions = 20_000

    /// Receives what a turn may receive of subscriptions.
    ///
    /// - Returns: The subscriptions, whether a connection has ended, and the number of times that some thousand frames
    ///   were dropped at once.
    private func turn(of transport: ZeroMQTransport) throws -> (subscribed: Int, hasEnded: Bool, droppings: Int) {
        var (subscribed, hasEnded, droppings) = (0, false, 0)
        try transport.wait(milliseconds: 20_000)
        while true {
            var isTaken = false
            let hasMore = try transport.receiveSubscription { _, _, change, _ in
                isTaken = true
                if change == .subscribed { subscribed += 1 }
                if change == .ended { hasEnded = true }
                return true
            }
            guard hasMore else { return (subscribed, hasEnded, droppings) }
            if !isTaken { droppings += 1 }
        }
    }

    @Test("leaves withdrawals, of which a turn drops some thousand: everybody else is served in between")
    func leftovers() throws {
        let transport = try ZeroMQTransport(endpoints: RunningBroker.free)
        let endpoints = try transport.open()
        defer { transport.close() }
        let context = try Context()
        do {
            let subscriber = try Socket(
                context, .sub, options: [.linger(milliseconds: 0), .sendHighWaterMark(0)])
            for number in 0..<Self.subscriptions { try subscriber.subscribe(to: "state/\(number)/") }
            try subscriber.connect(endpoints.egress)
            var subscribed = 0
            while subscribed < Self.subscriptions { subscribed += try turn(of: transport).subscribed }
        }
        var (hasEnded, droppings, most) = (false, 0, 0)
        // All of them are dropped, in parts.
        while !hasEnded || droppings < Self.subscriptions / 1024 {
            let turn = try turn(of: transport)
            if turn.hasEnded { hasEnded = true }
            droppings += turn.droppings
            most = max(most, turn.droppings)
        }
        #expect(most <= 4)
    }
}
