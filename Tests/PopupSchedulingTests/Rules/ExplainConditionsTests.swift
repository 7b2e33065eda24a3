import PopupScheduling
import Testing

/// `explain` names the rule, and the flow's member, the page, the session, the cap that keeps a popup from the slot.
@Suite struct ExplainConditionsTests {
    @Test func `an offer, with the remaining time`() {
        Timeline().show("A", offer: 100).at(40).explain("A").accept("A")
            .gives("0 offered A\n40 explain A offered: offered(60)\n40 shown A", onSchedulerAlone: true)
    }

    @Test func `a later, with the remaining time`() {
        Timeline().show("A", offer: 100).later("A", retry: 50).at(20).explain("A").at(60).veto("A")
            .gives(
                """
                0 offered A
                0 queued A
                20 explain A waiting: retry(30)
                50 offered A
                60 closed A VETOED
                """, onSchedulerAlone: true)
    }

    @Test func `a veto, with the renderer`() {
        Timeline().show("A", offer: 100).veto("A", by: "r9").explain("A")
            .gives(
                "0 offered A\n0 closed A VETOED\n0 explain A closed: closed VETOED by r9 at 0 after 0",
                onSchedulerAlone: true)
    }

    @Test func `a page that is not current, or not on the current path`() {
        Timeline().show("A", page: .init("cart", .current)).show("B", page: .init("shop", .within))
            .explain("A").explain("B").dismiss("A").dismiss("B")
            .gives(
                """
                0 queued A
                0 queued B
                0 explain A waiting: page(PopupScheduling.PageBinding.Scope.current, tree: "t", value: "cart")
                0 explain B waiting: page(PopupScheduling.PageBinding.Scope.within, tree: "t", value: "shop")
                0 closed A DISMISSED
                0 closed B DISMISSED
                """, onSchedulerAlone: true)
    }

    @Test func `a session that is not the group's`() {
        Timeline().setSession("anna").show("A", session: "bert").explain("A").dismiss("A")
            .gives("0 queued A\n0 explain A waiting: session(\"bert\")\n0 closed A DISMISSED", onSchedulerAlone: true)
    }

    @Test func `a cap without space to count a showing, and when it allows one more`() {
        var limits = Limits()
        limits.cappedShowings = 1
        Timeline(limits: limits).policy { $0.caps = [Cap(most: 5, window: 1000)] }
            .show("B", duration: 10, delay: 20).show("C", duration: 10, delay: 20).show("A", duration: 10)
            .at(100).explain("C")
            .gives(
                """
                0 queued B
                0 queued C
                0 shown A
                10 closed A TIMED_OUT
                20 shown B
                30 closed B TIMED_OUT
                100 explain C waiting: capWithoutSpace(key: "", most: 5, window: 1000, 920)
                1020 shown C
                1030 closed C TIMED_OUT
                """, onSchedulerAlone: true)
    }

