@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import Testing

@Suite("The log of ids that are forgotten early")
struct ForgettingLogTests {
    private let limits: Limits = {
        var limits = Limits()
        limits.maxIDs = 100
        limits.deduplicationWindow = 10_000
        return limits
    }()

    @Test("has one line each time that it begins, with the window, and none as long as it goes on")
    func once() {
        let kept = LogLines()
        var log = ForgettingLog(logger: kept.logger)
        for window in [10_000, 9000, 500, 9999, 10_000, 20_000, 700] as [Milliseconds] {
            log.log(window: window, of: limits)
        }
        let lines = kept.all
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix("warning ids of closed popups are forgotten early: ") })
        #expect(lines.first?.hasSuffix(" deduplicationWindowMs=10000 maxIDs=100 windowMs=9000") == true)
        #expect(lines.last?.hasSuffix(" deduplicationWindowMs=10000 maxIDs=100 windowMs=700") == true)
    }

    @Test("has its line when a broker that remembers few ids closes more, with the window of the statistics")
    func broker() throws {
        let kept = LogLines()
        var configuration = BrokerConfiguration()
        configuration.scheduling.maxIDs = 4
        configuration.scheduling.deduplicationWindow = 60_000
        let broker = try Harness(configuration, log: kept)
        func lines() -> [String] { kept.all.filter { $0.contains("forgotten early") } }
        for number in 0..<4 {
            try broker.send(#"{"show":{"id":"p\#(number)","group":"g","durationMs":1}}"#)
            try broker.advance(by: 1000)
        }
        #expect(lines() == [])
        for number in 4..<8 {
            try broker.send(#"{"show":{"id":"p\#(number)","group":"g","durationMs":1}}"#)
            try broker.advance(by: 1000)
        }
        #expect(lines().count == 1)
        #expect(broker.stats.rememberedWindowMs < 60_000)
        // All are over their time by then: it can begin anew.
        try broker.advance(by: 120_000)
        for number in 10..<20 {
            try broker.send(#"{"show":{"id":"p\#(number)","group":"g","durationMs":1}}"#)
            try broker.advance(by: 1000)
        }
        #expect(lines().count == 2)
    }
}
