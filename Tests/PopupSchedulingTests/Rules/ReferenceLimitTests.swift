import PopupScheduling
import Testing

/// The bounds of what popups refer to: flows, renderers, pages, the showings that caps count. Beyond each there is a
/// refusal that names it and changes nothing.
@Suite struct ReferenceLimitTests {
    private func limited(_ change: (inout Limits) -> Void) -> Timeline {
        var limits = Limits()
        change(&limits)
        return Timeline(limits: limits)
    }

    @Test func `live members of a flow`() {
        limited { $0.membersPerFlow = 2 }
            .show("A", flow: .init("f")).show("B", flow: .init("f")).show("C", flow: .init("f"))
            .show("C", flow: .init("h")).dismiss("A").show("D", flow: .init("f"))
            .gives(
                """
                0 shown A
                0 queued B
                0 refused C OVERLOAD membersPerFlow
                0 queued C
                0 closed A DISMISSED
                0 shown B
                0 queued D
                """)
    }

    @Test func `renderers: those with a lease, and those with renderings`() {
        limited { $0.renderers = 2 }
            .show("A", quorum: 3).lease("r1").dismiss("A", by: "r2").lease("r3").dismiss("A", by: "r4")
            .at(5001).dismiss("A", by: "r3").at(5002).dismiss("A", "ok")
            .lease("r5").lease("r6").lease("r7")
            .gives(
                """
                0 shown A
                0 refused\(" ") OVERLOAD renderers
                0 refused A OVERLOAD renderers
                5002 closed A DISMISSED ok
                5002 refused\(" ") OVERLOAD renderers
                """)
    }

    @Test func `renderers of one popup`() {
        limited { $0.renderersPerPopup = 1 }
            .show("A", quorum: 2).displayed("A", by: "r1").displayed("A", by: "r1").displayed("A", by: "r2")
            .dismiss("A", by: "r1").dismiss("A", by: "r2").dismiss("A")
            .gives(
                """
                0 shown A
                0 refused A OVERLOAD renderersPerPopup
                0 refused A OVERLOAD renderersPerPopup
                0 closed A DISMISSED
                """)
    }

    @Test func `groups of a lease`() {
        limited { $0.groupsPerLease = 2 }
            .lease("r1", ["a", "b/*", "c"]).lease("r1", ["a", "b/*"])
            .gives("0 refused  OVERLOAD groupsPerLease")
    }

    @Test func `page trees: those with a page, and those with a bound popup`() {
        limited { $0.pageTrees = 2 }
            .open("home", in: "t").show("A", page: .init("x", .current, in: "u"))
            .open("home", in: "v").show("B", page: .init("x", .current, in: "v"))
            .clearPages(in: "t").open("home", in: "v")
            .dismiss("A").show("B", page: .init("x", .current, in: "w")).dismiss("B")
            .gives(
                """
                0 queued A
                0 refused\(" ") OVERLOAD pageTrees
                0 refused B OVERLOAD pageTrees
                0 closed A DISMISSED
                0 queued B
                0 closed B DISMISSED
                """, onSchedulerAlone: true)
    }

    @Test func `pages of a tree`() {
        limited { $0.pagesPerTree = 2 }
            .open("home").open("a", below: "home").open("b", below: "home").close("a").open("b", below: "home")
            .gives("0 refused  OVERLOAD pagesPerTree")
    }

    @Test func `the depth of a tree`() {
        limited { $0.pageDepth = 2 }
            .open("home").open("a", below: "home").open("b", below: "a").open("b", below: "home")
            .gives("0 refused  OVERLOAD pageDepth")
    }

    @Test func `showings remembered by caps; those outside of their windows are removed`() {
        limited { $0.cappedShowings = 2 }
            .policy { $0.caps = [Cap(most: 5, window: 100)] }
            .show("A", duration: 10).at(20).show("B", duration: 10).at(40).show("C", duration: 10)
            .at(100).show("C", duration: 10)
            .gives(
                """
                0 shown A
                10 closed A TIMED_OUT
                20 shown B
                30 closed B TIMED_OUT
                40 refused C OVERLOAD cappedShowings
                100 shown C
                110 closed C TIMED_OUT
                """)
    }

    @Test func `the limit of remembered showings does not concern groups without caps`() {
        limited { $0.cappedShowings = 1 }
            .policy { $0.caps = [Cap(most: 5, window: 100)] }
            .show("A", duration: 10).show("B").show("C", in: "h").at(20).show("D", in: "i")
            .gives(
                """
                0 shown A
                0 refused B OVERLOAD cappedShowings
                0 h: shown C
                10 closed A TIMED_OUT
                20 i: shown D
                """)
    }

    @Test func `a refused member leaves no flow behind, a refused popup no tree`() {
        limited { $0.waitingPerGroup = 1 }
            .show("A").show("B")
            .show("C", flow: .init("f", stage: 1), page: .init("x", .current, in: "t"), session: "s", capKey: "k")
            .dismiss("B").show("C", flow: .init("f", stage: 1), page: .init("x", .current, in: "t"))
            .dismiss("C")
            .gives(
                """
                0 shown A
                0 queued B
                0 refused C OVERLOAD waitingPerGroup
                0 closed B DISMISSED
                0 queued C
                0 closed C DISMISSED
                """)
    }
}