    @Test func `a cap, with what it allows and when it allows one more`() {
        Timeline().policy { $0.caps = [Cap(key: Array("ad".utf8), most: 1, window: 1000)] }
            .show("A", duration: 10, capKey: "ad").show("B", duration: 10, capKey: "ad").show("C", duration: 10)
            .at(100).explain("B")
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed A TIMED_OUT
                10 shown C
                20 closed C TIMED_OUT
                100 explain B waiting: cap(key: "ad", most: 1, window: 1000, 900)
                1000 shown B
                1010 closed B TIMED_OUT
                """, onSchedulerAlone: true)
    }

    @Test func `a quiet window, with the remaining time`() {
        let night = QuietWindow(from: 0, to: 6 * 60, zone: .utc, minimumPriority: 5)
        Timeline().policy { $0.quiet = [night] }.show("A", priority: 1, ttl: 7_200_000).at(3_600_000).explain("A")
            .at(7_200_001).removePolicy()
            .gives(
                """
                0 queued A
                3600000 explain A waiting: quiet(18000000)
                7200000 closed A EXPIRED
                """, onSchedulerAlone: true)
    }

    @Test func `a requirement of its flow`() {
        Timeline().show("A", flow: .init("f")).show("B", flow: .init("f", stage: 2, requires: "A", action: "ok"))
            .explain("B").dismiss("A", "no").explain("B")
            .gives(
                """
                0 shown A
                0 queued B
                0 explain B waiting: requirement(popup: "A", action: "ok") A
                0 closed A DISMISSED no
                0 closed B UNMET
                0 explain B closed: closed UNMET by A at 0 after 0
                """, onSchedulerAlone: true)
    }

    @Test func `the member that goes before it`() {
        Timeline().show("X").show("A", flow: .init("f", stage: 1)).show("B", priority: 9, flow: .init("f", stage: 2))
            .explain("A").explain("B").dismiss("X").explain("B").clear()
            .gives(
                """
                0 shown X
                0 queued A
                0 queued B
                0 explain A waiting: queue(ahead: 0) X
                0 explain B waiting: flow A
                0 closed X DISMISSED
                0 shown A
                0 explain B waiting: flow A
                0 closed B CLEARED
                0 closed A CLEARED
                """, onSchedulerAlone: true)
    }

    @Test func `a flow that holds the slot, with the remaining time`() {
        Timeline().show("A", flow: .init("f", hold: 100)).show("X").dismiss("A").at(30).explain("X").at(200).dismiss(
            "X"
        )
        .gives(
            """
            0 shown A
            0 queued X
            0 closed A DISMISSED
            30 explain X waiting: held(70)
            100 shown X
            200 closed X DISMISSED
            """, onSchedulerAlone: true)
    }

    @Test func `a flow that gathers, with the remaining time`() {
        Timeline().policy { $0.gather = 100 }.show("A", flow: .init("f")).at(40).explain("A").at(110).dismiss("A")
            .gives(
                """
                0 queued A
                40 explain A delayed: gathering(60)
                100 shown A
                110 closed A DISMISSED
                """, onSchedulerAlone: true)
    }

    @Test func `a closed popup, with the lost renderer or the closed page`() {
        Timeline().policy { $0.rendererLost = .close }
            .show("A").lease("r1").displayed("A", by: "r1").lease("r1", [])
            .open("home").open("cart", below: "home").show("B", page: .init("cart", .within)).close("cart")
            .explain("A").explain("B")
            .gives(
                """
                0 shown A
                0 closed A RENDERER_LOST
                0 queued B
                0 closed B PAGE_CLOSED
                0 explain A closed: closed RENDERER_LOST by r1 at 0 after 0
                0 explain B closed: closed PAGE_CLOSED by cart at 0 after 0
                """, onSchedulerAlone: true)
    }

    @Test func `all rules that hold the popup back, the decisive one first`() {
        let night = QuietWindow(from: 0, to: 60, zone: .utc, minimumPriority: 5)
        Timeline().policy { $0.quiet = [night] }.suspend("t", below: 2).suspend("u", below: 3).setSession("anna")
            .show("X", priority: 9, flow: .init("f"))
            .show("A", priority: 1, flow: .init("f", requires: "X"), page: .init("cart", .current), session: "bert")
            .at(600_000).explain("A", all: true).at(3_600_000).explain("A", all: true)
            .resume("t").resume("u").explain("A", all: true).setSession("bert").explain("A", all: true).clear()
            .gives(
                """
                0 shown X
                0 queued A
                600000 explain A waiting: suspended t u, quiet(3000000), page(PopupScheduling.PageBinding.Scope.current, tree: "t", value: "cart"), session("bert"), requirement(popup: "X", action: "") X, flow X, queue(ahead: 0) X
                3600000 explain A waiting: suspended t u, page(PopupScheduling.PageBinding.Scope.current, tree: "t", value: "cart"), session("bert"), requirement(popup: "X", action: "") X, flow X, queue(ahead: 0) X
                3600000 explain A waiting: page(PopupScheduling.PageBinding.Scope.current, tree: "t", value: "cart"), session("bert"), requirement(popup: "X", action: "") X, flow X, queue(ahead: 0) X
                3600000 explain A waiting: page(PopupScheduling.PageBinding.Scope.current, tree: "t", value: "cart"), requirement(popup: "X", action: "") X, flow X, queue(ahead: 0) X
                3600000 closed X CLEARED
                3600000 closed A CLEARED
                """, onSchedulerAlone: true)
    }

    @Test func `caps, a gap and a delay in addition to other rules`() {
        Timeline()
            .policy {
                $0.caps = [
                    Cap(key: Array("ad".utf8), most: 1, window: 1000), Cap(key: [], most: 1, window: 500),
                ]
                $0.gap = 100...100
            }
            .show("A", duration: 10, capKey: "ad").show("B", capKey: "ad").show("C", delay: 50, session: "bert")
            .at(30).explain("B", all: true).explain("C", all: true).clear()
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed A TIMED_OUT
                30 explain B waiting: cap(key: "ad", most: 1, window: 1000, 970), cap(key: "", most: 1, window: 500, 470), gap(80)
                30 explain C delayed: delayed(20), cap(key: "", most: 1, window: 500, 470), session("bert")
                30 closed B CLEARED
                30 closed C CLEARED
                """, onSchedulerAlone: true)
    }

    @Test func `members of a flow get their own reasons before the flow's`() {
        Timeline().suspend("t", below: 1).show("A", flow: .init("f", stage: 1))
            .show("B", priority: 5, flow: .init("f", stage: 2)).explain("A", all: true)
            .resume("t").explain("A", all: true).clear()
            .gives(
                """
                0 queued A
                0 shown B
                0 explain A waiting: suspended t, flow B, queue(ahead: 0) B
                0 explain A waiting: flow B, queue(ahead: 0) B
                0 closed B CLEARED
                0 closed A CLEARED
                """, onSchedulerAlone: true)
    }
}
