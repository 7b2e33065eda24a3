import PopupScheduling
import Testing

@Suite struct PolicyTests {
    // MARK: - Which policy holds

    private func duration(_ time: UInt32) -> Policy {
        var policy = Policy()
        policy.defaultDuration = time
        return policy
    }

    @Test func `the exact name wins, then the pattern with most segments, then the star`() {
        Timeline()
            .policy(duration(40), for: "a/b/c").policy(duration(10), for: "*")
            .policy(duration(30), for: "a/b/*").policy(duration(20), for: "a/*")
            .show("1", in: "a/b/c").show("2", in: "a/b/d").show("3", in: "a/b").show("4", in: "a").show("5", in: "ab/c")
            .show("6", in: "a/b/c/d")
            .gives(
                """
                0 a/b/c: shown 1
                0 a/b/d: shown 2
                0 a/b: shown 3
                0 a: shown 4
                0 ab/c: shown 5
                0 a/b/c/d: shown 6
                10 a: closed 4 TIMED_OUT
                10 ab/c: closed 5 TIMED_OUT
                20 a/b: closed 3 TIMED_OUT
                30 a/b/d: closed 2 TIMED_OUT
                30 a/b/c/d: closed 6 TIMED_OUT
                40 a/b/c: closed 1 TIMED_OUT
                """)
    }

    @Test func `a second policy for the same pattern replaces the first one completely`() {
        Timeline()
            .policy(for: "*") { $0.defaultDuration = 50 }
            .policy {
                $0.defaultDuration = 100
                $0.gap = 30...30
            }
            .policy { $0.peers = .never }
            .show("A").show("B")
            .at(500).dismiss("A").show("C")
            .gives(
                """
                0 shown A
                0 closed B REJECTED
                500 closed A DISMISSED
                500 shown C
                """)
    }

    // MARK: - What a new policy changes at once

    @Test func `a new policy reorders the queue without preemption`() {
        Timeline()
            .policy(.fifo)
            .show("A").show("B", priority: 1).show("C", priority: 2)
            .at(10).peek().policy(.priority).peek()
            .at(20).policy(.fifo).peek()
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 peek A active, B waiting, C waiting
                10 peek A active, C waiting, B waiting
                20 peek A active, B waiting, C waiting
                """)
    }

    @Test func `newcomers meet the new policy`() {
        Timeline()
            .policy(.polite).show("A").at(10).show("B", priority: 1)
            .at(20).policy(.priority).show("C", priority: 1)
            .gives(
                """
                0 shown A
                10 queued B
                20 paused A
                20 shown C
                """)
    }

    @Test func `the active popup's display time follows the default and the maximum`() {
        Timeline().policy(duration(100)).show("A").at(40).policy(duration(60))
            .gives("0 shown A\n60 closed A TIMED_OUT")
        Timeline().policy(duration(100)).show("A").at(40).policy(duration(0)).at(500).dismiss("A")
            .gives("0 shown A\n500 closed A DISMISSED")
        Timeline().show("A").at(40).policy { $0.maxDuration = 90 }
            .gives("0 shown A\n90 closed A TIMED_OUT")
        Timeline().policy(duration(100)).show("A", duration: 70).at(40).policy(duration(10))
            .gives("0 shown A\n70 closed A TIMED_OUT")
    }

    @Test func `a used-up display time ends at once, followed by the new policy's gap`() {
        Timeline().show("A").show("B").at(40).policy {
            $0.maxDuration = 40
            $0.gap = 10...10
        }
        .gives(
            """
            0 shown A
            0 queued B
            40 closed A TIMED_OUT
            50 shown B
            90 closed B TIMED_OUT
            """)
    }

    @Test func `paused popups with a used-up display time close too`() {
        Timeline()
            .show("A").at(190).show("B", priority: 1)
            .at(200).policy { $0.maxDuration = 10 }
            .gives(
                """
                0 shown A
                190 paused A
                190 shown B
                200 closed A TIMED_OUT
                200 closed B TIMED_OUT
                """)
    }

    @Test func `with restart a paused popup keeps its whole time, without restart it closes`() {
        Timeline()
            .policy(.stacked)
            .show("A").at(190).show("B", priority: 1, duration: 500)
            .at(200).policy(.stacked) { $0.maxDuration = 50 }
            .at(210).policy { $0.maxDuration = 50 }
            .gives(
                """
                0 shown A
                190 paused A
                190 shown B
                210 closed A TIMED_OUT
                240 closed B TIMED_OUT
                """)
    }

    @Test func `all groups of a pattern follow, in byte order`() {
        Timeline()
            .show("B", in: "s/b").show("A", in: "s/a").show("S", in: "s")
            .at(50).policy(for: "s/*") { $0.maxDuration = 50 }
            .gives(
                """
                0 s/b: shown B
                0 s/a: shown A
                0 s: shown S
                50 s/a: closed A TIMED_OUT
                50 s/b: closed B TIMED_OUT
                """)
    }

    @Test func `a more general policy does not change a group with its own`() {
        Timeline()
            .policy(duration(100)).show("A")
            .at(50).policy(duration(10), for: "*")
            .gives("0 shown A\n100 closed A TIMED_OUT")
    }

    @Test func `popups that become eligible by a new policy do not preempt`() {
        Timeline().policy { $0.caps = [Cap(key: Array("ad".utf8), most: 1, window: 1000)] }
            .show("A", duration: 10, capKey: "ad").at(20).show("X").show("B", priority: 9, capKey: "ad")
            .at(30).policy(.priority).at(40).dismiss("X")
            .gives(
                """
                0 shown A
                10 closed A TIMED_OUT
                20 shown X
                20 queued B
                40 closed X DISMISSED
                40 shown B
                """)
    }
}
