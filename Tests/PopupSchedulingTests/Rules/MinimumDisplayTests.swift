import PopupScheduling
import Testing

@Suite struct MinimumDisplayTests {
    @Test func `a newcomer that came too early takes the slot at its end`() {
        for (higher, line) in [(Policy.Interruption.pause, "paused A"), (.stop, "closed A PREEMPTED")] {
            Timeline()
                .policy { $0.higher = higher }
                .show("A", minDisplay: 100)
                .at(40).show("B", priority: 1).explain("B")
                .gives(
                    """
                    0 shown A
                    40 queued B
                    40 explain B waiting: minimumDisplay(60) A
                    100 \(line)
                    100 shown B
                    """)
        }
    }

    @Test func `a newcomer at its end is not early`() {
        Timeline()
            .show("A", minDisplay: 100)
            .at(100).show("B", priority: 1)
            .gives(
                """
                0 shown A
                100 paused A
                100 shown B
                """)
    }

    @Test func `newcomers of equal and lower priority that would have interrupted try again too`() {
        Timeline()
            .policy {
                $0.peers = .pause
                $0.lower = .pause
            }
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: -1)
            .gives(
                """
                0 shown A
                10 queued B
                100 paused A
                100 shown B
                """)
    }

    @Test func `the first of the queue that came too early takes the slot`() {
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: 1).at(20).show("C", priority: 2).at(30).show("D", priority: 2)
            .gives(
                """
                0 shown A
                10 queued B
                20 queued C
                30 queued D
                100 paused A
                100 shown C
                """)
    }

    @Test func `newcomers that are deferred in any case do not try again`() {
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).show("B").at(20).show("C", priority: -1)
            .gives(
                """
                0 shown A
                10 queued B
                20 queued C
                """)
    }

    @Test func `a newcomer tries again only if it would still interrupt`() {
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: 1)
            .at(20).update("A", priority: 1)
            .gives(
                """
                0 shown A
                10 queued B
                20 updated A
                """)
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: 1)
            .at(20).policy { $0.higher = .never }
            .gives(
                """
                0 shown A
                10 queued B
                """)
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: 1)
            .at(20).suspend("t", in: "*", below: 5)
            .at(30).resume("t")
            .gives(
                """
                0 shown A
                10 queued B
                20 paused A
                30 shown B
                """)
    }

    @Test func `if the first one is held back at the end, the next one takes the slot`() {
        let script = Timeline()
            .policy(.lifo)
            .show("A", priority: 5, minDisplay: 100)
            .at(10).show("B", priority: 1)
            .at(20).suspend("t", below: 3)
        script.gives(
            """
            0 shown A
            10 queued B
            """)
        script.at(30).show("C", priority: 4).gives(
            """
            0 shown A
            10 queued B
            30 queued C
            100 paused A
            100 shown C
            """)
    }

    @Test func `a newcomer under never is rejected at once`() {
        Timeline()
            .policy { $0.higher = .never }
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: 1)
            .gives(
                """
                0 shown A
                10 closed B REJECTED
                """)
    }

    @Test func `advance waits for its end, before any newcomer`() {
        Timeline()
            .policy { $0.gap = 50...50 }
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: 1)
            .at(20).advance()
            .at(30).advance()
            .gives(
                """
                0 shown A
                10 queued B
                100 closed A ADVANCED
                150 shown B
                """)
    }

    @Test func `a dismissal, the duration, clear, exclusive popups and replacement do not wait`() {
        let script = Timeline().show("A", duration: 60, minDisplay: 100, key: "k").at(10)
        script.dismiss("A", "ok").gives("0 shown A\n10 closed A DISMISSED ok")
        script.clear().gives("0 shown A\n10 closed A CLEARED")
        script.show("X", exclusive: .group).gives("0 shown A\n10 closed A SUPERSEDED\n10 shown X")
        script.show("X", key: "k").gives("0 shown A\n10 closed A REPLACED\n10 shown X")
        script.gives("0 shown A\n60 closed A TIMED_OUT")
    }

    @Test func `a suspension pauses the popup nevertheless`() {
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).suspend("t")
            .at(20).resume("t")
            .at(30).show("B", priority: 1)
            .gives(
                """
                0 shown A
                10 paused A
                20 resumed A
                30 queued B
                120 paused A
                120 shown B
                """)
    }

    @Test func `it starts over with each activation, and earlier attempts no longer count`() {
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: 1, duration: 10)
            .at(20).advance()
            .at(30).suspend("t", below: 1)
            .at(200).resume("t")
            .gives(
                """
                0 shown A
                10 queued B
                30 paused A
                30 shown B
                40 closed B TIMED_OUT
                200 resumed A
                """)
    }

    @Test func `a promotion that came too early is repeated at its end as well`() {
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).show("B")
            .at(20).update("B", priority: 1)
            .gives(
                """
                0 shown A
                10 queued B
                20 updated B
                100 paused A
                100 shown B
                """)
    }

    @Test func `a promotion is repeated only while strictly higher, a newcomer by the whole policy`() {
        let policy = { (policy: inout Policy) in policy.peers = .pause }
        Timeline()
            .policy(.priority, policy)
            .show("A", priority: 1, minDisplay: 100, interruptible: false)
            .at(10).show("B")
            .at(20).update("A", interruptible: true)
            .at(30).update("B", priority: 2)
            .at(40).update("A", priority: 2)
            .gives(
                """
                0 shown A
                10 queued B
                20 updated A
                30 updated B
                40 updated A
                """)
        Timeline()
            .policy(.priority, policy)
            .show("A", priority: 1, minDisplay: 100)
            .at(10).show("B", priority: 2)
            .at(40).update("A", priority: 2)
            .gives(
                """
                0 shown A
                10 queued B
                40 updated A
                100 paused A
                100 shown B
                """)
    }

    @Test func `an update does not turn a newcomer into a promotion`() {
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: 3)
            .at(20).update("A", priority: 1)
            .at(30).policy(.lifo)
            .gives(
                """
                0 shown A
                10 queued B
                20 updated A
                100 paused A
                100 shown B
                """)
    }

    @Test func `a popup that has become uninterruptible keeps the slot`() {
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: 1)
            .at(20).update("A", interruptible: false)
            .at(200).update("A", interruptible: true)
            .gives(
                """
                0 shown A
                10 queued B
                20 updated A
                200 updated A
                200 paused A
                200 shown B
                """)
    }
}
