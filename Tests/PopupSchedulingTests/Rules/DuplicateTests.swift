import PopupScheduling
import Testing

@Suite struct DuplicateTests {
    @Test func `the same id again changes nothing while live, wherever it is`() {
        Timeline()
            .show("A", priority: 1, duration: 100, content: "first")
            .at(10).show("W").show("D", delay: 50)
            .at(20).show("A", in: "other", priority: 9, exclusive: .all)
            .at(20).show("W", priority: 9).show("D", priority: 9)
            .at(30).content().state().peek("other")
            .gives(
                """
                0 shown A
                10 queued W
                10 queued D
                30 content first
                30 state r3 active 1 since r1 70 left, 2 waiting, 0 paused
                30 peek\(" ")
                100 closed A TIMED_OUT
                100 shown W
                """)
    }

    @Test func `the same id again changes nothing while remembered`() {
        Timeline()
            .show("A", duration: 50)
            .at(60).show("A")
            .at(50 + 86_400_000 - 1).show("A")
            .gives(
                """
                0 shown A
                50 closed A TIMED_OUT
                """)
    }

    @Test func `the id of a popup that was refused at a limit is not remembered`() {
        Timeline()
            .policy { $0.maxWaiting = 0 }
            .show("A", duration: 50)
            .at(10).show("B")
            .at(60).show("B")
            .gives(
                """
                0 shown A
                10 refused B OVERLOAD maxWaiting
                50 closed A TIMED_OUT
                60 shown B
                """)
    }
}
