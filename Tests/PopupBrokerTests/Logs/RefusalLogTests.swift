@testable import PopupBroker
import PopupProtocol
import PopupScheduling
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

@Suite("The log of connections that the broker closes")
struct CutConnectionLogTests {
    private let kept = LogLines()

    private func cut(_ peer: String, _ reason: String = "no key") -> CutConnection {
        CutConnection(socket: "ingress", peer: peer, reason: reason)
    }

    @Test("tells a client that connects again and again once in ten seconds, and then how often it came")
    func repetitions() {
        var log = CutConnectionLog(logger: kept.logger, linesPerSecond: 10)
        for index in 0..<50 { log.log(cut("10.0.0.7:\(40_000 + index)"), at: 20_000 + Milliseconds(index) * 100) }
        log.log(cut("10.0.0.7:50000"), at: 30_000)
        #expect(
            kept.all == [
                "warning connection cut off peer=10.0.0.7:40000 reason=no key socket=ingress",
                "warning repeated cut connections not logged count=49",
                "warning connection cut off peer=10.0.0.7:50000 reason=no key socket=ingress",
            ])
    }

    @Test("tells other addresses and other reasons, so many lines a second at most")
    func others() {
        var log = CutConnectionLog(logger: kept.logger, linesPerSecond: 3)
        for peer in ["10.0.0.7", "10.0.0.8", "[fe80::7]:4000", "[fe80::8]:4000"] { log.log(cut(peer), at: 1000) }
        log.log(cut("10.0.0.7", "too much"), at: 2000)
        #expect(
            kept.all == [
                "warning connection cut off peer=10.0.0.7 reason=no key socket=ingress",
                "warning connection cut off peer=10.0.0.8 reason=no key socket=ingress",
                "warning connection cut off peer=[fe80::7]:4000 reason=no key socket=ingress",
                "warning cut connections not logged count=1",
                "warning connection cut off peer=10.0.0.7 reason=too much socket=ingress",
            ])
    }
}
