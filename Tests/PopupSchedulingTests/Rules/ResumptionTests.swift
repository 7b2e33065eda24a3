import PopupScheduling
import Testing

@Suite struct ResumptionTests {
    @Test func `a resumed popup has its remaining display time`() {
        Timeline()
            .show("A", duration: 100)
            .at(30).show("B", priority: 1, duration: 50)
            .at(40).remaining()
            .at(90).show("C", priority: 1, duration: 50)
            .at(95).remaining()
            .gives(
                """
                0 shown A
                30 paused A
                30 shown B
                40 remaining B 40 left, A 70 left
                80 closed B TIMED_OUT after 50
                80 resumed A
                90 paused A
                90 shown C
                95 remaining C 45 left, A 60 left
                140 closed C TIMED_OUT after 50
                140 resumed A
                200 closed A TIMED_OUT after 100
                """, .displayed)
    }

    @Test func `with restart a resumed popup has its whole display time`() {
        Timeline()
            .policy { $0.resumption = .restart }
            .show("A", duration: 100)
            .at(30).show("B", priority: 1, duration: 50)
            .at(90).show("C", priority: 1, duration: 50)
            .at(95).remaining()
            .gives(
                """
                0 shown A
                30 paused A
                30 shown B
                80 closed B TIMED_OUT after 50
                80 resumed A
                90 paused A
                90 shown C
                95 remaining C 45 left, A 100 left
                140 closed C TIMED_OUT after 50
                140 resumed A
                240 closed A TIMED_OUT after 140
                """, .displayed)
    }

    @Test func `a resumed popup without a display time has none`() {
        Timeline()
            .show("A").at(30).show("B", priority: 1, duration: 50).at(40).remaining()
            .at(500).dismiss("A", "ok")
            .gives(
                """
                0 shown A
                30 paused A
                30 shown B
                40 remaining B 40 left, A no end
                80 closed B TIMED_OUT after 50
                80 resumed A
                500 closed A DISMISSED ok after 450
                """, .displayed)
    }

    @Test func `nested pauses do not count as display time`() {
        Timeline()
            .policy(.lifo)
            .show("A", duration: 100)
            .at(10).show("B", duration: 100)
            .at(20).show("C", duration: 100)
            .at(30).dismiss("B", "no")
            .at(40).dismiss("C", "no")
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                20 paused B
                20 shown C
                30 closed B DISMISSED no after 10
                40 closed C DISMISSED no after 20
                40 resumed A
                130 closed A TIMED_OUT after 100
                """, .displayed)
    }

    @Test func `an attempt is a showing, not a resumption`() {
        Timeline()
            .show("A", duration: 100).at(30).show("B", priority: 1, duration: 50)
            .at(90).state()
            .gives(
                """
                0 shown A
                30 paused A
                30 shown B
                80 closed B TIMED_OUT
                80 resumed A
                90 state r3 active 0 since r3 60 left, 0 waiting, 0 paused
                150 closed A TIMED_OUT
                """)
    }
}
