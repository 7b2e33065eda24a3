import PopupScheduling
import Testing

/// The five presets on the same four popups.
@Suite struct PresetTests {
    private func script(_ policy: Policy) -> Timeline {
        Timeline()
            .policy(policy)
            .at(0).show("A", priority: 1, duration: 100)
            .at(10).show("B", priority: 2, duration: 100)
            .at(20).show("C", priority: 2, duration: 100)
            .at(30).show("D", priority: 0, duration: 100)
    }

    @Test func `priority: higher interrupts, equals one after the other`() {
        script(.priority).gives(
            """
            0 shown A
            10 paused A
            10 shown B
            20 queued C
            30 queued D
            110 closed B TIMED_OUT
            110 shown C
            210 closed C TIMED_OUT
            210 resumed A
            300 closed A TIMED_OUT
            300 shown D
            400 closed D TIMED_OUT
            """)
    }

    @Test func `priority is the policy of a group without one`() {
        Timeline()
            .show("A", priority: 1).at(10).show("B", priority: 2).at(20).show("C", priority: 2)
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                20 queued C
                """)
    }

    @Test func `fifo: first in, first out`() {
        script(.fifo).gives(
            """
            0 shown A
            10 queued B
            20 queued C
            30 queued D
            100 closed A TIMED_OUT
            100 shown B
            200 closed B TIMED_OUT
            200 shown C
            300 closed C TIMED_OUT
            300 shown D
            400 closed D TIMED_OUT
            """)
    }

    @Test func `lifo: the newest is shown, the interrupted one is resumed`() {
        script(.lifo).gives(
            """
            0 shown A
            10 paused A
            10 shown B
            20 paused B
            20 shown C
            30 paused C
            30 shown D
            130 closed D TIMED_OUT
            130 resumed C
            220 closed C TIMED_OUT
            220 resumed B
            310 closed B TIMED_OUT
            310 resumed A
            400 closed A TIMED_OUT
            """)
    }

    @Test func `polite: priority only orders the queue`() {
        script(.polite).gives(
            """
            0 shown A
            10 queued B
            20 queued C
            30 queued D
            100 closed A TIMED_OUT
            100 shown B
            200 closed B TIMED_OUT
            200 shown C
            300 closed C TIMED_OUT
            300 shown D
            400 closed D TIMED_OUT
            """)
    }

    @Test func `stacked: the timer of an interrupted popup starts over`() {
        script(.stacked).gives(
            """
            0 shown A
            10 paused A
            10 shown B
            20 paused B
            20 shown C
            30 queued D
            120 closed C TIMED_OUT
            120 resumed B
            220 closed B TIMED_OUT
            220 resumed A
            320 closed A TIMED_OUT
            320 shown D
            420 closed D TIMED_OUT
            """)
    }
}
