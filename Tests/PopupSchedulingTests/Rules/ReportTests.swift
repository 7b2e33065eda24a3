import PopupScheduling
import Testing

@Suite struct ReportTests {
    @Test(arguments: Policy.Undisplayed.allCases)
    func `no renderer displayed it in time`(undisplayed: Policy.Undisplayed) {
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

    @Test func `a skipped popup moves behind its priority, without a gap and with its whole time`() {
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

    @Test func `a report about a popup that is not shown, or no longer, is dropped without an event`() {
        Timeline().policy {
            $0.displayTimeout = 50; $0.undisplayed = .close
        }
        .show("A").show("B").displayed("B", by: "r1").visible("X", by: "r1").dismiss("A").hidden("A", by: "r1")
        .show("C", priority: 1, offer: 50).displayed("C", by: "r1").displayed("B", by: "r1")
        .at(10).veto("C").at(20).displayed("A", by: "r1")
        .gives(
            """
            0 shown A
            0 queued B
            0 refused X NOT_FOUND unknownPopup
            0 closed A DISMISSED
            0 shown B
            0 paused B
            0 offered C
            10 closed C VETOED
            10 resumed B
            60 closed B UNDISPLAYED
            """)
    }

    @Test func `reports that are dropped are counted, others are not`() {
        var scheduler = Scheduler()
        var output = EventBuffer()
        func tell(_ instruction: Instruction) {
            var text = TextBuilder()
            let command = instruction.command(&text)
            _ = scheduler.apply(command, text: text.bytes.span.bytes, at: 0, into: &output)
        }
        for id in ["A", "B"] { tell(.show(Instruction.Request(id: id, group: "g"))) }
        tell(.report("A", client: "r", .displayed))
        #expect(output.lateReports == 0)
        tell(.report("B", client: "r", .displayed))
        tell(.dismiss("A", action: "", revision: nil, client: ""))
        tell(.report("A", client: "r", .hidden))
        #expect(output.lateReports == 2)
        output.removeAll()
        #expect(output.lateReports == 0)
    }

    @Test func `a report changes no revision`() {
        Timeline().show("A").displayed("A", by: "r1").visible("A", by: "r2").hidden("A", by: "r2").at(10).dismiss("A")
            .gives("0 r1 shown A\n10 r2 closed A DISMISSED", [.revision])
    }
}
