import PopupAccess
@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import Testing

@Suite("The producers that are active")
struct ActiveProducersTests {
    private static let flood = ActiveProducers.Sender.connection(ConnectionID(1))
    private static let other = ActiveProducers.Sender.connection(ConnectionID(2))

    /// The table, with the numbers of producers for their names.
    private struct Table {
        var producers = ActiveProducers(capacity: 10, silence: 60_000)

        mutating func begin(_ numbers: ClosedRange<UInt64>, from sender: ActiveProducers.Sender?, at now: Milliseconds)
            -> [ActiveProducers.Refusal?]
        {
            numbers.map { producers.begin(ProducerName(high: $0, low: 0), from: sender, at: now) }
        }

        mutating func end(_ number: UInt64, at time: Milliseconds) {
            producers.end(ProducerName(high: number, low: 0), at: time)
        }
    }

    @Test("fill the table for one sender only so far that others find a place")
    func shares() {
        var table = Table()
        #expect(table.begin(1...9, from: Self.flood, at: 0).allSatisfy { $0 == nil })
        #expect(table.begin(10...11, from: Self.flood, at: 0) == [.share, .share])
        #expect(table.begin(12...13, from: Self.other, at: 0) == [nil, .full])
        // Who has a place may always go on.
        #expect(table.begin(1...9, from: Self.flood, at: 0).allSatisfy { $0 == nil })
        #expect(table.producers.count == 10)
    }

    @Test("leave their places when they have been silent for a minute, unless they were active again")
    func silence() {
        var table = Table()
        _ = table.begin(1...9, from: Self.flood, at: 0)
        _ = table.begin(10...10, from: Self.other, at: 0)
        table.end(1, at: 0)
        table.end(2, at: 10)
        #expect(table.begin(1...1, from: Self.flood, at: 30_000) == [nil])
        #expect(table.begin(11...11, from: Self.other, at: 60_009) == [.full])
        #expect(table.begin(11...12, from: Self.other, at: 60_010) == [nil, .full])
        table.end(1, at: 30_000)
        #expect(table.begin(12...12, from: Self.other, at: 90_000) == [nil])
    }

    @Test("count for the sender that made them active last; a user is one sender over all connections")
    func senders() throws {
        var table = Table()
        let user = ActiveProducers.Sender.user(try #require(UserName("freight")))
        _ = table.begin(1...9, from: Self.flood, at: 0)
        _ = table.begin(1...5, from: user, at: 0)
        #expect(table.begin(10...10, from: Self.flood, at: 0) == [nil])
        #expect(table.begin(11...11, from: nil, at: 0) == [.full])
    }
}

@Suite("The table of the producers that were active lately")
struct AckSchedulerTests {
    @Test("has space for as many as are remembered by default: nothing is copied for a new one")
    func space() {
        var scheduler = AckScheduler(capacity: BrokerLimits().maxProducers, silence: 60_000, at: 0)
        let space = scheduler.table.capacity
        for number in UInt64(1)...20_000 {
            #expect(scheduler.add(ProducerName(high: number, low: 0), from: nil, at: 0) == nil)
        }
        #expect(space >= BrokerLimits().maxProducers && scheduler.table.capacity == space)
    }
}

@Suite("The temporary refusals of all producers")
struct PassingRefusalsTests {
    @Test("are limited together; every producer keeps its last one")
    func together() throws {
        var scheduler = AckScheduler(capacity: 100, silence: 60_000, maxPassingTogether: 500, at: 0)
        var callers: [AckScheduler.Index] = []
        for number in UInt64(1)...100 {
            let name = ProducerName(high: number, low: 0)
            #expect(scheduler.add(name, from: nil, at: 0) == nil)
            let found = scheduler.recordActivity(of: name, at: 0)
            let caller = try #require(found)
            for sequence in UInt64(1)...300 {
                let refusal = AckScheduler.PassingRefusal(
                    sequence: sequence, reason: .overload, retryAfter: 1, detail: "", notedAt: 0)
                scheduler.add(refusal, of: caller)
            }
            callers.append(caller)
        }
        let kept = callers.map { scheduler[$0].passing.map(\.sequence) }
        #expect(kept[0].count == 256)
        #expect(kept.allSatisfy { $0.last == 300 && $0 == $0.sorted() })
        #expect(scheduler.passingCount == kept.map(\.count).reduce(0, +))
        #expect(scheduler.passingCount <= 600)
        for caller in callers { scheduler.removePassing(of: caller) { _ in true } }
        #expect(scheduler.passingCount == 0)
    }
}
