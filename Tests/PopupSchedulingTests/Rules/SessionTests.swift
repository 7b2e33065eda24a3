import PopupScheduling
import Testing

@Suite struct SessionTests {
    @Test func `a popup with a session is shown only in it`() {
        Timeline().show("A", session: "one").show("B", session: "two").show("C").at(10).setSession("one")
            .at(20).dismiss("C").at(30).setSession("")
            .gives(
                """
                0 queued A
                0 queued B
                0 shown C
                20 closed C DISMISSED
                20 shown A
                30 closed A SESSION_ENDED
                """)
    }

    @Test func `a new session closes the popups of the old one, highest first, and the queue continues`() {
        Timeline().setSession("one").show("A", session: "one").show("B", priority: 1, session: "one")
            .show("C", priority: -1).show("D", delay: 99, session: "one").show("E", priority: 2, session: "two")
            .at(10).setSession("two")
            .gives(
                """
                0 shown A
                0 paused A
                0 shown B
                0 queued C
                0 queued D
                0 queued E
                10 closed B SESSION_ENDED
                10 closed A SESSION_ENDED
                10 closed D SESSION_ENDED
                10 shown E
                """)
    }

    @Test func `a popup whose session begins preempts only if it is strictly higher`() {
        Timeline().policy { $0.peers = .stop }.show("X").show("A", session: "one").show(
            "B", priority: 1, session: "one"
        )
        .at(10).setSession("one")
        .gives("0 shown X\n0 queued A\n0 queued B\n10 paused X\n10 shown B")
    }

    @Test func `the same session again changes nothing`() {
        Timeline().setSession("one").show("A", session: "one").at(10).setSession("one").gives("0 shown A")
    }

    @Test func `each group has its own session`() {
        Timeline().setSession("one").show("A", session: "one").show("B", in: "h", session: "one")
            .at(10).setSession("one", in: "h").setSession("two")
            .gives("0 shown A\n0 h: queued B\n10 h: shown B\n10 closed A SESSION_ENDED")
    }

    @Test func `what depends on a popup of the old session closes after it`() {
        Timeline().setSession("one").show("A", flow: .init("f", stage: 1), session: "one")
            .show("C", flow: .init("f", stage: 3, requires: "A")).show(
                "B", flow: .init("f", requires: "A", action: "ok")
            )
            .at(10).setSession("two")
            .gives(
                """
                0 shown A
                0 queued C
                0 queued B
                10 closed A SESSION_ENDED
                10 closed B UNMET
                10 shown C
                """)
    }

    @Test func `the gap follows a shown popup that was closed by it`() {
        Timeline().policy { $0.gap = 50...50 }.setSession("one").show("A", session: "one").show("B")
            .at(10).setSession("two").gives("0 shown A\n0 queued B\n10 closed A SESSION_ENDED\n60 shown B")
    }
}
