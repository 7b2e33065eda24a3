import PopupScheduling
import Testing

@Suite struct CapTests {
    private func capped(_ caps: Cap...) -> Timeline { Timeline().policy { $0.caps = caps } }
    private func key(_ key: String, most: UInt32, window: UInt32) -> Cap {
        Cap(key: Array(key.utf8), most: most, window: window)
    }

    @Test func `at the cap popups wait until the window allows another`() {
        capped(Cap(most: 2, window: 100)).show("A", duration: 10).at(20).show("B", duration: 10)
            .at(40).show("C", duration: 10).show("D", duration: 10)
            .gives(
                """
                0 shown A
                10 closed A TIMED_OUT
                20 shown B
                30 closed B TIMED_OUT
                40 queued C
                40 queued D
                100 shown C
                110 closed C TIMED_OUT
                120 shown D
                130 closed D TIMED_OUT
                """)
    }

    @Test func `popups with other keys are not counted`() {
        capped(key("ad", most: 1, window: 100)).show("A", duration: 10, capKey: "ad")
            .show("B", priority: 5, duration: 10, capKey: "ad").show("C", duration: 10)
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed A TIMED_OUT
                10 shown C
                20 closed C TIMED_OUT
                100 shown B
                110 closed B TIMED_OUT
                """)
    }

    @Test func `every cap has to allow the popup`() {
        capped(key("ad", most: 1, window: 50), Cap(most: 2, window: 100))
            .show("A", duration: 10, capKey: "ad").at(10).show("B", duration: 10)
            .show("C", duration: 10, capKey: "ad")
            .gives(
                """
                0 shown A
                10 closed A TIMED_OUT
                10 shown B
                10 queued C
                20 closed B TIMED_OUT
                100 shown C
                110 closed C TIMED_OUT
                """)
    }

    @Test func `a paused popup is resumed whatever the caps`() {
        capped(Cap(most: 2, window: 100)).show("A").show("B", priority: 1).at(10).dismiss("B")
            .gives("0 shown A\n0 paused A\n0 shown B\n10 closed B DISMISSED\n10 resumed A")
    }

    @Test func `a popup that is allowed again preempts if it is strictly higher`() {
        capped(key("ad", most: 1, window: 100)).policy {
            $0.peers = .stop; $0.caps = [key("ad", most: 1, window: 100)]
        }
        .show("A", duration: 10, capKey: "ad").at(20).show("X")
        .show("B", capKey: "ad").show("C", priority: 1, capKey: "ad")
        .gives(
            """
            0 shown A
            10 closed A TIMED_OUT
            20 shown X
            20 queued B
            20 queued C
            100 paused X
            100 shown C
            """)
    }

    @Test func `an exclusive popup at the cap waits as an ordinary one`() {
        capped(Cap(most: 1, window: 100)).show("A", duration: 50).at(10).show("E", exclusive: .group)
            .gives("0 shown A\n10 queued E\n50 closed A TIMED_OUT\n100 shown E")
    }

    @Test func `an offered popup counts when it is shown`() {
        capped(Cap(most: 1, window: 100)).show("A", offer: 50).veto("A").show("B", offer: 50)
            .at(30).accept("B").show("C", key: "k").at(40).dismiss("B")
            .gives(
                """
                0 offered A
                0 closed A VETOED
                0 offered B
                30 shown B
                30 queued C
                40 closed B DISMISSED
                130 shown C
                """)
    }

    @Test func `a new policy's cap continues the count of the former cap with its key`() {
        capped(Cap(most: 2, window: 100)).show("A", duration: 10).at(20).show("B", duration: 10).show("C")
            .at(40).policy { $0.caps = [Cap(most: 1, window: 70), key("ad", most: 1, window: 500)] }
            .gives(
                """
                0 shown A
                10 closed A TIMED_OUT
                20 shown B
                20 queued C
                30 closed B TIMED_OUT
                90 shown C
                """)
    }

    @Test func `a new policy's cap continues with no showing that has left its window, in however many groups`() {
        let groups = (0...9).map { "h\($0)" }
        let first = groups.map { "0 \($0): shown A\($0)" }
        let closed = groups.map { "10 \($0): closed A\($0) TIMED_OUT" }
        let second = groups.map { "150 \($0): shown B\($0)" }
        let start = groups.reduce(Timeline().policy(for: "*") { $0.caps = [Cap(most: 1, window: 100)] }) {
            $0.show("A\($1)", in: $1, duration: 10)
        }
        .at(150).policy(for: "*") { $0.caps = [Cap(most: 1, window: 1000)] }
        groups.reduce(start) { $0.show("B\($1)", in: $1) }
            .gives((first + closed + second).joined(separator: "\n"))
    }

    @Test func `a policy without the cap shows the waiting popups`() {
        capped(Cap(most: 1, window: 100)).show("A", duration: 10).at(20).show("B").at(30).policy(.priority)
            .gives("0 shown A\n10 closed A TIMED_OUT\n20 queued B\n30 shown B")
    }

    @Test func `a replacement of the active popup is shown beyond the cap, and counted`() {
        capped(key("ad", most: 1, window: 100)).show("A", priority: 5, key: "k", capKey: "ad").show("W")
            .at(50).show("B", priority: 5, duration: 10, key: "k", capKey: "ad").show("C", priority: 9, capKey: "ad")
            .gives(
                """
                0 shown A
                0 queued W
                50 closed A REPLACED
                50 shown B
                50 queued C
                60 closed B TIMED_OUT
                60 shown W
                150 paused W
                150 shown C
                """)
    }
}
