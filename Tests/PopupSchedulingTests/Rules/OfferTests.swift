import PopupScheduling
import Testing

@Suite struct OfferTests {
    @Test func `it is offered first, has the slot, and is shown when a renderer accepts it`() {
        Timeline().show("A", duration: 100, offer: 50).show("B").state().peek()
            .at(20).accept("A").state()
            .gives(
                """
                0 offered A
                0 queued B
                0 state r2 offered active 0 since r1 100 left, 1 waiting, 0 paused
                0 peek A offered, B waiting
                20 shown A
                20 state r3 active 0 since r3 100 left, 1 waiting, 0 paused
                120 closed A TIMED_OUT
                120 shown B
                """)
    }

    @Test func `a vetoed popup closes without a gap`() {
        Timeline().policy { $0.gap = 50...50 }.show("A", offer: 50).show("B").at(20).veto("A")
            .gives("0 offered A\n0 queued B\n20 closed A VETOED\n20 shown B")
    }

    @Test func `after a later it returns to the queue, and is not eligible for a time`() {
        Timeline().policy(.polite).show("A", priority: 1, offer: 50).show("B").at(20).later("A", retry: 30)
            .at(60).dismiss("B").at(70).accept("A")
            .gives(
                """
                0 offered A
                0 queued B
                20 queued A
                20 shown B
                60 closed B DISMISSED
                60 offered A
                70 shown A
                """)
    }

    @Test func `the policy has the default time of a later`() {
        Timeline().policy { $0.retry = 40 }.show("A", offer: 50).at(20).later("A").at(70).later("A", retry: 0).at(80)
            .veto("A")
            .gives(
                """
                0 offered A
                20 queued A
                60 offered A
                70 queued A
                70 offered A
                80 closed A VETOED
                """)
    }

    @Test func `a popup that may be offered again preempts only if it is strictly higher`() {
        Timeline().show("A", priority: 1, offer: 50).show("B").at(20).later("A", retry: 30)
            .show("C", offer: 50)
            .gives(
                """
                0 offered A
                0 queued B
                20 queued A
                20 shown B
                20 queued C
                50 paused B
                50 offered A
                100 shown A
                """)
    }

    @Test(arguments: Policy.OfferDefault.allCases)
    func `without an answer the policy decides`(offerDefault: Policy.OfferDefault) {
        Timeline().policy {
            $0.offer = 50; $0.offerDefault = offerDefault; $0.gap = 30...30
        }.show("A", duration: 5)
            .gives(
                offerDefault == .show
                    ? "0 offered A\n50 shown A\n55 closed A TIMED_OUT" : "0 offered A\n50 closed A UNANSWERED")
    }

    @Test func `a preempted offer returns to the queue and is offered again`() {
        Timeline().show("A", offer: 50).at(20).show("B", priority: 1, duration: 100)
            .gives(
                """
                0 offered A
                20 queued A
                20 shown B
                120 closed B TIMED_OUT
                120 offered A
                170 shown A
                """)
    }

    @Test func `a stopped offer closes`() {
        Timeline().policy { $0.higher = .stop }.show("A", offer: 50).at(20).show("B", priority: 1)
            .gives("0 offered A\n20 closed A PREEMPTED\n20 shown B")
    }

    @Test func `interruptible protects an offered popup, a minimum display time does not`() {
        Timeline().show("A", interruptible: false, offer: 50).at(20).show("B", priority: 1)
            .at(30).dismiss("A").dismiss("B").show("C", minDisplay: 90, offer: 50).show("D", priority: 1)
            .gives(
                """
                0 offered A
                20 queued B
                30 closed A DISMISSED
                30 shown B
                30 closed B DISMISSED
                30 offered C
                30 queued C
                30 shown D
                """)
    }

    @Test func `a suspended offer returns to the queue and is offered again`() {
        Timeline().show("A", offer: 50).at(20).suspend("t").at(90).resume("t")
            .gives("0 offered A\n20 queued A\n90 offered A\n140 shown A")
    }

    @Test func `it expires while it is offered`() {
        Timeline().show("A", ttl: 30, offer: 50).show("B", ttl: 81, offer: 50)
            .gives("0 offered A\n0 queued B\n30 closed A EXPIRED\n30 offered B\n80 shown B")
    }

    @Test func `advance closes it at once`() {
        Timeline().show("A", minDisplay: 90, offer: 50).at(20).advance().gives("0 offered A\n20 closed A ADVANCED")
    }

    @Test func `exclusive popups and replacements of active ones are not offered`() {
        Timeline().policy { $0.offer = 50 }.show("A", exclusive: .group, key: "k").at(10).show("B", key: "k")
            .gives("0 shown A\n10 closed A REPLACED\n10 shown B")
    }

    @Test func `the replacement of an offered popup is offered anew`() {
        Timeline().show("A", key: "k", offer: 50).at(10).show("B", key: "k", offer: 60)
            .at(20).show("C", key: "k")
            .gives(
                """
                0 offered A
                10 closed A REPLACED
                10 offered B
                20 closed B REPLACED
                20 shown C
                """)
    }

    @Test func `resumed popups are not offered`() {
        Timeline().show("A", offer: 50).accept("A").at(10).show("B", priority: 1).at(20).dismiss("B")
            .gives("0 offered A\n0 shown A\n10 paused A\n10 shown B\n20 closed B DISMISSED\n20 resumed A")
    }

    @Test func `only offered popups can be answered`() {
        Timeline().show("A").accept("A").show("B").veto("B").later("X").at(10).dismiss("A").accept("A")
            .gives(
                """
                0 shown A
                0 refused A STALE notOffered
                0 queued B
                0 refused B STALE notOffered
                0 refused X NOT_FOUND unknownPopup
                10 closed A DISMISSED
                10 shown B
                10 refused A STALE popupClosed
                """)
    }

    @Test func `after a later its flow continues with the next member`() {
        Timeline().show("A", flow: .init("f", stage: 1), offer: 50).show("Y").show("B", flow: .init("f", stage: 2))
            .at(10).later("A", retry: 20).at(50).dismiss("B").at(60).veto("A")
            .gives(
                """
                0 offered A
                0 queued Y
                0 queued B
                10 queued A
                10 shown B
                50 closed B DISMISSED
                50 offered A
                60 closed A VETOED
                60 shown Y
                """)
    }

    @Test func `a policy that gives it another display time changes the state`() {
        Timeline().show("A", offer: 50).state().at(10).policy { $0.defaultDuration = 20 }.state()
            .at(20).dismiss("A")
            .gives(
                """
                0 offered A
                0 state r1 offered active 0 since r1 no end, 0 waiting, 0 paused
                10 state r2 offered active 0 since r1 20 left, 0 waiting, 0 paused
                20 closed A DISMISSED
                """)
    }

    @Test func `a flow continues when its offered member closes`() {
        Timeline().policy { $0.gap = 50...50 }
            .show("A", flow: .init("f", stage: 1), offer: 50).show("B", flow: .init("f", stage: 2)).show(
                "Y", priority: 0
            )
            .at(10).veto("A")
            .gives("0 offered A\n0 queued B\n0 queued Y\n10 closed A VETOED\n10 shown B")
    }
}
