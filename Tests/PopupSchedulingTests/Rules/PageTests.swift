import PopupScheduling
import Testing

@Suite struct PageTests {
    private let home = Timeline().open("home")

    @Test func `a popup bound to a page waits until it is the current one`() {
        home.open("list", below: "home").show("A", page: .init("list")).at(10).enter("list")
            .gives("0 queued A\n10 shown A")
    }

    @Test func `a popup bound within a page is shown on all pages below it`() {
        home.open("list", below: "home").open("item", below: "list").show("A", page: .init("list", .within))
            .show("B", page: .init("list"))
            .at(10).enter("item").at(20).enter("list").at(30).enter("home").at(40).peek()
            .gives(
                """
                0 queued A
                0 queued B
                10 shown A
                30 paused A
                40 peek A paused, B waiting
                """)
    }

    @Test func `an active popup is paused when its page is left, and resumed when it is entered again`() {
        home.open("list", below: "home").show("A", duration: 100, page: .init("home")).show("X")
            .at(30).enter("list").at(50).enter("home").at(60).dismiss("X")
            .gives(
                """
                0 shown A
                0 queued X
                30 paused A
                30 shown X
                60 closed X DISMISSED
                60 resumed A
                130 closed A TIMED_OUT
                """)
    }

    @Test func `a popup whose page is entered preempts only if it is strictly higher`() {
        Timeline().policy {
            $0.peers = .stop; $0.lower = .never
        }.open("home").open("list", below: "home")
            .show("X").show("A", page: .init("list")).show("B", priority: 1, page: .init("list"))
            .show("C", priority: -1, page: .init("list"))
            .at(10).enter("list")
            .gives(
                """
                0 shown X
                0 queued A
                0 queued B
                0 queued C
                10 paused X
                10 shown B
                """)
    }

    @Test func `when the last page with its value closes, waiting, paused, active and delayed popups close`() {
        home.open("a", below: "home", value: "item").open("b", below: "home", value: "item").enter("a")
            .show("A", page: .init("item")).show("B", priority: 1, page: .init("item"))
            .show("C", page: .init("item", .within)).show("D", delay: 90, page: .init("item"))
            .show("E", page: .init("home", .within))
            .at(10).close("b").at(20).close("a")
            .gives(
                """
                0 shown A
                0 paused A
                0 shown B
                0 queued C
                0 queued D
                0 queued E
                20 closed B PAGE_CLOSED
                20 closed A PAGE_CLOSED
                20 closed C PAGE_CLOSED
                20 closed D PAGE_CLOSED
                20 shown E
                """)
    }

    @Test func `closing a page closes all pages below it, and makes its parent current`() {
        home.open("list", below: "home").open("item", below: "list").open("about", below: "home").enter("item")
            .show("A", page: .init("item")).show("B", page: .init("list")).show("C", page: .init("home"))
            .at(10).close("list").at(20).enter("item")
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed A PAGE_CLOSED
                10 closed B PAGE_CLOSED
                10 shown C
                20 refused  NOT_FOUND unknownPage
                """)
    }

    @Test func `closing another page keeps the current one`() {
        home.open("list", below: "home").open("about", below: "home").enter("about").close("list")
            .show("A", page: .init("about")).gives("0 shown A")
    }

    @Test func `after the root closes another one may be opened`() {
        home.close("home").open("start").show("A", page: .init("start")).clearPages().open("third")
            .show("B", page: .init("third")).clearPages(in: "unknown")
            .gives("0 shown A\n0 closed A PAGE_CLOSED\n0 shown B")
    }

    @Test func `trees are independent`() {
        home.open("home", in: "u").open("list", below: "home", in: "u").enter("list", in: "u")
            .show("A", page: .init("home")).show("B", page: .init("home", in: "u"))
            .at(10).dismiss("A").at(20).enter("home", in: "u")
            .gives("0 shown A\n0 queued B\n10 closed A DISMISSED\n20 shown B")
    }

    @Test func `a popup waits for a page value that was never opened`() {
        home.show("A", page: .init("list")).close("home").at(10).open("list").gives("0 queued A\n10 shown A")
    }

    @Test func `invalid changes of pages are refused`() {
        home.open("home").open("home", value: "start").open("other").open("list", below: "nowhere").enter("list")
            .close("list").open("list", below: "home", in: "u").open("list", below: "home").open("list", below: "home")
            .open("list", below: "list")
            .gives(
                """
                0 refused  CONFLICT pageExists
                0 refused  CONFLICT rootExists
                0 refused  NOT_FOUND unknownPage
                0 refused  NOT_FOUND unknownPage
                0 refused  NOT_FOUND unknownPage
                0 refused  NOT_FOUND unknownPage
                0 refused  CONFLICT pageExists
                """)
    }

    @Test func `too many pages and too deep ones are refused`() {
        Timeline(limits: .tight).open("a").open("b", below: "a").open("c", below: "b").open("d", below: "c")
            .open("e", below: "b").open("f", below: "b")
            .gives("0 refused  OVERLOAD pageDepth\n0 refused  OVERLOAD pagesPerTree")
    }

    @Test func `too many trees are refused`() {
        var limits = Limits()
        limits.pageTrees = 1
        Timeline(limits: limits).open("a").open("a", in: "u").at(10).clearPages().open("a", in: "u")
            .show("A", page: .init("a", in: "u"))
            .gives("0 refused  OVERLOAD pageTrees\n10 shown A")
    }

    // MARK: - Paths

    @Test func `events carry the path of the group's tree at their time`() {
        home.open("list", below: "home").open("item", below: "list", value: "detail").enter("item")
            .policy { $0.pageTree = Array("t".utf8) }
            .show("A").show("B", in: "h").at(10).enter("list").dismiss("A").at(20).show("C", page: .init("list"))
            .at(30).close("list").show("D").clearPages().dismiss("D")
            .gives(
                """
                0 shown A on home/list/detail
                0 h: shown B
                10 closed A DISMISSED on home/list
                20 shown C on home/list
                30 closed C PAGE_CLOSED on home
                30 shown D on home
                30 closed D DISMISSED
                """, [.path])
    }

    @Test func `when a flow continues, members whose page is entered wait for it`() {
        home.open("list", below: "home").enter("list").show(
            "A", priority: 9, flow: .init("f", stage: 1), page: .init("list")
        )
        .show("B", flow: .init("f", stage: 2)).show("C", priority: 5, page: .init("home"))
        .at(10).close("list")
        .gives(
            """
            0 shown A
            0 queued B
            0 queued C
            10 closed A PAGE_CLOSED
            10 shown B
            """)
    }

    @Test func `a flow skips members whose page is not current`() {
        home.open("list", below: "home").show("A", flow: .init("f", stage: 1), page: .init("home"))
            .show("B", flow: .init("f", stage: 2), page: .init("list")).show("C", flow: .init("f", stage: 3))
            .at(10).dismiss("A").at(20).dismiss("C").at(30).enter("list")
            .gives(
                "0 shown A\n0 queued B\n0 queued C\n10 closed A DISMISSED\n10 shown C\n20 closed C DISMISSED\n30 shown B"
            )
    }

    @Test func `refusals with a known group carry the path too`() {
        Timeline().open("home").policy { $0.pageTree = Array("t".utf8) }.show("A").dismiss("A").dismiss("A")
            .gives(
                """
                0 shown A on home
                0 closed A DISMISSED on home
                0 refused A STALE popupClosed on home
                """, [.path])
    }
}
