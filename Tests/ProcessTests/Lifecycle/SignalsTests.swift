import Glibc
import PopupProtocol
import Testing
import TestPrograms

@Suite("A broker", .ownThread)
struct SignalsTests {
    @Test("that is asked to end ends well and leaves its ports free", arguments: [SIGTERM, SIGINT])
    func termination(signal: Int32) throws {
        // No ports that the system gives to others as soon as they are free.
        let broker = try BrokerProcess(ingress: FreePort.endpoint(), egress: FreePort.endpoint())
        let wire = try broker.wire(following: "state/")
        try wire.send(show("A", in: "g", #""durationMs":60000"#))
        try wire.state("A", of: "g")

        let result = try broker.terminate(signal)
        #expect(result.exit == .code(0))
        #expect(
            result.lines == [
                "popup-broker ready ingress=\(broker.ingress) egress=\(broker.egress) epoch=\(broker.epoch)"
            ])

        try wire.wait(for: "the loss of the broker") { !$0.isHeard }
        let next = try BrokerProcess(ingress: broker.ingress, egress: broker.egress)
        #expect(next.ingress == broker.ingress)
        #expect(next.egress == broker.egress)
        #expect(next.epoch > broker.epoch)
        // The client finds it, and knows the new state by its epoch.
        try wire.waitForBroker()
        try wire.send(show("B", in: "g"))
        let state = try wire.state("B", of: "g")
        #expect(state.epoch == next.epoch)
        #expect(state.revision == 1)
    }

    @Test("whose port is taken says so in one sentence and ends", arguments: ["--ingress", "--egress"])
    func portInUse(option: String) throws {
        let broker = try BrokerProcess()
        let taken = option == "--ingress" ? broker.ingress : broker.egress
        let other = option == "--ingress" ? "--egress" : "--ingress"
        let result = try ChildProcess(Programs.broker, ["run", option, taken, other, "tcp://127.0.0.1:*"]).result()

        #expect(result.exit == .code(69))
        #expect(result.output == "")
        let errors = result.error.split(separator: "\n")
        #expect(errors.count == 1)
        #expect(errors.first?.contains("\(taken): the address is in use") == true)
        // The first one is none the worse for it.
        try broker.wire(following: "state/").settle()
    }

    @Test(
        "without an endpoint that can be bound says what is wrong",
        arguments: [
            ("tcp://192.0.2.1:5570", Int32(69)), ("udp://127.0.0.1:5570", 78), ("tcp://127.0.0.1:99999", 78),
        ])
    func badEndpoint(endpoint: String, code: Int32) throws {
        let result = try ChildProcess(
            Programs.broker,
            [
                "run", "--durability", "memory", "--set", "security.allowPlainNetwork=true", "--ingress", endpoint,
                "--egress", "tcp://127.0.0.1:*",
            ]
        ).result()

        #expect(result.exit == .code(code))
        #expect(result.output == "")
        #expect(result.error.split(separator: "\n").count == 1)
    }
}
