import PopupScheduling
import Testing

@Suite struct ExclusiveTests {
    @Test func `all other popups of the group close, highest first, and the newcomer is active`() {
        Timeline()
            .show("low", priority: 0)
            .show("top", priority: 5)
            .show("paused peer", priority: 5, delay: 10)
            .at(10).show("next", priority: 4)
            .at(20).show("later", priority: 3, delay: 100)
            .at(30).show("X", priority: -1, exclusive: .group)
            .at(40).peek()
            .gives(
                """
                0 shown low
                0 paused low
                0 shown top
                0 queued paused peer
                10 queued next
                20 queued later
                30 closed top SUPERSEDED
                30 closed paused peer SUPERSEDED
                30 closed next SUPERSEDED
                30 closed later SUPERSEDED
                30 closed low SUPERSEDED
                30 shown X
                40 peek X active
                """)
    }

    @Test func `within a priority the active popup closes first, then paused, then waiting and delayed ones`() {
        Timeline()
            .policy { $0.peers = .pause }
            .show("A").show("B").show("C", interruptible: false)
            .show("D", delay: 100).show("E").show("F", delay: 50)
            .at(10).show("X", exclusive: .group)
            .gives(
                """
                0 shown A
                0 paused A
                0 shown B
                0 paused B
                0 shown C
                0 queued D
                0 queued E
                0 queued F
                10 closed C SUPERSEDED
                10 closed B SUPERSEDED
                10 closed A SUPERSEDED
                10 closed D SUPERSEDED
                10 closed E SUPERSEDED
                10 closed F SUPERSEDED
                10 shown X
                """)
    }

    @Test func `it takes the slot regardless of priority, policy, interruptible and minimum display time`() {
        Timeline()
            .policy {
                $0.higher = .never
                $0.peers = .never
                $0.lower = .never
            }
            .show("A", priority: 9, minDisplay: 500, interruptible: false)
            .at(10).show("X", exclusive: .group)
            .at(20).show("B", priority: 5)
            .gives(
                """
                0 shown A
                10 closed A SUPERSEDED
                10 shown X
                20 closed B REJECTED
                """)
    }

    @Test func `it does not wait for a gap, and its own close begins one`() {
        Timeline()
            .policy { $0.gap = 100...100 }
            .show("A", duration: 50)
            .at(60).show("X", duration: 20, exclusive: .group)
            .at(70).show("B")
            .gives(
                """
                0 shown A
                50 closed A TIMED_OUT
                60 shown X
                70 queued B
                80 closed X TIMED_OUT
                180 shown B
                """)
    }

    @Test func `it is exempt from suspensions until it has been interrupted`() {
        Timeline()
            .suspend("t", below: 5)
            .show("X", exclusive: .group)
            .at(10).show("B", priority: 7, duration: 20)
            .at(50).resume("t")
            .gives(
                """
                0 shown X
                10 paused X
                10 shown B
                30 closed B TIMED_OUT
                50 resumed X
                """)
    }

    @Test func `a later suspension pauses it`() {
        Timeline()
            .suspend("t", below: 5)
            .show("X", exclusive: .group)
            .at(10).suspend("u", below: 1)
            .at(20).resume("u")
            .at(30).resume("t")
            .gives(
                """
                0 shown X
                10 paused X
                30 resumed X
                """)
    }

    @Test func `an update pauses it if a later suspension is above its new priority`() {
        Timeline()
            .suspend("early", below: 9)
            .show("X", priority: 3, exclusive: .group)
            .at(10).update("X", priority: 2)
            .at(20).suspend("late", below: 1)
            .at(30).update("X", priority: 0)
            .gives(
                """
                0 shown X
                10 updated X
                30 updated X
                30 paused X
                """)
    }

    @Test func `when it closes the queue continues`() {
        Timeline()
            .show("A")
            .at(10).show("X", priority: 1, duration: 50, exclusive: .group)
            .at(20).show("B")
            .gives(
                """
                0 shown A
                10 closed A SUPERSEDED
                10 shown X
                20 queued B
                60 closed X TIMED_OUT
                60 shown B
                """)
    }

    @Test func `exclusive in all groups closes them in byte order, its own among them`() {
        Timeline()
            .policy(for: "*") { $0.gap = 100...100 }
            .show("C", in: "c")
            .show("A", in: "a")
            .show("B1", in: "b").show("B2", in: "b", priority: 1)
            .show("D", in: "d", delay: 500)
            .at(10).show("X", in: "b", exclusive: .all)
            .at(20).show("A2", in: "a")
            .at(20).show("D2", in: "d")
            .gives(
                """
                0 c: shown C
                0 a: shown A
                0 b: shown B1
                0 b: paused B1
                0 b: shown B2
                0 d: queued D
                10 a: closed A SUPERSEDED
                10 b: closed B2 SUPERSEDED
                10 b: closed B1 SUPERSEDED
                10 b: shown X
                10 c: closed C SUPERSEDED
                10 d: closed D SUPERSEDED
                20 a: queued A2
                20 d: shown D2
                110 a: shown A2
                """)
    }

    @Test func `after a delay it closes the popups of that moment`() {
        Timeline()
            .show("X", delay: 50, exclusive: .group)
            .at(10).show("A")
            .at(60).show("B")
            .gives(
                """
                0 queued X
                10 shown A
                50 closed A SUPERSEDED
                50 shown X
                60 queued B
                """)
    }

    @Test func `it replaces no popup by its key, and holds the key from then on`() {
        Timeline()
            .show("A", priority: 1, key: "k")
            .at(10).show("X", exclusive: .group, key: "k")
            .at(20).show("B", key: "k")
            .gives(
                """
                0 shown A
                10 closed A SUPERSEDED
                10 shown X
                20 closed X REPLACED
                20 shown B
                """)
    }

    @Test
    func
        `one that may not be shown is an ordinary one: it takes the place of the one with its key, and clears nothing`()
    {
        Timeline().policy { $0.caps = [Cap(most: 1, window: 100)] }.show("A", key: "k").show("B")
            .at(10).show("E", exclusive: .group, key: "k").at(20).show("F", priority: 1, key: "k")
            .gives(
                """
                0 shown A
                0 queued B
                10 closed A REPLACED
                10 shown E
                20 closed E REPLACED
                20 shown F
                """)
    }
}
