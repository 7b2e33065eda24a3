import PopupScheduling
import Testing

/// The first member of a flow waits for the others.
@Suite struct FlowGatherTests {
    @Test func `members sent separately and out of order are shown in order`() {
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

    @Test func `a delay that ends while the flow gathers lasts until the gathering ends`() {
        Timeline().policy { $0.gather = 100 }.show("B", flow: .init("f", stage: 2))
            .at(10).show("A", delay: 20, flow: .init("f", stage: 1))
            .gives("0 queued B\n10 queued A\n100 shown A")
    }

    @Test func `a gathered flow arrives with its first member`() {
        Timeline().policy {
            $0.gather = 100; $0.peers = .stop
        }.show("B", flow: .init("f", stage: 2))
            .show("A", flow: .init("f", stage: 1)).at(10).show("Y")
            .gives("0 queued B\n0 queued A\n10 shown Y\n100 closed Y PREEMPTED\n100 shown A")
    }

    @Test func `if the first member is rejected, the next one arrives`() {
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
                100 closed A REJECTED
                100 closed B REJECTED
                100 paused Y
                100 shown C
                """)
    }

    @Test func `its first member may be exclusive, exempt from suspensions`() {
        Timeline().policy { $0.gather = 100 }.show("A", exclusive: .group, flow: .init("f")).suspend("t")
            .gives("0 queued A\n100 shown A")
    }

    @Test func `a flow gathers once while it is remembered`() {
        Timeline().policy { $0.gather = 100 }.show("A", duration: 10, flow: .init("f"))
            .at(200).show("B", flow: .init("f"))
            .gives("0 queued A\n100 shown A\n110 closed A TIMED_OUT\n200 shown B")
    }

    @Test func `it gathers for the whole time even if its members have closed`() {
        Timeline().policy { $0.gather = 100 }.show("A", flow: .init("f")).at(10).dismiss("A")
            .at(50).show("B", flow: .init("f"))
            .gives("0 queued A\n10 closed A DISMISSED\n50 queued B\n100 shown B")
    }

    // MARK: - Collapse keys

    @Test func `a member that replaces a waiting popup is not shown before all members have joined`() {
        Timeline().policy { $0.gather = 100 }.show("W", key: "k", session: "s")
            .show("A", key: "k", flow: .init("f", stage: 1)).at(10).show("B", delay: 50, flow: .init("f", stage: 2))
            .at(20).show("C", key: "l", session: "s").show("D", key: "l", flow: .init("f", stage: 3))
            .gives(
                """
                0 queued W
                0 queued A
                10 queued B
                20 queued C
                20 queued D
                100 closed W REPLACED
                100 closed C REPLACED
                100 shown A
                """)
    }

    @Test func `a member replaced by a later one closes unshown`() {
        Timeline().policy { $0.gather = 100 }.show("W", key: "k", session: "s")
            .show("A", key: "k", flow: .init("f", stage: 1)).at(10).show("B", key: "k", flow: .init("f", stage: 2))
            .gives(
                """
                0 queued W
                0 queued A
                10 queued B
                100 closed W REPLACED
                100 closed A REPLACED
                100 shown B
                """)
    }

    @Test func `a member that replaces a later one meets the active popup when all have joined`() {
        Timeline().policy { $0.gather = 100 }.show("Y", key: "l")
            .show("A", priority: 5, key: "k", flow: .init("f", stage: 1))
            .show("B", key: "k", flow: .init("f", stage: 2)).show("C", key: "l", flow: .init("f", stage: 3))
            .gives(
                """
                0 shown Y
                0 queued A
                0 queued B
                0 queued C
                100 closed B REPLACED
                100 closed Y REPLACED
                100 shown A
                """)
    }

    @Test func `the slot of the popup that a later member replaces goes to the best popup, of the flow or not`() {
        for (priority, shown) in [(0, "A"), (5, "W")] as [(Int32, String)] {
            Timeline().policy(.polite) { $0.gather = 100 }.show("Y", key: "l")
                .show("A", flow: .init("f", stage: 1)).show("B", key: "l", flow: .init("f", stage: 2))
                .show("W", priority: priority)
                .gives(
                    """
                    0 shown Y
                    0 queued A
                    0 queued B
                    0 queued W
                    100 closed Y REPLACED
                    100 shown \(shown)
                    """)
        }
    }
}
