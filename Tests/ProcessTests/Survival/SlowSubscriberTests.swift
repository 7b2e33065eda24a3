import Foundation
import PopupProtocol
import Testing

@Suite("A renderer that reads nothing until its queue in the broker is full", .ownThread)
struct SlowSubscriberTests {
    @Test("holds nobody up, and shows what is shown once it reads again")
    func highWaterMark() throws {
        let stage = try Stage(
            policies: #"  - {group: "*", higher: STOP}"# + "\n", settings: ["egress.highWaterMark=10"])
        try stage.startBroker()
        try stage.start("slow", "renderer", "*", "keep")
        let wire = try stage.wire(following: "state/small/")
        try wire.send(show("first", in: "large/0"))
        try stage.facts.wait(for: "the renderer to follow") { $0.screens["slow large/0"] == "first" }

        stage.signal("slow", SIGSTOP)
        // Far more than the system's buffers and both queues hold, and a last message for each group.
        var command = WireCommand()
        command.show.exclusive = .group
        command.show.data = .init(repeating: 0x78, count: 60_000)
        for number in 0..<400 {
            command.show.id = "L\(number)"
            command.show.group = "large/\(number % 8)"
            try wire.send(frames: [try WireEncoding.binary.encode(command)])
            try wire.send(show("S\(number)", in: "small", #""exclusive":"GROUP""#))
            try wire.state("S\(number)", of: "small")
        }
        #expect(wire.states(of: "small").map(\.revision) == Array(1...400))
        stage.signal("slow", SIGCONT)

        try stage.facts.wait(for: "the renderer to show what is shown", before: .after(.seconds(120))) { facts in
            facts.screens["slow small"] == "S399"
                && (392..<400).allSatisfy { facts.screens["slow large/\($0 % 8)"] == "L\($0)" }
        }
        // It did miss something: otherwise nothing was tested.
        let shown = Set(stage.facts.now.shown.map(\.id))
        #expect(!(0..<400).allSatisfy { shown.contains("L\($0)") && shown.contains("S\($0)") })
    }
}
