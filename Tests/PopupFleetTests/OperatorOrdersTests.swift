import PopupJournal
import Testing

@testable import PopupFleet

/// When the orders of operators are read, and for how long what they ask for counts. By default they are read each 5 s, and
/// count for 6 s.
@Suite struct OperatorOrdersTests {
    private let timing = FleetTiming()

    @Test func `they are read at first, now and then, and when they change`() {
        var orders = OperatorOrders()
        #expect(orders.isReadingDue(at: 0, timing) && !orders.isRead)

        orders.beginReading(at: 0)
        #expect(!orders.isReadingDue(at: 4999, timing) && orders.isReadingDue(at: 5000, timing))
        // What changes while they are read is read again.
        orders.recordChange()
        _ = orders.receive(LogOrders(), asked: 0)
        #expect(orders.isRead && orders.isReadingDue(at: 1, timing))
    }

    @Test func `the first configuration is told, also none, and then each other one`() {
        var orders = OperatorOrders()
        let answers = [nil, nil, [1], [1], nil] as [[UInt8]?]
        let isTold = answers.map { orders.receive(LogOrders(configuration: $0), asked: 0) }
        #expect(isTold == [true, false, true, false, true])
    }

    @Test func `requests count from when they were asked for until the log may have forgotten them`() {
        var orders = OperatorOrders()
        #expect(orders.requests(at: 0, timing) == nil)
        _ = orders.receive(LogOrders(handOver: 7), asked: 100)
        #expect(orders.requests(at: 6100, timing)?.handOver == 7)
        #expect(orders.requests(at: 6101, timing) == nil)
    }
}
