import PopupProtocol
import Testing
import TestPrograms
import TestSupport

@Suite("A storm of garbage", .ownThread)
struct StormTests {
    @Test("does not lose, change or reorder what others send")
    func storm() throws {
        let broker = try BrokerProcess()
        let vandal = try broker.wire()
        let producer = try broker.wire(following: "events/", "state/")
        var generator = SplitMix64(seed: 17)
        let whole = Array(show("broken", in: "g", #""priority":9,"text":"some content""#).utf8)
        for round in 0..<200 {
            for _ in 0..<25 { try vandal.send(frames: garbage(from: whole, using: &generator)) }
            try producer.send(show("P\(round)", in: "g"))
        }
        try producer.wait(for: "all popups") { $0.events(of: "g").count { !$0.words.contains("refused") } >= 200 }
        try vandal.settle()
        try producer.settle()

        let accepted = producer.events.filter { !$0.words.contains("refused") }
        #expect(accepted.map(\.words) == ["P0 shown"] + (1..<200).map { "P\($0) queued" })
        #expect(producer.states.last?.words == "P0 +199")
        #expect(try producer.ask(#""stats":{}"#).stats.refused == 5000)
        // The log tells of some of it only.
        let lines = broker.process.output.text(.error).split(separator: "\n").count
        #expect(1..<1000 ~= lines)
        #expect(try broker.terminate().exit == .code(0))
    }

    /// A frame cut off, bytes of chance, a byte changed where it matters, or too many frames.
    private func garbage(from whole: [UInt8], using generator: inout SplitMix64) -> [[UInt8]] {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return [Array(whole.prefix(.random(in: 0..<whole.count, using: &generator)))]
        case 1:
            let count = Int.random(in: 1..<2000, using: &generator)
            // No group has such a name: whatever this looks like, it is no command.
            return [[0x1A] + (0..<count).map { _ in .random(in: 0x80...0xFF, using: &generator) }]
        case 2:
            var frame = whole
            frame[.random(in: 0..<8, using: &generator)] = 0x00
            return [frame]
        default:
            return (0..<Int.random(in: 3..<12, using: &generator)).map { _ in whole }
        }
    }
}
