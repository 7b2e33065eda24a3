import PopupScheduling
import Testing

/// The revision counts the changes of what is broadcast of a group: one a step at most, the same for all its events.
@Suite struct RevisionTests {
    @Test func `every step that changes the active popup or the counts raises it by one`() {
        Timeline()
            .show("A").at(10).show("B", priority: 1, duration: 10).at(20).show("C").at(30).dismiss("C")
            .at(40).state()
            .gives(
                """
                0 r1 shown A
                10 r2 paused A
                10 r2 shown B
                20 r3 closed B TIMED_OUT
                20 r3 resumed A
                20 r4 queued C
                30 r5 closed C DISMISSED
                40 state r5 active 0 since r3 no end, 0 waiting, 0 paused
                """, .revision)
    }

    @Test func `a refused newcomer, an update of a waiting popup and a replacement in the queue do not change it`() {
        Timeline()
            .policy {
                $0.lower = .never
                $0.maxWaiting = 1
                $0.overflow = .dropLowest
            }
            .show("A", priority: 1)
            .at(10).show("B").at(20).show("W", priority: 1, key: "k").at(30).update("W", content: "x")
            .at(40).show("V", priority: 1, key: "k")
            .at(50).show("U", priority: 1)
            .at(60).state()
            .gives(
                """
                0 r1 shown A
                10 r1 closed B REJECTED
                20 r2 queued W
                30 r2 updated W
                40 r2 closed W REPLACED
                40 r2 queued V
                50 r0 refused U OVERLOAD maxWaiting
                60 state r2 active 1 since r1 no end, 1 waiting, 0 paused
                """, .revision)
    }

    @Test func `an update of the active popup raises it, and dismissals have to answer the new one`() {
        Timeline()
            .show("A", duration: 100).at(10).update("A", priority: 3, duration: 50).state()
            .gives(
                """
                0 r1 shown A
                10 r2 updated A
                10 state r2 active 3 since r2 40 left, 0 waiting, 0 paused
                50 r3 closed A TIMED_OUT
                """, .revision)
    }

    @Test func `a policy that changes the active popup's time raises it without an event`() {
        Timeline()
            .show("A", duration: 100).at(10).policy { $0.maxDuration = 50 }.state()
            .at(20).policy { $0.peers = .never }.state()
            .at(30).policy { $0.gap = 5...5 }.state()
            .gives(
                """
                0 r1 shown A
                10 state r2 active 0 since r1 40 left, 0 waiting, 0 paused
                20 state r3 active 0 since r1 80 left, 0 waiting, 0 paused
                30 state r3 active 0 since r1 70 left, 0 waiting, 0 paused
                100 r4 closed A TIMED_OUT
                """, .revision)
    }

    @Test func `a delayed popup that arrives and waits changes nothing that is broadcast`() {
        Timeline()
            .show("A").show("B", delay: 50).at(60).state()
            .gives(
                """
                0 r1 shown A
                0 r2 queued B
                60 state r2 active 0 since r1 no end, 1 waiting, 0 paused
                """, .revision)
    }

    @Test func `every group has its own revision`() {
        Timeline()
            .show("A", in: "a").show("B", in: "b").show("B2", in: "b")
            .at(10).show("X", in: "b", exclusive: .all)
            .gives(
                """
                0 r1 a: shown A
                0 r1 b: shown B
                0 r2 b: queued B2
                10 r2 a: closed A SUPERSEDED
                10 r3 b: closed B SUPERSEDED
                10 r3 b: closed B2 SUPERSEDED
                10 r3 b: shown X
                """, .revision)
    }
}
