import PopupScheduling
import Testing

@Suite struct FlowTests {
    @Test func `members are shown by stage, whatever their arrival and priority`() {
        Timeline().show("X", priority: 9)
            .show("C", priority: 3, flow: .init("f", stage: 3)).show("A", flow: .init("f", stage: 1))
            .show("B", priority: 5, flow: .init("f", stage: 2))
            .at(10).dismiss("X").at(20).dismiss("A").at(30).dismiss("B").at(40).dismiss("C")
            .gives(
                """
                0 shown X
                0 queued C
                0 queued A
                0 queued B
                10 closed X DISMISSED
                10 shown A
                20 closed A DISMISSED
                20 shown B
                30 closed B DISMISSED
                30 shown C
                40 closed C DISMISSED
                """)
    }

    @Test func `members of one stage are shown by priority, then by acceptance`() {
        Timeline().show("X", priority: 9)
            .show("A", flow: .init("f")).show("B", flow: .init("f")).show("C", priority: 1, flow: .init("f"))
            .at(10).advance().advance().advance().advance()
            .gives(
                """
                0 shown X
                0 queued A
                0 queued B
                0 queued C
                10 closed X ADVANCED
                10 shown C
                10 closed C ADVANCED
                10 shown A
                10 closed A ADVANCED
                10 shown B
                10 closed B ADVANCED
                """)
    }

    @Test func `the position of a flow in the queue is that of its next member`() {
        Timeline().policy(.polite).show("X")
            .show("A", flow: .init("f", stage: 1)).show("B", priority: 9, flow: .init("f", stage: 2))
            .show("Y", priority: 1)
            .at(10).dismiss("X").at(20).dismiss("Y").at(30).dismiss("A")
            .gives(
                """
                0 shown X
                0 queued A
                0 queued B
                0 queued Y
                10 closed X DISMISSED
                10 shown Y
                20 closed Y DISMISSED
                20 shown A
                30 closed A DISMISSED
                30 shown B
                """)
    }

    @Test func `between two members neither another popup nor a gap comes`() {
        Timeline().policy(.polite) { $0.gap = 50...50 }
            .show("A", flow: .init("f", stage: 1)).show("B", flow: .init("f", stage: 2)).show("Y", priority: 9)
            .at(10).dismiss("A").at(20).dismiss("B")
            .gives(
                """
                0 shown A
                0 queued B
                0 queued Y
                10 closed A DISMISSED
                10 shown B
                20 closed B DISMISSED
                70 shown Y
                """)
    }

    @Test func `a member never preempts its own flow`() {
        Timeline().show("A", flow: .init("f", stage: 2)).show("B", priority: 9, flow: .init("f", stage: 1))
            .at(10).update("B", priority: 10).dismiss("A")
            .gives(
                """
                0 shown A
                0 queued B
                10 updated B
                10 closed A DISMISSED
                10 shown B
                """)
    }

    @Test func `a newcomer that preempts pauses the whole flow, which continues with the paused member`() {
        Timeline().show("A", flow: .init("f", stage: 2)).show("B", flow: .init("f", stage: 1))
            .show("Y", priority: 1)
            .at(10).dismiss("Y").at(20).dismiss("A")
            .gives(
                """
                0 shown A
                0 queued B
                0 paused A
                0 shown Y
                10 closed Y DISMISSED
                10 resumed A
                20 closed A DISMISSED
                20 shown B
                """)
    }

