@testable import PopupBroker
import PopupProtocol
import Testing

@Suite("The log of refusals")
struct RefusalLogTests {
    @Test("has so many lines a second at most, and tells how many it left out")
    func rateLimit() {
        let kept = LogLines()
        var log = RefusalLog(logger: kept.logger, linesPerSecond: 2)
        for index in 1...5 { log.log(.invalid, "number \(index)", group: "g", popup: "", at: 1000) }
        log.log(.malformed, "later", group: "", popup: "A", at: 2000)
        #expect(
            kept.all == [
                "warning command refused detail=number 1 group=g reason=INVALID",
                "warning command refused detail=number 2 group=g reason=INVALID",
                "warning refusals not logged count=3",
                "warning command refused detail=later popup=A reason=MALFORMED",
            ])
    }
}
