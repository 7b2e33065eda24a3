import Logging
@testable import PopupBroker
import PopupProtocol
import Synchronization
import Testing

@Suite("The log of refusals")
struct RefusalLogTests {
    private final class Lines: Sendable {
        let lines = Mutex<[String]>([])
    }

    private struct Recorder: LogHandler {
        let kept: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            kept.lines.withLock {
                $0.append("\(event.level) \(event.message) \(metadata.joined(separator: " "))")
            }
        }
    }

    @Test("has so many lines a second at most, and tells how many it left out")
    func rateLimit() {
        let kept = Lines()
        var log = RefusalLog(logger: Logger(label: "test") { _ in Recorder(kept: kept) }, linesPerSecond: 2)
        for index in 1...5 { log.note(.invalid, "number \(index)", group: "g", popup: "", at: 1000) }
        log.note(.malformed, "later", group: "", popup: "A", at: 2000)
        #expect(
            kept.lines.withLock { $0 } == [
                "warning command refused detail=number 1 group=g reason=INVALID",
                "warning command refused detail=number 2 group=g reason=INVALID",
                "warning refusals not logged count=3",
                "warning command refused detail=later popup=A reason=MALFORMED",
            ])
    }
}
