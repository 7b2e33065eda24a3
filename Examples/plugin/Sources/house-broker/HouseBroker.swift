import Dispatch
import HouseRules
import PopupBroker
import PopupJournal
import PopupProtocol
import ZeroMQTransport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A broker with the rules of the house: `house-broker [INGRESS EGRESS]`.
@main
struct HouseBroker {
    static func main() async throws {
        var configuration = BrokerConfiguration()
        if CommandLine.arguments.count == 3 {
            configuration.endpoints = BrokerEndpoints(
                ingress: CommandLine.arguments[1], egress: CommandLine.arguments[2])
        }
        let answers = AnswerCount()
        let broker = try Broker(
            configuration: configuration, transport: ZeroMQTransport(endpoints: configuration.endpoints),
            journal: MemoryJournal(), plugins: [PriorityCap(caps), answers])
        let signals = stopOnSignals(broker)
        try await broker.run { ready in
            write("house-broker ready ingress=\(ready.endpoints.ingress) egress=\(ready.endpoints.egress)")
        }
        for signal in signals { signal.cancel() }
        for (answer, count) in answers.counts.sorted(by: {
            ($0.key.group, $0.key.action) < ($1.key.group, $1.key.action)
        }) {
            write("\(answer.group): \(answer.action) × \(count)")
        }
    }

    /// In public rooms nothing is more urgent than 50; elsewhere nothing is above 100.
    private static var caps: [PriorityCap.Cap] {
        [("public/*", 50), ("*", 100)].map { groups, most in
            PriorityCap.Cap(groups: GroupPattern(groups)!, most: most)
        }
    }

    private static func stopOnSignals(_ broker: Broker) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { broker.stop() }
            source.activate()
            return source
        }
    }

    /// A line at once, also into a pipe.
    private static func write(_ line: String) {
        print(line)
        fflush(nil)
    }
}
