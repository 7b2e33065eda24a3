import PopupScheduling
import Testing

@Suite struct WhoGivesWayTests {
    /// All 64 tables, each against a newcomer of higher, the same and lower priority.
    @Test(arguments: [true, false])
    func `the policy decides the outcome of a newcomer`(interruptible: Bool) {
        for higher in Policy.Interruption.allCases {
            for peers in Policy.Interruption.allCases {
                for lower in Policy.Interruption.allCases {
                    for (priority, word) in [(Int32(6), higher), (5, peers), (4, lower)] {
                        Timeline()
                            .policy {
                                $0.higher = higher
                                $0.peers = peers
                                $0.lower = lower
                            }
                            .show("A", priority: 5, interruptible: interruptible)
                            .at(10).show("N", priority: priority)
                            .gives(Self.outcome(of: word, interruptible: interruptible))
                    }
                }
            }
        }
    }

    @Test func `with priorities ignored every newcomer has the same priority`() {
        for peers in Policy.Interruption.allCases {
            for priority in Int32(4)...6 {
                Timeline()
                    .policy {
                        $0.higher = .never
                        $0.peers = peers
                        $0.lower = .never
                        $0.ignorePriority = true
                    }
                    .show("A", priority: 5)
                    .at(10).show("N", priority: priority)
                    .gives(Self.outcome(of: peers, interruptible: true))
            }
        }
    }

    private static func outcome(of word: Policy.Interruption, interruptible: Bool) -> String {
        switch word {
        case .stop where interruptible: "0 shown A\n10 closed A PREEMPTED\n10 shown N"
        case .pause where interruptible: "0 shown A\n10 paused A\n10 shown N"
        case .stop, .pause, .defer: "0 shown A\n10 queued N"
        case .never: "0 shown A\n10 closed N REJECTED"
        }
    }

    @Test func `newcomers deferred by an uninterruptible popup are shown after it`() {
        Timeline()
            .show("A", duration: 100, interruptible: false)
            .at(10).show("B", priority: 9)
            .at(20).show("C", priority: 5)
            .gives(
                """
                0 shown A
                10 queued B
                20 queued C
                100 closed A TIMED_OUT
                100 shown B
                """)
    }

    @Test func `a rejected newcomer is closed and remembered`() {
        Timeline()
            .policy { $0.peers = .never }
            .show("A")
            .at(10).show("B").explain("B")
            .at(20).show("B")
            .at(30).dismiss("B")
            .gives(
                """
                0 shown A
                10 closed B REJECTED
                10 explain B closed: closed REJECTED by A at 10 after 0
                30 refused B STALE popupClosed
                """)
    }

    @Test func `no newcomer is rejected by a free slot`() {
        Timeline()
            .policy {
                $0.higher = .never
                $0.peers = .never
                $0.lower = .never
            }
            .show("A", duration: 50)
            .at(10).show("B")
            .at(50).show("C")
            .gives(
                """
                0 shown A
                10 closed B REJECTED
                50 closed A TIMED_OUT
                50 shown C
                """)
    }

    @Test func `a newcomer that is not eligible waits, even under never`() {
        Timeline()
            .policy { $0.peers = .never }
            .show("A", priority: 5)
            .suspend("t", below: 3)
            .at(10).show("B", priority: 2)
            .at(20).resume("t")
            .at(30).dismiss("A", "ok")
            .gives(
                """
                0 shown A
                10 queued B
                30 closed A DISMISSED ok
                30 shown B
                """)
    }

    @Test func `a lower newcomer that interrupted a higher popup is shown until it closes`() {
        Timeline()
            .policy { $0.lower = .pause }
            .show("A", priority: 5, duration: 100)
            .at(40).show("B", priority: 1, duration: 30)
            .at(50).peek()
            .gives(
                """
                0 shown A
                40 paused A
                40 shown B
                50 peek B active, A paused
                70 closed B TIMED_OUT
                70 resumed A
                130 closed A TIMED_OUT
                """)
    }

    @Test func `groups are independent`() {
        Timeline()
            .show("A", in: "x", priority: 1, duration: 100)
            .at(10).show("B", in: "y", priority: 9, duration: 100)
            .at(20).show("C", in: "x/y", duration: 100)
            .gives(
                """
                0 x: shown A
                10 y: shown B
                20 x/y: shown C
                100 x: closed A TIMED_OUT
                110 y: closed B TIMED_OUT
                120 x/y: closed C TIMED_OUT
                """)
    }
}
