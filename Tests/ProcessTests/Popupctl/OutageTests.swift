import Glibc
import Testing

@Suite("popupctl events in an outage of the broker", .ownThread)
struct OutageTests {
    @Test("says that the broker is gone and that it is back, on standard error, and goes on")
    func events() throws {
        let stage = try Stage(policies: #"  - {group: "*"}"# + "\n")
        let control = Control(broker: try stage.startBroker())
        let events = try control.start(["events", "lobby"])
        try untilPrinted("before", by: events, on: stage)

        try stage.killBroker()
        let gone = "popupctl: no broker at \(stage.egress) any more; waiting for it\n"
        try events.waitForLog(gone)
        try stage.startBroker()
        let back = "popupctl: the broker at \(stage.egress) is back; events in between may be missing\n"
        try events.waitForLog(back)
        try untilPrinted("after", by: events, on: stage)

        events.signal(SIGTERM)
        // A busy machine may make a heartbeat late once more.
        #expect(try events.result().error.hasPrefix(gone + back))
    }

    /// Sends popups until an event of one of them is printed: the command has subscribed by then.
    private func untilPrinted(_ name: String, by events: ChildProcess, on stage: Stage) throws {
        let wire = try stage.wire(following: "events/lobby/")
        let deadline = Deadline.standard
        var round = 0
        while !events.output.text(.standard).contains(#""popup":"\#(name)-"#) {
            try #require(!deadline.isOver, "no event is printed")
            round += 1
            try wire.send(show("\(name)-\(round)", in: "lobby", #""exclusive":"GROUP""#))
            try wire.settle()
        }
    }
}
