import PopupProtocol
import Testing
import TestPrograms

@Suite("A frame that means harm", .ownThread)
struct HostileFramesTests {
    let broker: BrokerProcess

    init() throws { broker = try BrokerProcess() }

    /// Numbers beyond each type of the schema, at each kind of place.
    private static let numbers: [String] = {
        let producer = #""producer":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa""#
        let huge = String(repeating: "9", count: 5000)
        return [
            #"{\#(producer),"sequence":"9223372036854775808","show":{"id":"x","group":"h","text":"hi"}}"#,
            #"{\#(producer),"sequence":9999999999999999999,"show":{"id":"x","group":"h","text":"hi"}}"#,
            #"{\#(producer),"sequence":\#(huge),"show":{"id":"x","group":"h","text":"hi"}}"#,
            show("x", in: "h", #""priority":9223372036854775808"#),
            show("x", in: "h", #""priority":-9223372036854775809"#),
            show("x", in: "h", #""durationMs":9223372036854775808"#),
            show("x", in: "h", #""ttlMs":18446744073709551616"#),
            show("x", in: "h", #""delayMs":9999999999999999999"#), show("x", in: "h", #""minDisplayMs":\#(huge)"#),
            show("x", in: "h", #""presentation":{"cornerRadius":9223372036854775808}"#),
            show("x", in: "h", #""priority":1e\#(huge)"#),
        ]
    }()

    @Test("by its numbers ends nothing, alone or in a batch, and what is beside it is shown")
    func numbers() throws {
        let wire = try broker.wire(following: "events/")
        for (index, frame) in Self.numbers.enumerated() {
            try wire.send(frame)
            try wire.send(#"{"commands":[\#(frame),\#(show("A\(index)", in: "g"))]}"#)
        }
        try wire.wait(for: "all popups") { $0.events(of: "g").count >= Self.numbers.count }
        // The first is a sequence like any other: shown once, and then known again.
        let others = wire.events(of: "h").map(\.words)
        #expect(others.count { $0 == "x shown" } == 1)
        #expect(others.count { $0 == "x refused INVALID" } == 2 * (Self.numbers.count - 2))
        #expect(try broker.terminate().exit == .code(0))
    }

    @Test(
        "by all characters comes back with them, whoever reads and writes JSON",
        .enabled(if: Python.hasZeroMQ, "python3 cannot import zmq; `make test` installs it"))
    func texts() throws {
        let result = try Python.start("texts.py", [broker.ingress, broker.egress]).result()
        #expect(result.exit == .code(0), "\(result.error)")
        #expect(result.lines == ["280"])
    }

    @Test("by hundreds of thousands of commands that are none holds nobody up and keeps no memory")
    func nonsense() throws {
        let vandal = try broker.wire()
        let good = try broker.wire(following: "events/")
        let before = try broker.process.residentBytes
        let junk = [
            "{\"commands\":[" + String(repeating: "1,", count: 65_000) + "1]}",
            "{\"commands\":[" + String(repeating: "{},", count: 43_000) + "{}]}",
            "{\"commands\":[" + String(repeating: #"{"show":{}},"#, count: 10_000) + "{}]}",
            "{\"x\":" + String(repeating: "[", count: 130_000),
        ]
        for round in 0..<10 {
            for frame in junk { try vandal.send(frame) }
            try good.send(show("P\(round)", in: "g"))
        }
        try good.wait(for: "all popups") { $0.events(of: "g").count >= 10 }
        try vandal.settle()

        #expect(try good.ask(#""stats":{}"#).stats.refused == 10 * (17 + 17 + 17 + 1))
        #expect(try broker.process.residentBytes - before < 64 << 20)
        #expect(try broker.terminate().exit == .code(0))
    }
}
