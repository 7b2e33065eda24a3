import PopupScheduling
import Testing

/// `dismiss` and `advance`.
@Suite struct DismissalTests {
    @Test func `the active popup closes with the user's action, and the queue continues`() {
        Timeline().show("A").show("B").at(10).dismiss("A", "confirm").at(30).dismiss("B", "outside")
            .gives(
                """
                0 shown A
                0 queued B
                10 closed A DISMISSED confirm after 10
                10 shown B
                30 closed B DISMISSED outside after 20
                """, .displayed)
    }

    @Test func `a waiting, delayed or paused popup closes too, without other effects`() {
        Timeline()
            .policy { $0.gap = 50...50 }
            .show("P").at(10).show("A", priority: 1).show("W").show("D", delay: 100)
            .at(20).dismiss("P", "p").dismiss("W", "w").dismiss("D", "d")
            .at(30).peek()
            .gives(
                """
                0 shown P
                10 paused P
                10 shown A
                10 queued W
                10 queued D
                20 closed P DISMISSED p
                20 closed W DISMISSED w
                20 closed D DISMISSED d
                30 peek A active
                """)
    }

    @Test func `the first dismissal closes the popup, the second is stale`() {
        Timeline().show("A").at(10).dismiss("A", "yes").dismiss("A", "no").explain("A")
            .gives(
                """
                0 shown A
                10 closed A DISMISSED yes
                10 refused A STALE popupClosed
                10 explain A closed: closed DISMISSED yes at 10 after 10
                """)
    }

    @Test func `an id that was never used is unknown`() {
        Timeline().dismiss("A", "yes").gives("0 refused A NOT_FOUND unknownPopup")
    }

    @Test func `an answer to a revision before the last activation is stale`() {
        Timeline()
            .show("A").at(10).show("B", priority: 1).at(20).dismiss("B", revision: 2)
            .at(30).dismiss("A", "early", revision: 2)
            .at(40).show("C")
            .at(50).dismiss("A", "ok", revision: 3)
            .gives(
                """
                0 r1 shown A
                10 r2 paused A
                10 r2 shown B
                20 r3 closed B DISMISSED
                20 r3 resumed A
                30 r0 refused A STALE olderRevision
                40 r4 queued C
                50 r5 closed A DISMISSED ok
                50 r5 shown C
                """, .revision)
    }

    @Test func `an answer to a revision before the last update is stale, wherever the popup is`() {
        Timeline()
            .show("A").at(10).update("A", content: "new")
            .at(20).dismiss("A", revision: 1)
            .at(30).show("B").show("C")
            .at(40).update("C", content: "new")
            .at(50).dismiss("C", revision: 3).dismiss("C", revision: 4).dismiss("A", revision: 9)
            .gives(
                """
                0 r1 shown A
                10 r2 updated A
                20 r0 refused A STALE olderRevision
                30 r3 queued B
                30 r4 queued C
                40 r4 updated C
                50 r0 refused C STALE olderRevision
                50 r5 closed C DISMISSED
                50 r6 closed A DISMISSED
                50 r6 shown B
                """, .revision)
    }

    @Test func `advance closes the active popup of the group`() {
        Timeline().show("A", interruptible: false).show("B").at(10).advance().at(20).advance().at(30).advance()
            .at(30).advance("nowhere")
            .gives(
                """
                0 shown A
                0 queued B
                10 closed A ADVANCED
                10 shown B
                20 closed B ADVANCED
                """)
    }

    @Test func `advance resumes the next paused popup, and has no effect in a gap`() {
        Timeline()
            .policy { $0.gap = 50...50 }
            .show("A").at(10).show("B", priority: 1).at(20).advance()
            .at(30).advance().at(40).show("C").at(50).advance().at(90).peek()
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                20 closed B ADVANCED
                20 resumed A
                30 closed A ADVANCED
                40 queued C
                80 shown C
                90 peek C active
                """)
    }
}
