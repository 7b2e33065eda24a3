import PopupBroker
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("A turn")
struct BatchBoundTests {
    private func bounded(to messages: Int) -> BrokerConfiguration {
        var configuration = BrokerConfiguration()
        configuration.limits.batchMessages = messages
        return configuration
    }

    private func batch(of count: Int, named prefix: String) -> [UInt8] {
        let commands = (0..<count).map { #"{"show":{"id":"\#(prefix)\#($0)","group":"\#(prefix)"}}"# }
        return Array(#"{"commands":[\#(commands.joined(separator: ","))]}"#.utf8)
    }

    @Test("takes no further message after as many commands as it may take messages")
    func commands() throws {
        let broker = try Harness(bounded(to: 10))
        for round in 0..<3 { broker.client.send(batch(of: 40, named: "b\(round)-")) }
        #expect(try broker.turnOnce())
        #expect(broker.stats.commands == 40)
        try broker.turn()
        #expect(broker.stats.commands == 120)
    }

    @Test("counts commands that come again, which nothing comes of")
    func repetitions() throws {
        let broker = try Harness(bounded(to: 10))
        let producer = String(repeating: "a", count: 32)
        let commands = (1...40).map { sequence in
            #"{"producer":"\#(producer)","sequence":"\#(sequence)","show":{"id":"P\#(sequence)","group":"g"}}"#
        }
        let frame = Array(#"{"commands":[\#(commands.joined(separator: ","))]}"#.utf8)
        broker.client.send(frame)
        try broker.turn()
        for _ in 0..<3 { broker.client.send(frame) }
        #expect(try broker.turnOnce())
        #expect(broker.stats.repetitions == 40)
        try broker.turn()
        #expect(broker.stats.repetitions == 120)
    }

    @Test("refuses the rest of a frame after as many commands as a frame may have that have to be decoded")
    func decoded() throws {
        let broker = try Harness(subscriptions: ["events+json/"])
        let resume = #"{"resume":{"token":"t"}}"#
        let most = Ingress.decodedCommands
        // What a broker decodes ahead, it keeps for the next turns.
        for (count, refused) in [(most, 0), (most + 1, 1), (most + 500, 1)] {
            let before = (commands: broker.stats.commands, refused: broker.stats.refused)
            let commands = repeatElement(resume, count: count).joined(separator: ",")
            try broker.send(#"{"commands":[\#(commands)]}"#)
            #expect(broker.stats.commands == before.commands + UInt64(most))
            #expect(broker.stats.refused == before.refused + UInt64(refused))
        }
        // An ordinary command counts only as what it is: some thousand fit.
        let before = broker.stats.commands
        for _ in 0..<2 { broker.client.send(batch(of: 2000, named: "o")) }
        try broker.turn()
        #expect(broker.stats.commands == before + 4000)
    }

    @Test("takes no further message after half a mebibyte, whatever is wrong with it")
    func bytes() throws {
        let broker = try Harness(bounded(to: 10_000))
        let junk = [UInt8(ascii: "{")] + [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        for _ in 0..<12 { broker.client.send(junk) }
        #expect(try broker.turnOnce())
        #expect(broker.stats.refused == 6)
        try broker.turn()
        #expect(broker.stats.refused == 12)
    }
}
