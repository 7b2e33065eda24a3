import PopupScheduling
import Testing

@Suite struct CollapseTests {
    @Test func `replacing the active popup: it is shown at once, and its timer starts`() {
        Timeline()
            .policy { $0.gap = 50...50 }
            .show("A", duration: 100, key: "k")
            .at(10).show("B", duration: 30)
            .at(60).show("C", duration: 100, key: "k")
            .gives(
                """
                0 shown A
                10 queued B
                60 closed A REPLACED after 60
                60 shown C
                160 closed C TIMED_OUT after 100
                210 shown B
                240 closed B TIMED_OUT after 30
                """, .displayed)
    }

    @Test func `the active popup is replaced regardless of policy, interruptible and minimum display time`() {
        for word in Policy.Interruption.allCases {
            Timeline()
                .policy {
                    $0.higher = word
                    $0.peers = word
                    $0.lower = word
                }
                .show("A", priority: 1, minDisplay: 500, key: "k", interruptible: false)
                .at(10).show("B", priority: 0, key: "k")
                .at(20).show("C", priority: 2, key: "k")
                .gives(
                    """
                    0 shown A
                    10 closed A REPLACED
                    10 shown B
                    20 closed B REPLACED
                    20 shown C
                    """)
        }
    }

    @Test func `a replacement of lower priority stays active before a higher queue`() {
        Timeline()
            .show("A", priority: 5, key: "k")
            .at(10).show("B", priority: 4)
            .at(20).show("C", priority: 1, key: "k")
            .at(30).peek()
            .gives(
                """
                0 shown A
                10 queued B
                20 closed A REPLACED
                20 shown C
                30 peek C active, B waiting
                """)
    }

    @Test func `replacing the active popup while held back: it waits, and the queue continues without a gap`() {
        Timeline()
            .policy { $0.gap = 50...50 }
            .show("A", priority: 5, key: "k")
            .at(10).suspend("t", below: 3)
            .at(20).show("B", priority: 4)
            .at(30).show("C", priority: 1, key: "k")
            .gives(
                """
                0 shown A
                20 queued B
                30 closed A REPLACED
                30 queued C
                30 shown B
                """)
    }

    @Test func `replacing a waiting popup of the same priority: it takes that place`() {
        Timeline()
            .show("A")
            .at(10).show("B", key: "k")
            .at(20).show("C")
            .at(30).show("D", key: "k")
            .at(40).peek()
            .gives(
                """
                0 shown A
                10 queued B
                20 queued C
                30 closed B REPLACED
                30 queued D
                40 peek A active, D waiting, C waiting
                """)
    }

    @Test func `with priorities ignored every priority is the same`() {
        Timeline()
            .policy(.fifo)
            .show("A")
            .at(10).show("B", key: "k")
            .at(20).show("C")
            .at(30).show("D", priority: 9, key: "k")
            .at(40).peek()
            .gives(
                """
                0 shown A
                10 queued B
                20 queued C
                30 closed B REPLACED
                30 queued D
                40 peek A active, D waiting, C waiting
                """)
    }

    @Test func `replacing a waiting popup at another priority: it is the last of its priority`() {
        Timeline()
            .show("A", priority: 5)
            .at(10).show("B", priority: 2, key: "k")
            .at(20).show("C", priority: 1)
            .at(30).show("D", priority: 3)
            .at(40).show("E", priority: 3, key: "k")
            .at(50).peek()
            .at(60).show("F", priority: 1, key: "k")
            .at(70).peek()
            .gives(
                """
                0 shown A
                10 queued B
                20 queued C
                30 queued D
                40 closed B REPLACED
                40 queued E
                50 peek A active, D waiting, E waiting, C waiting
                60 closed E REPLACED
                60 queued F
                70 peek A active, D waiting, C waiting, F waiting
                """)
    }

    @Test func `it is the last of its priority even if it was accepted earlier with a delay`() {
        Timeline()
            .show("A", priority: 5)
            .show("B", priority: 2, key: "k")
            .at(10).show("C", priority: 1, delay: 50, key: "k")
            .at(20).show("D", priority: 1)
            .at(70).peek()
            .gives(
                """
                0 shown A
                0 queued B
                10 queued C
                20 queued D
                60 closed B REPLACED
                70 peek A active, D waiting, C waiting
                """)
    }

    @Test func `replacing a waiting popup with a priority above the active one: it preempts as an update does`() {
        for (higher, line) in [(Policy.Interruption.pause, "paused A"), (.stop, "closed A PREEMPTED")] {
            Timeline()
                .policy { $0.higher = higher }
                .show("A", priority: 5)
                .at(10).show("B", priority: 2, key: "k")
                .at(20).show("C", priority: 6, key: "k")
                .gives(
                    """
                    0 shown A
                    10 queued B
                    20 closed B REPLACED
                    20 \(line)
                    20 shown C
                    """)
        }
    }

