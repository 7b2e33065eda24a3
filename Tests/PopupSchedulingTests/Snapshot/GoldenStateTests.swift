import PopupScheduling
import Testing

/// States that were written once stay readable, and a change of their format can't go unnoticed.
@Suite struct GoldenStateTests {
    @Test func `the state is written as version 4 writes it`() {
        let subject = SchedulerSubject(limits: Limits(), seed: 42)
        Timeline.everything.play(on: subject)
        #expect(
            subject.state == GoldenState.version4,
            """
            The format of the state is another, or what the script in RichState.swift leads to. Raise \
            `Scheduler.stateVersion`, keep reading what version 4 wrote, and keep these bytes beside the old ones:
            \(GoldenState.lines(of: subject.state))
            """)
    }

    @Test(arguments: [GoldenState.version1, GoldenState.version2, GoldenState.version3, GoldenState.version4])
    func `what older versions wrote is read, and goes on as it did`(state: [UInt8]) throws {
        let lines = Timeline.questions.run(on: try SchedulerSubject(restoring: state))
        #expect(
            GoldenState.digest(of: lines) == GoldenState.digestOfVersion1,
            """
            What was written is read as another state, or the rules are others. It said then:
            \(lines.joined(separator: "\n"))
            """)
    }
}
