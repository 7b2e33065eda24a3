import PopupScheduling
import Testing

/// After a member closed the flow keeps the slot for those to come.
@Suite struct FlowHoldTests {
    @Test func `after a member the flow holds the slot for members that have not arrived`() {
        Timeline().policy { $0.gap = 20...20 }.show("A", flow: .init("f", stage: 1, hold: 100)).show("Y")
            .at(10).dismiss("A", "edit").at(30).show("Z", priority: 9)
            .at(50).show("B", flow: .init("f", stage: 2, requires: "A", action: "edit", hold: 100))
            .at(60).dismiss("B").at(80).show("C", duration: 40, flow: .init("f", stage: 3))
            .gives(
                """
                0 shown A
                0 queued Y
                10 closed A DISMISSED edit
                30 queued Z
                50 shown B
                60 closed B DISMISSED
                80 shown C
                120 closed C TIMED_OUT
                140 shown Z
                """)
    }

    @Test func `a member that takes the slot ends the hold, and its own hold applies before the gap`() {
        Timeline().policy { $0.gap = 20...20 }.show("A", flow: .init("f", stage: 1, hold: 100)).show("Y")
            .at(10).dismiss("A").at(50).show("B", duration: 10, flow: .init("f", stage: 2, hold: 30))
            .gives(
                """
                0 shown A
                0 queued Y
                10 closed A DISMISSED
                50 shown B
                60 closed B TIMED_OUT
                110 shown Y
                """)
    }

    @Test func `without another member the group's gap follows the hold`() {
        Timeline().policy { $0.gap = 20...20 }.show("A", flow: .init("f", hold: 100)).show("Y")
            .at(10).dismiss("A").at(20).advance().at(110).peek().at(129).peek()
            .gives(
                """
                0 shown A
                0 queued Y
                10 closed A DISMISSED
                110 peek Y waiting
                129 peek Y waiting
                130 shown Y
                """)
    }

    @Test func `a member with an unknown requirement waits while the flow holds the slot`() {
        Timeline().show("A", flow: .init("f", stage: 1, hold: 100)).show("B", flow: .init("f", requires: "X"))
            .at(10).dismiss("A")
            .gives("0 shown A\n0 queued B\n10 closed A DISMISSED\n110 closed B UNMET")
    }

    @Test func `a ready member is shown at once, and holds nothing unless it specifies a hold`() {
        Timeline().show("A", flow: .init("f", stage: 1, hold: 100)).show("B", flow: .init("f", stage: 2))
            .at(10).dismiss("A").dismiss("B").show("Y").at(110).dismiss("Y")
            .gives(
                """
                0 shown A
                0 queued B
                10 closed A DISMISSED
                10 shown B
                10 closed B DISMISSED
                10 shown Y
                110 closed Y DISMISSED
                """)
    }

    @Test func `paused popups wait for the end of a hold`() {
        Timeline().show("X").show("A", priority: 1, flow: .init("f", hold: 100)).at(10).dismiss("A")
            .gives("0 shown X\n0 paused X\n0 shown A\n10 closed A DISMISSED\n110 resumed X")
    }

    @Test func `exclusive ends a hold`() {
        Timeline().show("A", flow: .init("f", hold: 100)).at(10).dismiss("A").at(20).show("E", exclusive: .group)
            .at(30).dismiss("E").show("Y")
            .gives(
                """
                0 shown A
                10 closed A DISMISSED
                20 shown E
                30 closed E DISMISSED
                30 shown Y
                """)
    }

    @Test func `exclusive in all groups ends the holds of other groups, and their gaps follow`() {
        Timeline().policy { $0.gap = 20...20 }.show("A", flow: .init("f", hold: 100)).at(10).dismiss("A")
            .at(20).show("E", in: "other", exclusive: .all).at(30).show("Y")
            .gives(
                """
                0 shown A
                10 closed A DISMISSED
                20 other: shown E
                30 queued Y
                40 shown Y
                """)
    }

    @Test func `clear ends the holds of the popups that it closes`() {
        Timeline().show("A", flow: .init("f", stage: 1, hold: 100))
            .show("B", flow: .init("f", stage: 2, requires: "X")).at(10).dismiss("A")
            .at(20).clear().show("Y")
            .gives("0 shown A\n0 queued B\n10 closed A DISMISSED\n20 closed B CLEARED\n20 shown Y")
        Timeline().show("A", flow: .init("f", hold: 100)).at(10).clear().show("Y")
            .gives("0 shown A\n10 closed A CLEARED\n10 shown Y")
    }

    @Test func `a session that closes a member ends the hold`() {
        Timeline().setSession("one").show("A", flow: .init("f", stage: 1, hold: 100))
            .show("B", flow: .init("f", stage: 2, requires: "X"), session: "one").at(10).dismiss("A")
            .at(20).setSession("two").show("Y")
            .gives("0 shown A\n0 queued B\n10 closed A DISMISSED\n20 closed B SESSION_ENDED\n20 shown Y")
        Timeline().setSession("one").show("A", flow: .init("f", hold: 100), session: "one").at(10).setSession("")
            .show("Y").gives("0 shown A\n10 closed A SESSION_ENDED\n10 shown Y")
    }

    @Test func `a page that closes a member ends the hold`() {
        let home = Timeline().open("home").open("list", below: "home")
        home.show("A", flow: .init("f", stage: 1, hold: 100))
            .show("B", flow: .init("f", stage: 2, requires: "X"), page: .init("list")).at(10).dismiss("A")
            .at(20).close("list").show("Y")
            .gives("0 shown A\n0 queued B\n10 closed A DISMISSED\n20 closed B PAGE_CLOSED\n20 shown Y")
    }

    @Test func `a suspended member is shown at once when the suspension ends during the hold`() {
        Timeline().show("A", priority: 2, flow: .init("f", hold: 100)).suspend("t", below: 1)
            .show("B", flow: .init("f")).show("Y", priority: 1).at(10).dismiss("A").at(20).resume("t")
            .gives("0 shown A\n0 queued B\n0 queued Y\n10 closed A DISMISSED\n20 shown B")
    }
}
