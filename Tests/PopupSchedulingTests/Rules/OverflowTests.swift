import PopupScheduling
import Testing

@Suite struct OverflowTests {
    private func script(_ most: UInt32, _ overflow: Policy.Overflow) -> Timeline {
        Timeline()
            .policy {
                $0.maxWaiting = most
                $0.overflow = overflow
            }
            .show("A", priority: 5)
    }

    @Test func `reject new: a newcomer that would have to wait is refused, its id not remembered`() {
        script(1, .rejectNew)
            .at(10).show("B").show("C")
            .at(20).show("D", priority: 9)
            .at(30).dismiss("A").dismiss("D").show("C")
            .gives(
                """
                0 shown A
                10 queued B
                10 refused C OVERLOAD maxWaiting
                20 paused A
                20 shown D
                30 closed A DISMISSED
                30 closed D DISMISSED
                30 shown B
                30 queued C
                """)
    }

    @Test func `drop lowest: the last of the queue closes`() {
        script(2, .dropLowest)
            .at(10).show("B", priority: 1).show("C", priority: 3)
            .at(20).show("D", priority: 2)
            .at(30).show("E", priority: 2)
            .at(40).show("F", priority: 1)
            .at(50).peek()
            .gives(
                """
                0 shown A
                10 queued B
                10 queued C
                20 closed B EVICTED
                20 queued D
                30 refused E OVERLOAD maxWaiting
                40 refused F OVERLOAD maxWaiting
                50 peek A active, C waiting, D waiting
                """)
    }

    @Test func `drop lowest ignores priorities if the policy does`() {
        Timeline()
            .policy(.fifo) {
                $0.maxWaiting = 1
                $0.overflow = .dropLowest
            }
            .show("A").show("B").show("C", priority: 9)
            .gives(
                """
                0 shown A
                0 queued B
                0 refused C OVERLOAD maxWaiting
                """)
    }

    @Test func `drop oldest: the earliest accepted waiting one closes, delayed ones included`() {
        script(2, .dropOldest)
            .at(10).show("B", priority: 4, delay: 100).show("C", priority: 1)
            .at(20).show("D")
            .at(30).show("E")
            .at(40).peek()
            .gives(
                """
                0 shown A
                10 queued B
                10 queued C
                20 closed B EVICTED
                20 queued D
                30 closed C EVICTED
                30 queued E
                40 peek A active, D waiting, E waiting
                """)
    }

    @Test func `neither drops a paused popup`() {
        for overflow in [Policy.Overflow.dropLowest, .dropOldest] {
            Timeline()
                .policy {
                    $0.maxWaiting = 1
                    $0.overflow = overflow
                }
                .show("P")
                .at(10).show("A", priority: 5)
                .at(20).show("B", priority: 1)
                .at(30).show("C", priority: 2)
                .gives(
                    """
                    0 shown P
                    10 paused P
                    10 shown A
                    20 queued B
                    30 closed B EVICTED
                    30 queued C
                    """)
        }
    }

    @Test(arguments: Policy.Overflow.allCases)
    func `if no popup may wait the newcomer is refused`(overflow: Policy.Overflow) {
        script(0, overflow).at(10).show("B")
            .gives("0 shown A\n10 refused B OVERLOAD maxWaiting")
    }

    @Test func `it limits every newcomer that has to wait`() {
        script(0, .rejectNew)
            .at(10).show("delayed", priority: 9, delay: 10)
            .at(10).show("deferred")
            .at(20).suspend("t", below: 7).show("held back", priority: 6)
            .gives(
                """
                0 shown A
                10 refused delayed OVERLOAD maxWaiting
                10 refused deferred OVERLOAD maxWaiting
                20 paused A
                20 refused held back OVERLOAD maxWaiting
                """)
        Timeline()
            .policy {
                $0.maxWaiting = 0
                $0.gap = 50...50
            }
            .show("A", duration: 10).at(20).show("B").at(60).show("C", minDisplay: 50).at(70).show("D", priority: 9)
            .gives(
                """
                0 shown A
                10 closed A TIMED_OUT
                20 refused B OVERLOAD maxWaiting
                60 shown C
                70 refused D OVERLOAD maxWaiting
                """)
    }

    @Test func `it limits no other popup: shown at once, rejected, exclusive, replacing, paused, arriving`() {
        Timeline()
            .policy {
                $0.maxWaiting = 1
                $0.lower = .never
            }
            .show("A").show("D", priority: 1, delay: 50)
            .at(10).show("B", priority: 2)
            .at(20).show("C", priority: 1)
            .at(30).show("E", priority: 3, key: "k")
            .at(40).show("F", priority: 1, key: "k")
            .at(60).show("X", exclusive: .group)
            .gives(
                """
                0 shown A
                0 queued D
                10 paused A
                10 shown B
                20 closed C REJECTED
                30 paused B
                30 shown E
                40 closed E REPLACED
                40 shown F
                50 queued nobody
                60 closed B SUPERSEDED
                60 closed F SUPERSEDED
                60 closed D SUPERSEDED
                60 closed A SUPERSEDED
                60 shown X
                """.replacing("50 queued nobody\n", with: ""))
    }

    @Test func `delayed popups count, and are dropped like those that wait`() {
        script(1, .dropLowest)
            .at(10).show("B", priority: 1, delay: 100)
            .at(20).show("C", priority: 2)
            .at(30).show("D", priority: 1, delay: 5)
            .gives(
                """
                0 shown A
                10 queued B
                20 closed B EVICTED
                20 queued C
                30 refused D OVERLOAD maxWaiting
                """)
    }

    @Test func `a smaller maximum closes no waiting popup`() {
        script(3, .dropLowest)
            .at(10).show("B", priority: 3).show("C", priority: 2).show("D", priority: 1)
            .at(20).policy {
                $0.maxWaiting = 1
                $0.overflow = .dropLowest
            }
            .at(30).show("E", priority: 4)
            .at(40).peek()
            .gives(
                """
                0 shown A
                10 queued B
                10 queued C
                10 queued D
                30 closed D EVICTED
                30 queued E
                40 peek A active, E waiting, B waiting, C waiting
                """)
    }
}