    @Test func `replacing a waiting popup is no arrival: peers, lower and never do not apply`() {
        Timeline()
            .policy { $0.peers = .defer }
            .show("A", priority: 5)
            .at(10).show("B", priority: 2, key: "k")
            .at(20).policy {
                $0.higher = .never
                $0.peers = .stop
                $0.lower = .never
            }
            .at(30).show("C", priority: 5, key: "k")
            .at(40).show("D", priority: 9, key: "k")
            .gives(
                """
                0 shown A
                10 queued B
                30 closed B REPLACED
                30 queued C
                40 closed C REPLACED
                40 queued D
                """)
    }

    @Test func `replacing a paused popup: it takes that place in the queue`() {
        Timeline()
            .show("A", duration: 100, key: "k")
            .at(10).show("B", priority: 1)
            .at(20).show("C")
            .at(30).show("D", duration: 100, key: "k")
            .at(40).peek()
            .at(50).dismiss("B")
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                20 queued C
                30 closed A REPLACED
                30 queued D
                40 peek B active, D waiting, C waiting
                50 closed B DISMISSED
                50 shown D
                150 closed D TIMED_OUT
                150 shown C
                """)
    }

    @Test func `replacing a paused popup at another priority: it moves without preempting`() {
        Timeline()
            .show("A", key: "k")
            .at(10).show("B", priority: 1)
            .at(20).show("C", priority: 9, key: "k")
            .at(30).peek()
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                20 closed A REPLACED
                20 queued C
                30 peek B active, C waiting
                """)
    }

    @Test func `a newcomer that replaced a paused popup waits for the gap`() {
        Timeline()
            .policy { $0.gap = 50...50 }
            .show("A", key: "k")
            .at(10).show("B", priority: 1)
            .at(20).show("C", key: "k")
            .at(30).dismiss("B")
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                20 closed A REPLACED
                20 queued C
                30 closed B DISMISSED
                80 shown C
                """)
    }

    @Test func `a delayed newcomer collapses when it arrives, and emits no second queued event`() {
        Timeline()
            .show("A")
            .show("B", delay: 50, key: "k")
            .at(10).show("C", key: "k")
            .at(60).peek()
            .gives(
                """
                0 shown A
                0 queued B
                10 closed B REPLACED
                10 queued C
                60 peek A active, C waiting
                """)
        Timeline()
            .show("A", key: "k")
            .show("B", delay: 50, key: "k")
            .gives(
                """
                0 shown A
                0 queued B
                50 closed A REPLACED
                50 shown B
                """)
    }

    @Test
    func `where only delayed popups have the key, the earliest accepted closes and the newcomer is an ordinary one`() {
        Timeline()
            .show("A", priority: 1)
            .show("B", delay: 50, key: "k")
            .show("C", delay: 20, key: "k")
            .at(10).show("D", priority: 2, key: "k")
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed B REPLACED
                10 paused A
                10 shown D
                20 closed D REPLACED
                20 shown C
                """)
    }

    @Test func `a popup that is held back is replaced by one that is shown at once`() {
        Timeline()
            .suspend("t", below: 2)
            .show("A", key: "k")
            .at(10).show("B", priority: 3, key: "k")
            .gives(
                """
                0 queued A
                10 closed A REPLACED
                10 shown B
                """)
    }

    @Test func `a key applies within its group, and to live popups only`() {
        Timeline()
            .show("A", in: "x", key: "k")
            .show("B", in: "y", key: "k")
            .at(10).dismiss("A")
            .at(20).show("C", in: "x", key: "k")
            .gives(
                """
                0 x: shown A
                0 y: shown B
                10 x: closed A DISMISSED
                20 x: shown C
                """)
    }

    @Test func `the replacement of a newcomer that came too early inherits its attempt`() {
        Timeline()
            .show("A", minDisplay: 100)
            .at(10).show("B", priority: 1, key: "k")
            .at(20).show("C", priority: 1, key: "k")
            .gives(
                """
                0 shown A
                10 queued B
                20 closed B REPLACED
                20 queued C
                100 paused A
                100 shown C
                """)
    }

    @Test func `the newcomer's own time to live applies`() {
        Timeline()
            .show("A")
            .at(10).show("B", ttl: 50, key: "k")
            .at(30).show("C", ttl: 50, key: "k")
            .gives(
                """
                0 shown A
                10 queued B
                30 closed B REPLACED
                30 queued C
                80 closed C EXPIRED
                """)
    }

    @Test(arguments: ["", "ok"])
    func `replacing the active popup that it requires`(action: String) {
        Timeline().show("A", key: "k", flow: .init("f")).show("X")
            .at(10).show("B", key: "k", flow: .init("f", requires: "A", action: action))
            .gives(
                """
                0 shown A
                0 queued X
                10 closed A REPLACED
                \(action.isEmpty ? "10 shown B" : "10 closed B UNMET\n10 shown X")
                """)
    }
}
