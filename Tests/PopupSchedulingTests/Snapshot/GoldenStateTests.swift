import PopupScheduling
import Testing

/// States that were written once stay readable, and a change of their format can't go unnoticed.
@Suite struct GoldenStateTests {
    @Test func `the state has the bytes of version 8`() {
        let subject = SchedulerSubject(limits: Limits(), seed: 42)
        Timeline.everything.play(on: subject)
        #expect(
            subject.state == GoldenState.version8,
            """
            The format of the state is another, or what the script in RichState.swift leads to. Raise \
            `Scheduler.stateVersion`, keep reading what version 8 wrote, and keep these bytes beside the old ones:
            \(GoldenState.lines(of: subject.state))
            """)
    }

    @Test(
        arguments: [
            GoldenState.version1, GoldenState.version2, GoldenState.version3, GoldenState.version4,
            GoldenState.version5, GoldenState.version6, GoldenState.version7,
            GoldenState.version8,
        ])
    func `states of older versions are read, and continue as before`(state: [UInt8]) throws {
        let lines = Timeline.queries.run(on: try SchedulerSubject(restoring: state))
        #expect(
            GoldenState.digest(of: lines) == GoldenState.digestOfVersion1,
            """
            What was written is read as another state, or the rules are others. It said then:
            \(lines.joined(separator: "\n"))
            """)
    }

    @Test(arguments: [GoldenState.version1, GoldenState.version3, GoldenState.version7])
    func `accounts of an older version are those of clients without a key where users have shares`(state: [UInt8])
        throws
    {
        var limits = Limits()
        limits.usersHaveShares = true
        let (without, with) = (
            try SchedulerSubject(restoring: state), try SchedulerSubject(restoring: state, limits: limits)
        )
        #expect(with.complaints() == [])
        #expect(with.state == without.state)
        let request = Instruction.Request(id: "further", group: "g", producer: ProducerID(high: 7, low: 9))
        for user in ["", "one"] {
            _ = with.perform(.show(request), from: nil, of: user, at: 1350)
            #expect(with.complaints() == [])
        }
    }

    /// Version 3 wrote the end of a hold also for a flow of which a member had taken the slot since.
    @Test func `a hold that a member has ended is not restored from an older version`() throws {
        let flows = GoldenState.bytes("016800018439060166000008")
        let withHold = GoldenState.bytes("0168000184390601660001843908")
        let start = try #require(
            GoldenState.version3.indices.first { GoldenState.version3[$0...].starts(with: flows) })
        var state = GoldenState.version3
        state.replaceSubrange(start..<start + flows.count, with: withHold)
        let (plain, held) = (
            try SchedulerSubject(restoring: GoldenState.version3), try SchedulerSubject(restoring: state)
        )
        #expect(plain.state == held.state)
    }
}
