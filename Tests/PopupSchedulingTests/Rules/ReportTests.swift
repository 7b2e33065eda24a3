import PopupScheduling
import Testing

@Suite struct ReportTests {
    @Test(arguments: Policy.Undisplayed.allCases)
    func `nobody displayed it in time`(undisplayed: Policy.Undisplayed) {
        let comes =
            switch undisplayed {
            case .hold: "200 closed A CLEARED\n200 closed B CLEARED"
            case .skip:
                "50 queued A\n50 shown B\n70 closed B TIMED_OUT\n70 shown A attempt 2\n120 queued A\n120 shown A attempt 3\n170 closed A UNDISPLAYED"
            case .close: "50 closed A UNDISPLAYED\n50 shown B\n70 closed B TIMED_OUT"
            }
        Timeline().policy {
            $0.displayTimeout = 50; $0.undisplayed = undisplayed
        }.show("A").show("B", duration: 20)
            .at(200).clear()
            .gives("0 shown A\n0 queued B\n\(comes)")
    }

    @Test(arguments: [Report.Kind.displayed, .visible])
    func `a report in time is enough`(kind: Report.Kind) {
        Timeline().policy {
            $0.displayTimeout = 50; $0.undisplayed = .close
        }.show("A")
            .at(49).tell(.report("A", client: "r1", kind)).gives("0 shown A")
    }

    @Test func `skipped it goes behind its equals, without a gap and with its whole time`() {
        Timeline().policy {
            $0.displayTimeout = 50; $0.undisplayed = .skip; $0.gap = 30...30
        }
        .show("A", priority: 1, duration: 80, ttl: 60).show("B", priority: 1, duration: 10)
        .show("C", priority: 0)
        .at(90).displayed("A", by: "r1")
        .gives(
            """
            0 shown A
            0 queued B
            0 queued C
            50 queued A
            50 shown B
            60 closed B TIMED_OUT
            90 shown A attempt 2
            170 closed A TIMED_OUT
            200 shown C
            250 queued C
            250 shown C attempt 2
            300 queued C
            300 shown C attempt 3
            350 closed C UNDISPLAYED
            """)
    }

    @Test func `a resumed popup has to be displayed again`() {
        Timeline().policy {
            $0.displayTimeout = 50; $0.undisplayed = .close
        }.show("A").displayed("A", by: "r1")
            .at(10).show("B", priority: 1, duration: 10)
            .gives("0 shown A\n10 paused A\n10 shown B\n20 closed B TIMED_OUT\n20 resumed A\n70 closed A UNDISPLAYED")
    }

    @Test func `only the one that is shown is reported on`() {
        Timeline().show("A").show("B").displayed("B", by: "r1").visible("X", by: "r1").dismiss("A").hidden(
            "A", by: "r1"
        )
        .show("C", priority: 1, offer: 50).displayed("C", by: "r1").displayed("B", by: "r1")
        .at(10).veto("C")
        .gives(
            """
            0 shown A
            0 queued B
            0 refused B STALE notShown
            0 refused X NOT_FOUND unknownPopup
            0 closed A DISMISSED
            0 shown B
            0 refused A STALE popupClosed
            0 paused B
            0 offered C
            0 refused C STALE notShown
            0 refused B STALE notShown
            10 closed C VETOED
            10 resumed B
            """)
    }

    @Test func `a report changes no revision`() {
        Timeline().show("A").displayed("A", by: "r1").visible("A", by: "r2").hidden("A", by: "r2").at(10).dismiss("A")
            .gives("0 r1 shown A\n10 r2 closed A DISMISSED", [.revision])
    }
}
