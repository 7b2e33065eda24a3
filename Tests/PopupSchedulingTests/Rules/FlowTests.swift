import PopupScheduling
import Testing

@Suite struct FlowTests {
    @Test func `members go by stage, whatever their order of arrival and priority`() {
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

    @Test func `equal stages go by priority, then by acceptance`() {
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

    @Test func `a flow stands in the line where its next member stands`() {
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

    @Test func `between two members no other comes, whatever its priority, and no gap`() {
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

    @Test func `a newcomer that may preempt pauses the whole flow, which goes on at that member`() {
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

    @Test func `stopped, it goes on with its next in ordinary turn`() {
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

    @Test func `a stage without a member is skipped, and one off its page`() {
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
    func `a member follows an action of another only`(action: String, isMet: Bool) {
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

    @Test func `another way of closing is no action`() {
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

    @Test func `what depends on an unmet one closes too, with an action or without`() {
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

    @Test func `one that is required in any way may be cleared`() {
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

    @Test func `with another member delayed an unknown one is waited for`() {
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

    @Test func `when nothing else of the flow can run the unknown ones close in its order`() {
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

    @Test func `one whose requirement failed does not count as waiting`() {
        Timeline().policy { $0.maximumWaiting = 0 }.show("A", flow: .init("f")).dismiss("A", "no")
            .show("X").show("B", flow: .init("f", requires: "A", action: "ok"))
            .gives("0 shown A\n0 closed A DISMISSED no\n0 shown X\n0 closed B UNMET")
    }

    @Test func `clear closes the selected in the line's order, then those that depend on them by stage`() {
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

    // MARK: - Holding the slot

    @Test func `after a member the flow keeps the slot for those that have not arrived yet`() {
        Timeline().policy { $0.gap = 20...20 }.show("A", flow: .init("f", stage: 1, hold: 100)).show("Y")
            .at(10).dismiss("A", "edit").at(30).show("Z", priority: 9)
            .at(50).show("B", flow: .init("f", stage: 2, requires: "A", action: "edit"))
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

    @Test func `so long, and no longer: the gap comes after the hold`() {
        Timeline().policy { $0.gap = 20...20 }.show("A", flow: .init("f", stage: 1, hold: 100)).show("Y")
            .at(10).dismiss("A").at(50).show("B", duration: 10, flow: .init("f", stage: 2))
            .gives(
                """
                0 shown A
                0 queued Y
                10 closed A DISMISSED
                50 shown B
                60 closed B TIMED_OUT
                130 shown Y
                """)
    }

    @Test func `nobody came: after the hold comes the group's gap`() {
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

    @Test func `an unknown requirement is waited for while the flow holds the slot`() {
        Timeline().show("A", flow: .init("f", stage: 1, hold: 100)).show("B", flow: .init("f", requires: "X"))
            .at(10).dismiss("A")
            .gives("0 shown A\n0 queued B\n10 closed A DISMISSED\n110 closed B UNMET")
    }

    @Test func `a member that is ready runs at once, and the slot is kept after it`() {
        Timeline().show("A", flow: .init("f", stage: 1, hold: 100)).show("B", flow: .init("f", stage: 2))
            .at(10).dismiss("A").dismiss("B").show("Y").at(110).dismiss("Y")
            .gives(
                """
                0 shown A
                0 queued B
                10 closed A DISMISSED
                10 shown B
                10 closed B DISMISSED
                10 queued Y
                110 shown Y
                110 closed Y DISMISSED
                """)
    }

    @Test func `paused ones wait for the end of a hold`() {
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

    @Test func `a member held back by a suspension comes at once when it is lifted in the hold`() {
        Timeline().show("A", priority: 2, flow: .init("f", hold: 100)).suspend("t", below: 1)
            .show("B", flow: .init("f")).show("Y", priority: 1).at(10).dismiss("A").at(20).resume("t")
            .gives("0 shown A\n0 queued B\n0 queued Y\n10 closed A DISMISSED\n20 shown B")
    }

    // MARK: - Gathering

    @Test func `members sent separately and out of order are put in order`() {
        Timeline().policy { $0.gather = 100 }
            .show("C", flow: .init("f", stage: 3)).at(30).show("A", flow: .init("f", stage: 1)).show("Y")
            .at(60).show("B", delay: 100, flow: .init("f", stage: 2)).at(90).peek()
            .at(120).dismiss("Y").at(130).dismiss("A")
            .gives(
                """
                0 queued C
                30 queued A
                30 shown Y
                60 queued B
                90 peek Y active, C delayed, A delayed, B delayed
                120 closed Y DISMISSED
                120 shown A
                130 closed A DISMISSED
                130 shown C
                """)
    }

    @Test func `a delay that ends while the flow gathers lasts to the end of it`() {
        Timeline().policy { $0.gather = 100 }.show("B", flow: .init("f", stage: 2))
            .at(10).show("A", delay: 20, flow: .init("f", stage: 1))
            .gives("0 queued B\n10 queued A\n100 shown A")
    }

    @Test func `a gathered flow is judged as an arrival by its first member`() {
        Timeline().policy {
            $0.gather = 100; $0.peers = .stop
        }.show("B", flow: .init("f", stage: 2))
            .show("A", flow: .init("f", stage: 1)).at(10).show("Y")
            .gives("0 queued B\n0 queued A\n10 shown Y\n100 closed Y PREEMPTED\n100 shown A")
    }

    @Test func `is it refused, the next is judged`() {
        Timeline().policy {
            $0.gather = 100; $0.lower = .never; $0.peers = .never
        }.show("Y", priority: 1)
            .show("A", priority: 0, flow: .init("f", stage: 1)).show("B", priority: 1, flow: .init("f", stage: 2))
            .show("C", priority: 2, flow: .init("f", stage: 3)).show("D", priority: 0, flow: .init("f", stage: 4))
            .gives(
                """
                0 shown Y
                0 queued A
                0 queued B
                0 queued C
                0 queued D
                100 closed A REFUSED
                100 closed B REFUSED
                100 paused Y
                100 shown C
                """)
    }

    @Test func `its first member may be exclusive, whatever is suspended`() {
        Timeline().policy { $0.gather = 100 }.show("A", exclusive: .group, flow: .init("f")).suspend("t")
            .gives("0 queued A\n100 shown A")
    }

    @Test func `a flow gathers once as long as it is remembered`() {
        Timeline().policy { $0.gather = 100 }.show("A", duration: 10, flow: .init("f"))
            .at(200).show("B", flow: .init("f"))
            .gives("0 queued A\n100 shown A\n110 closed A TIMED_OUT\n200 shown B")
    }

    @Test func `it gathers to its time even when its members have closed`() {
        Timeline().policy { $0.gather = 100 }.show("A", flow: .init("f")).at(10).dismiss("A")
            .at(50).show("B", flow: .init("f"))
            .gives("0 queued A\n10 closed A DISMISSED\n50 queued B\n100 shown B")
    }
}
