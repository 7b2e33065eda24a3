import PopupScheduling
import Testing

/// Every table has a bound, and beyond it a refusal that names it and changes nothing.
@Suite struct LimitTests {
    private func limited(_ change: (inout Limits) -> Void) -> Timeline {
        var limits = Limits()
        change(&limits)
        return Timeline(limits: limits)
    }

    @Test func `live popups`() {
        limited { $0.popups = 2 }
            .show("A", in: "a").show("B", in: "b").show("C", in: "c").show("X", in: "a", exclusive: .all)
            .at(10).dismiss("A").show("C", in: "c")
            .gives(
                """
                0 a: shown A
                0 b: shown B
                0 c: refused C OVERLOAD popups
                0 a: refused X OVERLOAD popups
                10 a: closed A DISMISSED
                10 c: shown C
                """)
    }

    @Test func `live popups: one producer leaves room for others`() {
        let (busy, polite) = (ProducerID(high: 7, low: 1), ProducerID(high: 7, low: 2))
        var timeline = limited { $0.popups = 90 }
        for number in 1...81 { timeline = timeline.show("f\(number)", in: "g\(number)", producer: busy) }
        let shown = (1...81).map { "0 g\($0): shown f\($0)" }.joined(separator: "\n")
        timeline.show("f82", in: "f", producer: busy).show("mine", in: "m", producer: polite).show("a", in: "n")
            .show("f83", in: "f", producer: busy)
            .gives(
                shown + "\n0 f: refused f82 OVERLOAD share of popups\n0 m: shown mine\n0 n: shown a"
                    + "\n0 f: refused f83 OVERLOAD share of popups")
    }

    @Test func `waiting popups of a group, whatever its policy allows`() {
        for most in [UInt32?.none, 2, 100] {
            limited { $0.waitingPerGroup = 1 }
                .policy { $0.maxWaiting = most }
                .show("A").show("B").show("C").show("D", priority: 1)
                .gives(
                    """
                    0 shown A
                    0 queued B
                    0 refused C OVERLOAD waitingPerGroup
                    0 paused A
                    0 shown D
                    """)
        }
    }

    @Test func `at that limit the policy's overflow applies too`() {
        limited { $0.waitingPerGroup = 1 }
            .policy { $0.overflow = .dropOldest }
            .show("A").show("B").show("C")
            .gives(
                """
                0 shown A
                0 queued B
                0 closed B EVICTED
                0 queued C
                """)
    }

    @Test func `the refusal names the policy's own maximum if it is smaller`() {
        limited { $0.waitingPerGroup = 2 }
            .policy { $0.maxWaiting = 1 }
            .show("A").show("B").show("C")
            .gives("0 shown A\n0 queued B\n0 refused C OVERLOAD maxWaiting")
    }

    @Test func `suspension tokens; an existing one is replaced at the limit`() {
        limited { $0.suspensions = 2 }
            .show("A")
            .suspend("t", below: 0).suspend("u", below: 0).suspend("v").suspend("v", in: "s/*").suspend("u")
            .at(10).resume("u").suspend("v")
            .gives(
                """
                0 shown A
                0 refused\(" ") OVERLOAD suspensions
                0 refused\(" ") OVERLOAD suspensions
                0 paused A
                10 resumed A
                10 paused A
                """)
    }

    @Test func `policies; an existing one is replaced at the limit`() {
        limited { $0.policies = 2 }
            .policy(.fifo).policy(.fifo, for: "*").policy(.fifo, for: "s/*").policy(.lifo)
            .show("A").show("B")
            .at(10).removePolicy(for: "*").policy(.fifo, for: "s/*")
            .gives(
                """
                0 refused\(" ") OVERLOAD policies
                0 shown A
                0 paused A
                0 shown B
                """)
    }

