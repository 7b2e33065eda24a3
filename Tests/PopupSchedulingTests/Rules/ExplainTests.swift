import PopupScheduling
import Testing

@Suite struct ExplainTests {
    @Test func `the active popup`() {
        Timeline().show("A").explain("A").gives("0 shown A\n0 explain A active: active")
    }

    @Test func `an unknown popup`() {
        Timeline().explain("A").gives("0 explain A none: unknown")
    }

    @Test func `a delayed popup, with the time until it arrives`() {
        Timeline().show("A", delay: 100).at(30).explain("A").dismiss("A")
            .gives("0 queued A\n30 explain A delayed: delayed(70)\n30 closed A DISMISSED")
    }

    @Test func `a waiting popup, with those before it`() {
        Timeline().show("A", priority: 2).show("B", priority: 3).show("C", priority: 1).show("D", priority: 2, delay: 5)
            .at(10).explain("A").explain("C").explain("D")
            .gives(
                """
                0 shown A
                0 paused A
                0 shown B
                0 queued C
                0 queued D
                10 explain A paused: queue(ahead: 0) B
                10 explain C waiting: queue(ahead: 2) B A D
                10 explain D waiting: queue(ahead: 1) B A
                """)
    }

    @Test func `popups that are held back do not block others`() {
        Timeline().suspend("t", below: 3).show("A", priority: 9)
            .show("B", priority: 2).show("C", priority: 3).at(10).update("B", priority: 2)
            .at(20).explain("B").explain("C")
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 updated B
                20 explain B waiting: suspended t
                20 explain C waiting: queue(ahead: 0) A
                """)
    }

    @Test func `a suspension, with its tokens`() {
        Timeline().show("A", priority: 3)
            .suspend("t", below: 5).suspend("u", below: 2).suspend("v", in: "*").suspend("w", in: "x")
            .at(10).explain("A")
            .gives(
                """
                0 shown A
                0 paused A
                10 explain A paused: suspended t v
                """)
    }

    @Test func `a gap, with the remaining time`() {
        Timeline().policy { $0.gap = 50...50 }.show("A", duration: 100).show("B")
            .at(110).explain("B")
            .gives(
                """
                0 shown A
                0 queued B
                100 closed A TIMED_OUT
                110 explain B waiting: gap(40)
                150 shown B
                """)
    }

    @Test func `a minimum display time, with the remaining time`() {
        Timeline().show("A", minDisplay: 100).at(30).show("B", priority: 1).show("C").explain("B").explain("C")
            .gives(
                """
                0 shown A
                30 queued B
                30 queued C
                30 explain B waiting: minimumDisplay(70) A
                30 explain C waiting: queue(ahead: 1) A B
                100 paused A
                100 shown B
                """)
    }

    @Test func `an uninterruptible active popup that would otherwise be interrupted`() {
        Timeline().show("A", interruptible: false).at(30).show("B", priority: 1).explain("B")
            .at(40).policy(.polite).explain("B")
            .gives(
                """
                0 shown A
                30 queued B
                30 explain B waiting: uninterruptible A
                40 explain B waiting: queue(ahead: 0) A
                """)
    }

    @Test(arguments: CloseReason.allCases.filter { $0.rawValue <= CloseReason.evicted.rawValue })
    func `a closed popup, with its reason, action, time and display time`(reason: CloseReason) {
        let script = Timeline().show("A", priority: 1, duration: 30, minDisplay: 5, key: "k")
        let (closing, at, displayed): (Timeline, Int, Int) =
            switch reason {
            case .dismissed: (script.at(10).dismiss("A", "ok"), 10, 10)
            case .advanced: (script.at(10).advance(), 10, 10)
            case .timedOut: (script.at(40), 30, 30)
            case .preempted: (script.at(10).policy { $0.higher = .stop }.show("B", priority: 2), 10, 10)
            case .superseded: (script.at(10).show("B", exclusive: .group), 10, 10)
            case .replaced: (script.at(10).show("B", key: "k"), 10, 10)
            case .cleared: (script.at(10).clear(), 10, 10)
            case .expired: (Timeline().suspend("t").show("A", ttl: 10).at(20), 10, 0)
            case .rejected: (Timeline().policy { $0.peers = .never }.show("B").at(10).show("A"), 10, 0)
            case .evicted:
                (
                    Timeline().policy {
                        $0.maxWaiting = 1
                        $0.overflow = .dropOldest
                    }.show("B").show("A").at(10).show("C"), 10, 0
                )
            case .vetoed, .unanswered, .unmet, .undisplayed, .rendererLost, .pageClosed, .sessionEnded: (script, 0, 0)
            }
        let how: String =
            switch reason {
            case .dismissed: " ok"
            case .preempted, .superseded, .replaced, .rejected: " by B"
            case .evicted: " by C"
            default: ""
            }
        for (name, subject) in Setting().subjects() {
            let lines = closing.at(50).explain("A").run(on: subject)
            let expected = "50 explain A closed: closed \(reason.word)\(how) at \(at) after \(displayed)"
            #expect(lines.contains(expected), "the \(name): \(lines)")
        }
    }
}
