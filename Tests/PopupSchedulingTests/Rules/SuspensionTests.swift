import PopupScheduling
import Testing

@Suite struct SuspensionTests {
    @Test func `popups below the minimum priority are not shown, and an active one is paused`() {
        Timeline()
            .show("A", priority: 2, duration: 100)
            .at(10).suspend("t", below: 3)
            .at(20).show("B", priority: 2).show("C", priority: 3, duration: 10)
            .at(40).peek()
            .at(50).resume("t")
            .gives(
                """
                0 shown A
                10 paused A
                20 queued B
                20 shown C
                30 closed C TIMED_OUT
                40 peek A paused, B waiting
                50 resumed A
                140 closed A TIMED_OUT
                140 shown B
                """)
    }

    @Test func `without a minimum all popups are held back`() {
        Timeline()
            .show("A", priority: .max, interruptible: false)
            .at(10).suspend("t")
            .at(20).show("B", priority: .max)
            .at(30).resume("t")
            .gives(
                """
                0 shown A
                10 paused A
                20 queued B
                30 resumed A
                """)
    }

    @Test func `the next eligible popup takes the slot at once`() {
        Timeline()
            .policy { $0.gap = 50...50 }
            .show("A", priority: 9).show("B", priority: 5)
            .at(5).update("A", priority: 6)
            .at(10).update("B", priority: 8, interruptible: false)
            .at(20).suspend("t", below: 9)
            .at(30).suspend("t", below: 7)
            .gives(
                """
                0 shown A
                0 queued B
                5 updated A
                10 updated B
                10 paused A
                10 shown B
                20 paused B
                30 resumed B
                """)
    }

    @Test func `all tokens must be released`() {
        Timeline()
            .suspend("t").suspend("u", in: "*", below: 5)
            .show("A")
            .at(10).explain("A").resume("t").explain("A")
            .at(20).resume("u")
            .gives(
                """
                0 queued A
                10 explain A waiting: suspended t u
                10 explain A waiting: suspended u
                20 shown A
                """)
    }

    @Test func `the same token again replaces its suspension completely`() {
        Timeline()
            .suspend("t", in: "x")
            .show("A", in: "x").show("B", in: "y")
            .at(10).suspend("t", in: "y")
            .at(20).suspend("t", in: "y", below: -5)
            .gives(
                """
                0 x: queued A
                0 y: shown B
                10 x: shown A
                10 y: paused B
                20 y: resumed B
                """)
    }

    @Test func `resuming an unknown token has no effect`() {
        Timeline().suspend("t").show("A").at(10).resume("u").at(20).resume("t").at(30).resume("t")
            .gives("0 queued A\n20 shown A")
    }

    @Test func `a pattern applies to the groups below it in byte order, and to later ones`() {
        Timeline()
            .show("C", in: "s/c").show("A", in: "s/a").show("S", in: "s").show("X", in: "s-x").show("D", in: "s/a/d")
            .at(10).suspend("t", in: "s/*")
            .at(20).show("B", in: "s/b")
            .at(30).resume("t")
            .gives(
                """
                0 s/c: shown C
                0 s/a: shown A
                0 shown S
                0 s-x: shown X
                0 s/a/d: shown D
                10 s/a: paused A
                10 s/a/d: paused D
                10 s/c: paused C
                20 s/b: queued B
                30 s/a: resumed A
                30 s/a/d: resumed D
                30 s/b: shown B
                30 s/c: resumed C
                """.replacing("0 shown S", with: "0 s: shown S"))
    }

    @Test func `it uses the popup's own priority, even if the policy ignores it`() {
        Timeline()
            .policy(.fifo)
            .suspend("t", below: 3)
            .show("A", priority: 2).show("B", priority: 3)
            .gives(
                """
                0 queued A
                0 shown B
                """)
    }

    @Test func `the end of a suspension is no arrival: only a strictly higher popup preempts, under stop and pause`() {
        for higher in Policy.Interruption.allCases {
            let lines =
                switch higher {
                case .stop: "\n20 closed B PREEMPTED\n20 resumed A"
                case .pause: "\n20 paused B\n20 resumed A"
                case .defer, .never: ""
                }
            Timeline()
                .policy { $0.higher = higher }
                .show("A", priority: 5)
                .at(5).suspend("t", in: "*")
                .at(6).suspend("u", below: 9).show("B", priority: 4, exclusive: .none)
                .at(7).resume("t").resume("u")
                .at(8).dismiss("A")
                .gives(
                    """
                    0 shown A
                    5 paused A
                    6 queued B
                    7 resumed A
                    8 closed A DISMISSED
                    8 shown B
                    """)
            Timeline()
                .policy { $0.higher = higher }
                .suspend("t", below: 7)
                .show("A", priority: 6)
                .at(10).show("B", priority: 1, exclusive: .group)
                .at(15).show("C", priority: 6)
                .at(20).resume("t")
                .gives(
                    "0 queued A\n10 closed A SUPERSEDED\n10 shown B\n15 queued C"
                        + lines.replacing("resumed A", with: "shown C"))
        }
    }

    @Test func `a promotion by the end of a suspension waits for the minimum display time`() {
        Timeline()
            .suspend("t", below: 7)
            .show("A", priority: 1, minDisplay: 100, exclusive: .group)
            .at(15).show("B", priority: 5).show("C", priority: 6)
            .at(20).resume("t")
            .at(30).dismiss("C")
            .gives(
                """
                0 shown A
                15 queued B
                15 queued C
                30 closed C DISMISSED
                100 paused A
                100 shown B
                """)
    }

    @Test func `time to live and delay continue`() {
        Timeline()
            .suspend("t")
            .show("A", ttl: 50).show("B", delay: 30)
            .at(60).resume("t")
            .gives(
                """
                0 queued A
                0 queued B
                50 closed A EXPIRED
                60 shown B
                """)
    }

    @Test func `a popup that it paused is resumed with its remaining time`() {
        Timeline().show("A", duration: 100).at(30).suspend("t").at(500).resume("t")
            .gives(
                """
                0 shown A
                30 paused A
                500 resumed A
                570 closed A TIMED_OUT after 100
                """, .displayed)
    }
}