    @Test func `a stopped flow continues with its next member in the order of the queue`() {
        Timeline().policy { $0.higher = .stop }
            .show("A", flow: .init("f", stage: 1, hold: 50)).show("B", flow: .init("f", stage: 2))
            .show("C", flow: .init("f", stage: 3, requires: "A", action: "ok"))
            .at(10).show("Y", priority: 1)
            .at(20).dismiss("Y")
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed A PREEMPTED
                10 shown Y
                10 closed C UNMET
                20 closed Y DISMISSED
                20 shown B
                """)
    }

    @Test func `stages without a member, or with one off its page, are skipped`() {
        Timeline().show("A", flow: .init("f", stage: 1)).show("B", flow: .init("f", stage: 2), page: .init("home"))
            .show("C", flow: .init("f", stage: 7))
            .at(10).dismiss("A").at(20).open("home").at(30).dismiss("C")
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed A DISMISSED
                10 shown C
                30 closed C DISMISSED
                30 shown B
                """)
    }

    @Test func `too many members are refused`() {
        Timeline(limits: .tight).show("A", flow: .init("f")).show("B", flow: .init("f"))
            .show("C", flow: .init("f")).show("D", flow: .init("f")).show("E", flow: .init("e"))
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                0 refused D OVERLOAD membersPerFlow
                0 queued E
                """)
    }

    // MARK: - Requirements

    @Test(arguments: [("confirm", true), ("cancel", false)])
    func `a member is shown only after the required action of another`(action: String, isMet: Bool) {
        Timeline().show("A", flow: .init("f", stage: 1))
            .show("B", flow: .init("f", stage: 2, requires: "A", action: "confirm"))
            .at(10).dismiss("A", action)
            .gives(
                """
                0 shown A
                0 queued B
                10 closed A DISMISSED \(action)
                10 \(isMet ? "shown B" : "closed B UNMET")
                """)
    }

    @Test func `closing in another way does not meet a required action`() {
        Timeline().show("A", duration: 10, flow: .init("f", stage: 1))
            .show("B", flow: .init("f", stage: 2, requires: "A", action: "ok"))
            .show("C", flow: .init("f", stage: 3, requires: "A"))
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed A TIMED_OUT
                10 closed B UNMET
                10 shown C
                """)
    }

    @Test func `dependants of an unmet member close too, with or without a required action`() {
        Timeline().show("A", flow: .init("f", stage: 1))
            .show("D", flow: .init("f", stage: 4, requires: "C"))
            .show("C", flow: .init("f", stage: 3, requires: "B"))
            .show("B", flow: .init("f", stage: 2, requires: "A", action: "ok"))
            .at(10).dismiss("A", "no")
            .gives(
                """
                0 shown A
                0 queued D
                0 queued C
                0 queued B
                10 closed A DISMISSED no
                10 closed B UNMET
                10 closed C UNMET
                10 closed D UNMET
                """)
    }

    @Test func `without a required action, clearing the required member is enough`() {
        Timeline().show("A", surface: "s", flow: .init("f", stage: 1))
            .show("B", flow: .init("f", stage: 2, requires: "A"))
            .at(10).clear { $0.surface = "s" }
            .gives("0 shown A\n0 queued B\n10 closed A CLEARED\n10 shown B")
    }

    @Test func `a member alone with an unknown requirement closes when it arrives`() {
        Timeline().show("B", flow: .init("f", requires: "A"))
            .show("C", delay: 10, flow: .init("f", requires: "A"))
            .gives(
                """
                0 closed B UNMET
                0 queued C
                10 closed C UNMET
                """)
    }

    @Test func `while another member is delayed, a member with an unknown requirement waits`() {
        Timeline().show("B", flow: .init("f", stage: 2, requires: "A")).show("X")
            .show("A", delay: 20, flow: .init("f", stage: 1))
            .show("C", flow: .init("f", stage: 2, requires: "A")).at(30).dismiss("X").at(40).dismiss("A")
            .gives(
                """
                0 closed B UNMET
                0 shown X
                0 queued A
                0 queued C
                30 closed X DISMISSED
                30 shown A
                40 closed A DISMISSED
                40 shown C
                """)
    }

    @Test func `members whose requirement no one can meet close in the order of the flow`() {
        Timeline().show("A", flow: .init("f", stage: 1))
            .show("D", flow: .init("f", stage: 4, requires: "X")).show("B", flow: .init("f", stage: 2, requires: "D"))
            .show("Y")
            .at(10).dismiss("A")
            .gives(
                """
                0 shown A
                0 queued D
                0 queued B
                0 queued Y
                10 closed A DISMISSED
                10 closed B UNMET
                10 closed D UNMET
                10 shown Y
                """)
    }

    @Test func `outcomes are remembered for late members`() {
        Timeline().policy { $0.gather = 50 }.show("A", flow: .init("f"))
            .at(60).dismiss("A", "ok")
            .at(70).show("B", flow: .init("f", requires: "A", action: "ok"))
            .show("C", flow: .init("f", requires: "A", action: "no"))
            .show("D", delay: 9, flow: .init("f", requires: "A", action: "no"))
            .show("E", flow: .init("other", requires: "A"))
            .gives(
                """
                0 queued A
                50 shown A
                60 closed A DISMISSED ok
                70 shown B
                70 closed C UNMET
                70 closed D UNMET
                70 queued E
                120 closed E UNMET
                """)
    }

    @Test func `a member whose requirement failed does not count as waiting`() {
        Timeline().policy { $0.maxWaiting = 0 }.show("A", flow: .init("f")).dismiss("A", "no")
            .show("X").show("B", flow: .init("f", requires: "A", action: "ok"))
            .gives("0 shown A\n0 closed A DISMISSED no\n0 shown X\n0 closed B UNMET")
    }

    @Test func `clear closes the selected popups in closing order, then their dependants by stage`() {
        Timeline().show("A", priority: 1, surface: "s", flow: .init("f", stage: 1))
            .show("D", flow: .init("f", stage: 4, requires: "A", action: "ok"))
            .show("B", flow: .init("f", stage: 2, requires: "A", action: "ok"))
            .show("C", surface: "s", flow: .init("f", stage: 3, requires: "A", action: "ok"))
            .at(10).clear { $0.surface = "s" }
            .gives(
                """
                0 shown A
                0 queued D
                0 queued B
                0 queued C
                10 closed A CLEARED
                10 closed C CLEARED
                10 closed B UNMET
                10 closed D UNMET
                """)
    }
}
