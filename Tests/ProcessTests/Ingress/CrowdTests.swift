import Foundation
import PopupProtocol
import Foundation
import PopupProtocol
import Testing
import TestPrograms

@Suite("A crowd", .ownThread)
struct CrowdTests {
    @Test("of 200 producers that connect, send once and leave is served in full")
    func comingAndGoing() throws {
        let broker = try BrokerProcess()
        let observer = try broker.wire(following: "events/")
        for number in 0..<200 {
            let producer = try Wire(connectingTo: broker.ingress, broker.egress)
            try producer.waitForBroker()
            try producer.send(show("P\(number)", in: "crowd/\(number)"))
        }
        try observer.wait(for: "all popups") { $0.events.count >= 200 }

        #expect(Set(observer.events.map(\.words)) == Set((0..<200).map { "P\($0) shown" }))
    }

    @Test("of 200 producers finds its way back to a broker that was started again")
    func restart() throws {
        let folder = try TemporaryDirectory()
        let (ingress, egress) = ("ipc://\(folder.path("in"))", "ipc://\(folder.path("out"))")
        let first = try BrokerProcess(ingress: ingress, egress: egress)
        let producers = try (0..<200).map { _ in try Wire(connectingTo: ingress, egress) }
        for producer in producers { try producer.waitForBroker() }

        #expect(try first.terminate().exit == .code(0))
        for producer in producers { try producer.wait(for: "the loss of the broker") { !$0.isHeard } }
        let second = try BrokerProcess(ingress: ingress, egress: egress)
        #expect(second.epoch > first.epoch)
        let observer = try second.wire(following: "state/")
        for (number, producer) in producers.enumerated() {
            try producer.waitForBroker()
            try producer.send(show("P\(number)", in: "crowd/\(number)"))
        }
        try observer.wait(for: "all popups") { Set($0.states.map(\.words)).count >= 200 }

        #expect(observer.states.allSatisfy { $0.epoch == second.epoch && $0.revision == 1 })
    }

    @Test("with one that never reads does not wait for it")
    func deafSubscriber() throws {
        let broker = try BrokerProcess(arguments: ["--set", "egress.highWaterMark=100"])
        let deaf = try Wire(connectingTo: broker.ingress, broker.egress, receiving: 1)
        try deaf.subscribe(to: "")
        let observer = try broker.wire(following: "state/g/")
        // Far more than the buffers of the system and of both queues hold together.
        var command = WireCommand()
        command.show.group = "g"
        command.show.exclusive = .group
        command.show.data = .init(repeating: 0x78, count: 60_000)
        for number in 0..<400 {
            command.show.id = "P\(number)"
            try observer.send(frames: [try WireEncoding.binary.encode(command)])
            try observer.state(command.show.id, of: "g")
        }
        try observer.settle()

        #expect(Set(observer.states.map(\.words)).count == 400)
        #expect(try observer.ask(#""count":{}"#).count.popups == 1)
    }
}
