import PopupScheduling
import Testing

@Suite struct QuietTests {
    /// By universal time from 00:01 to 00:02.
    private static let minute = QuietWindow(from: 1, to: 2, zone: .utc, minimumPriority: 5)
    private let quiet = Timeline().policy { $0.quiet = [minute] }

    @Test func `popups below it are not shown, and an active one is paused`() {
        quiet.at(59_000).show("A", duration: 3000).show("B", priority: 5, ttl: 9000, delay: 2000)
            .at(61_500).dismiss("B").show("C").peek().at(120_000).peek()
            .gives(
                """
                59000 shown A
                59000 queued B
                60000 paused A
                61000 shown B
                61500 closed B DISMISSED
                61500 queued C
                61500 peek A paused, C waiting
                120000 resumed A
                120000 peek A active, C waiting
                122000 closed A TIMED_OUT
                122000 shown C
                """)
    }

    @Test func `it recurs every day`() {
        quiet.at(86_400_000 + 59_000).show("A").at(86_400_000 + 120_000).at(2 * 86_400_000 + 61_000).dismiss("A")
            .gives(
                """
                86459000 shown A
                86460000 paused A
                86520000 resumed A
                172860000 paused A
                172861000 closed A DISMISSED
                """)
    }

    @Test func `a window across midnight`() {
        Timeline().policy { $0.quiet = [QuietWindow(from: 1439, to: 1, zone: .utc)] }
            .show("A").at(60_000).peek().at(86_340_000).peek().at(86_460_000).peek()
            .gives(
                """
                0 queued A
                60000 shown A
                60000 peek A active
                86340000 paused A
                86340000 peek A paused
                86460000 resumed A
                86460000 peek A active
                """)
    }

    @Test func `popups that it held back preempt only if they are strictly higher`() {
        let windows = [
            QuietWindow(from: 1, to: 2, zone: .utc, minimumPriority: 9),
            QuietWindow(from: 2, to: 3, zone: .utc, minimumPriority: 2),
        ]
        Timeline().policy {
            $0.quiet = windows; $0.peers = .stop
        }
        .at(61_000).show("X", priority: 1, exclusive: .group).show("A", priority: 1).show("B", priority: 3)
        .at(121_000).peek().at(180_000).peek()
        .gives(
            """
            61000 shown X
            61000 queued A
            61000 queued B
            120000 paused X
            120000 shown B
            121000 peek B active, X paused, A waiting
            180000 peek B active, X paused, A waiting
            """)
    }

    @Test func `at its end the highest popup that it held back preempts`() {
        Timeline().policy {
            $0.quiet = [Self.minute]; $0.peers = .stop
        }
        .at(61_000).show("X", priority: 3, exclusive: .group).show("A", priority: 3).show("B", priority: 4)
        .at(120_000).peek()
        .gives(
            """
            61000 shown X
            61000 queued A
            61000 queued B
            120000 paused X
            120000 shown B
            120000 peek B active, X paused, A waiting
            """)
    }

    @Test func `the highest minimum of suspensions and windows applies`() {
        quiet.suspend("t", below: 3).at(61_000).show("A", priority: 4).resume("t").show("B", priority: 5)
            .at(62_000).suspend("u", below: 6).at(121_000).resume("u")
            .gives(
                """
                61000 queued A
                61000 shown B
                62000 paused B
                121000 resumed B
                """)
    }

    @Test func `an exclusive popup shown in a window stays, and the next one pauses it`() {
        quiet.at(61_000).show("E", exclusive: .group).at(121_000).at(86_400_000 + 61_000).peek()
            .gives("61000 shown E\n86460000 paused E\n86461000 peek E paused")
    }

    @Test func `a policy with a window in force pauses at once, one without ends the pause`() {
        Timeline().at(61_000).show("A").policy { $0.quiet = [Self.minute] }.at(62_000).policy(.priority)
            .gives("61000 shown A\n61000 paused A\n62000 resumed A")
    }

    @Test func `a window follows the daylight saving time of its zone`() {
        // Two minutes ahead of universal time at first, one from 65 s on, none from 130 s on: 00:03 begins at 60 s, is
        // set back to 00:02 at 65 s, and comes again.
        let zone = TimeZoneRules(
            initialOffset: 120,
            transitions: [.init(at: 65_000, offset: 60), .init(at: 130_000, offset: 0)])
        Timeline().policy { $0.quiet = [QuietWindow(from: 3, to: 4, zone: zone)] }.show("A")
            .at(250_000).peek()
            .gives(
                """
                0 shown A
                60000 paused A
                65000 resumed A
                120000 paused A
                130000 resumed A
                180000 paused A
                240000 resumed A
                250000 peek A active
                """)
    }

    @Test func `setting the wall clock changes windows, but not durations`() {
        // The window by the wall clock: 00:01 to 00:02.
        quiet.at(10_000).show("A", duration: 40_000).at(20_000).setWallClock(ahead: 45_000).at(30_000).peek()
            .at(40_000).setWallClock(ahead: 90_000).at(50_000).setWallClock(ahead: 3_600_000).peek()
            .gives(
                """
                10000 shown A
                65000 paused A
                30000 peek A paused
                130000 resumed A
                50000 peek A active
                3670000 closed A TIMED_OUT
                """)
    }

    @Test func `its begin and end follow the wall clock, also after a restart`() {
        quiet.at(10_000).setWallClock(ahead: 30_000).show("A").restore().at(29_999).peek().at(30_000).peek()
            .restore().setWallClock(ahead: 0).peek().at(60_000).dismiss("A")
            .gives(
                """
                40000 shown A
                29999 peek A active
                60000 paused A
                30000 peek A paused
                30000 resumed A
                30000 peek A active
                60000 paused A
                60000 closed A DISMISSED
                """)
    }

    @Test func `the windows of a policy begin for a group when the policy is applied`() {
        let night = QuietWindow(from: 0, to: 6 * 60, zone: .utc)
        Timeline().policy(for: "*") { $0.quiet = [night] }.policy(for: "a/b") { $0.gap = 5...5 }
            .show("E", in: "a/b", exclusive: .group).at(10).removePolicy(for: "a/b").at(20).removePolicy(for: "*")
            .gives(
                """
                0 a/b: shown E
                10 a/b: paused E
                20 a/b: resumed E
                """)
    }
}
