import PopupScheduling
import Testing

@Suite struct VisibleClockTests {
    private let visible = Timeline().policy { $0.clock = .visible }

    @Test func `display time elapses only while a renderer reports it visible`() {
        visible.show("A", duration: 100).at(50).visible("A", by: "r1").at(80).hidden("A", by: "r1").remaining()
            .at(200).visible("A", by: "r1").at(210).remaining()
            .gives(
                """
                0 shown A
                80 remaining A 70 left
                210 remaining A 60 left
                270 closed A TIMED_OUT after 270
                """, [.displayed])
    }

    @Test func `displayed is not visible`() {
        visible.show("A", duration: 100).displayed("A", by: "r1").at(500).dismiss("A")
            .gives("0 shown A\n500 closed A DISMISSED")
    }

    @Test func `it elapses while any renderer reports it visible`() {
        visible.show("A", duration: 100).visible("A", by: "r1").at(10).visible("A", by: "r2").hidden("A", by: "r1")
            .at(60).hidden("A", by: "r2").at(100).visible("A", by: "r2")
            .gives("0 shown A\n140 closed A TIMED_OUT")
    }

    @Test func `after a resumption it does not elapse until it is visible again`() {
        visible.show("A", duration: 100).visible("A", by: "r1").at(30).show("B", priority: 1).at(40).dismiss("B")
            .at(100).remaining().visible("A", by: "r1")
            .gives(
                """
                0 shown A
                30 paused A
                30 shown B
                40 closed B DISMISSED
                40 resumed A
                100 remaining A 70 left
                170 closed A TIMED_OUT
                """)
    }

    @Test func `a lost renderer does not count as visible`() {
        visible.lease("r1").at(4000).show("A", duration: 5000).visible("A", by: "r1").displayed("A", by: "r2")
            .at(6000).visible("A", by: "r2")
            .gives("4000 shown A\n10000 closed A TIMED_OUT")
    }

    @Test func `the minimum display time does not depend on visibility`() {
        visible.show("A", duration: 100, minDisplay: 50).at(20).show("B", priority: 1)
            .gives("0 shown A\n20 queued B\n50 paused A\n50 shown B")
    }

    @Test func `a policy may change the clock`() {
        visible.show("A", duration: 100).at(50).policy(.priority).at(90).policy { $0.clock = .visible }
            .at(200).visible("A", by: "r1")
            .gives("0 shown A\n260 closed A TIMED_OUT")
    }

    @Test func `a dismissal below the quorum hides it on that renderer`() {
        visible.show("A", duration: 100, quorum: 2).visible("A", by: "r1").at(10).dismiss("A", by: "r1")
            .at(200).visible("A", by: "r2")
            .gives("0 shown A\n290 closed A TIMED_OUT")
    }
}