    @Test func `remembered ids: beyond the limit the oldest closed one is forgotten; live ones alone fill it`() {
        limited {
            $0.maxIDs = 2
            $0.deduplicationWindow = 100
        }
        .show("A", duration: 10).show("B", duration: 10)
        .at(5).show("C")
        .at(50).show("C", duration: 10).explain("A").explain("B")
        .at(61).show("B").show("A", duration: 10)
        .gives(
            """
            0 shown A
            0 queued B
            5 refused C OVERLOAD maxIDs
            10 closed A TIMED_OUT
            10 shown B
            20 closed B TIMED_OUT
            50 shown C
            50 explain A none: unknown
            50 explain B closed: closed TIMED_OUT at 20 after 10
            60 closed C TIMED_OUT
            61 shown A
            71 closed A TIMED_OUT
            """)
    }

    @Test func `an id is forgotten after the deduplication window, and may be used again`() {
        limited { $0.deduplicationWindow = 100 }
            .show("A", duration: 10)
            .at(109).show("A").explain("A").dismiss("A")
            .at(110).dismiss("A").explain("A").show("A")
            .gives(
                """
                0 shown A
                10 closed A TIMED_OUT
                109 explain A closed: closed TIMED_OUT at 10 after 10
                109 refused A STALE popupClosed
                110 refused A NOT_FOUND unknownPopup
                110 explain A none: unknown
                110 shown A
                """)
    }

    @Test func `groups: idle ones are removed, the longest idle first, and no revision goes back`() {
        limited {
            $0.groups = 2
            $0.deduplicationWindow = 100
        }
        .show("A", in: "a", duration: 10).show("B", in: "b")
        .at(20).show("C", in: "c")
        .at(120).show("C", in: "c").update("B", content: "x")
        .at(130).state("a").state("b").state("c")
        .gives(
            """
            0 r1 a: shown A
            0 r1 b: shown B
            10 r2 a: closed A TIMED_OUT
            20 r0 c: refused C OVERLOAD groups
            120 r3 c: shown C
            120 r2 b: updated B
            130 state none
            130 state r2 active 0 since r2 no end, 0 waiting, 0 paused
            130 state r3 active 0 since r3 no end, 0 waiting, 0 paused
            """, .revision, onSchedulerAlone: true)
    }

    @Test func `groups: one whose slot a flow holds is not removed`() {
        var limits = Limits()
        limits.groups = 1
        limits.deduplicationWindow = 10
        Timeline(limits: limits)
            .at(0).show("A", flow: .init("f", hold: 500)).at(10).dismiss("A")
            .at(100).show("B", in: "h").at(600).show("C", in: "h")
            .gives(
                """
                0 shown A
                10 closed A DISMISSED
                100 h: refused B OVERLOAD groups
                600 h: shown C
                """, onSchedulerAlone: true)
    }

    @Test func `bytes of names and content`() {
        let content = String(repeating: "x", count: 600)
        limited { $0.contentBytes = 1900 }
            .show("A", content: content).show("B", content: content).show("C", content: content)
            .at(10).update("A", content: content + content).content()
            .at(20).dismiss("B").show("D", content: "small")
            .gives(
                """
                0 shown A
                0 queued B
                0 refused C OVERLOAD contentBytes
                10 refused A OVERLOAD contentBytes
                10 content \(content)
                20 closed B DISMISSED
                20 queued D
                """, onSchedulerAlone: true)
    }

    @Test func `names and contents that are too long`() {
        let name = String(repeating: "n", count: Limits.nameBytes + 1)
        let content = String(repeating: "x", count: Limits.largestContent + 1)
        Timeline()
            .show("A")
            .show("B", key: name).show("B", surface: name).show("B", content: content)
            .update("A", content: content)
            .dismiss("A", name).suspend(name)
            .show(
                "B", key: String(name.dropLast()), surface: String(name.dropLast()), content: String(content.dropLast())
            )
            .gives(
                """
                0 shown A
                0 refused B TOO_LARGE tooLong
                0 refused B TOO_LARGE tooLong
                0 refused B TOO_LARGE tooLong
                0 refused A TOO_LARGE tooLong
                0 refused A TOO_LARGE tooLong
                0 refused\(" ") TOO_LARGE tooLong
                0 queued B
                """, onSchedulerAlone: true)
    }
}
