import PopupScheduling
import Testing

/// Of each table that producers fill, one may hold a multiple of what is free: nobody can shut others out.
@Suite struct ShareTests {
    private static let busy = ProducerID(high: 7, low: 1)
    private static let polite = ProducerID(high: 7, low: 2)

    /// Nine of ten, and one is free: eight times as much as is free is eight.
    private static let share = 1...9

    private func limited(_ change: (inout Limits) -> Void) -> Timeline {
        var limits = Limits()
        limits.deduplicationWindow = 100
        change(&limits)
        return Timeline(limits: limits).from(Self.busy)
    }

    private func filled(_ timeline: Timeline, _ tell: (Timeline, Int) -> Timeline) -> Timeline {
        Self.share.reduce(timeline) { tell($0, $1) }
    }

    @Test func `groups in use: other producers still get one, and idle ones no longer count`() {
        let shown = Self.share.map { "0 g\($0): shown f\($0)" }.joined(separator: "\n")
        filled(limited { $0.groups = 10 }) { $0.show("f\($1)", in: "g\($1)", producer: Self.busy) }
            .show("f10", in: "g10", producer: Self.busy).show("again", in: "g1", producer: Self.busy)
            .show("mine", in: "m", producer: Self.polite).show("late", in: "n", producer: Self.polite)
            .at(10).dismiss("f1").dismiss("again").show("f10", in: "g10", producer: Self.busy)
            .at(110).show("f10", in: "g10", producer: Self.busy).show("late", in: "n", producer: Self.polite)
            .gives(
                shown + """

                    0 g10: refused f10 OVERLOAD share of groups
                    0 g1: queued again
                    0 m: shown mine
                    0 n: refused late OVERLOAD groups
                    10 g1: closed f1 DISMISSED
                    10 g1: shown again
                    10 g1: closed again DISMISSED
                    10 g10: refused f10 OVERLOAD groups
                    110 g10: shown f10
                    110 n: refused late OVERLOAD groups
                    """)
    }

    @Test func `groups in use because of their sessions`() {
        filled(limited { $0.groups = 10 }) { $0.setSession("s", in: "g\($1)") }
            .setSession("s", in: "g10").setSession("t", in: "g1").setSession("", in: "g2").setSession("s", in: "g2")
            .from(Self.polite).setSession("s", in: "m").setSession("s", in: "n")
            .gives("0 g10: refused  OVERLOAD share of groups\n0 n: refused  OVERLOAD groups")
    }

    @Test func `suspension tokens; a replaced one stays with its account`() {
        filled(limited { $0.suspensions = 10 }) { $0.suspend("t\($1)", in: "*") }
            .suspend("t10", in: "*").suspend("t1", in: "a")
            .from(Self.polite).suspend("t1", in: "*").suspend("mine", in: "*").suspend("more", in: "*").resume("t1")
            .from(Self.busy).suspend("t10", in: "*")
            .from(Self.polite).suspend("more", in: "*")
            .gives(
                """
                0 refused\(" ") OVERLOAD share of suspensions
                0 refused\(" ") OVERLOAD suspensions
                0 refused\(" ") OVERLOAD suspensions
                """)
    }

    @Test func `policies`() {
        filled(limited { $0.policies = 10 }) { $0.policy(.fifo, for: "g\($1)") }
            .policy(.fifo, for: "g10").policy(.lifo, for: "g1")
            .from(Self.polite).policy(.fifo, for: "m").policy(.fifo, for: "n")
            .removePolicy(for: "g1").removePolicy(for: "g2").policy(.fifo, for: "n")
            .from(Self.busy).policy(.fifo, for: "g1")
            .gives("0 g10: refused  OVERLOAD share of policies\n0 n: refused  OVERLOAD policies")
    }

    @Test func `page trees, including those created by popups`() {
        filled(limited { $0.pageTrees = 10 }) { $0.open("home", in: "t\($1)") }
            .open("home", in: "t10").show("A", producer: Self.busy, page: .init("x", in: "u"))
            .open("list", below: "home", in: "t1")
            .from(Self.polite).open("home", in: "m").show("B", producer: Self.polite, page: .init("x", in: "n"))
            .clearPages(in: "t1").clearPages(in: "t2").show("B", producer: Self.polite, page: .init("x", in: "n"))
            .dismiss("B")
            .gives(
                """
                0 refused\(" ") OVERLOAD share of pageTrees
                0 refused A OVERLOAD share of pageTrees
                0 refused B OVERLOAD pageTrees
                0 queued B
                0 closed B DISMISSED
                """)
    }

    @Test func `renderers, counted for the sender`() {
        filled(limited { $0.renderers = 10 }) { $0.lease("r\($1)", ["a"]) }
            .lease("r10", ["a"]).lease("r1", ["b"])
            .from(Self.polite).lease("m", ["a"]).lease("n", ["a"]).lease("r1", []).lease("r2", []).lease("n", ["a"])
            .gives("0 refused  OVERLOAD share of renderers\n0 refused  OVERLOAD renderers")
    }

    // MARK: - Showings that caps count

    private func capped() -> Timeline {
        limited { $0.cappedShowings = 10 }.policy(for: "*") { $0.caps = [Cap(most: 5, window: 100)] }
            .policy(.priority, for: "free")
    }

    @Test func `showings: other producers still have space, and forgotten showings no longer count`() {
        let shown = Self.share.map { "0 g\($0): shown f\($0)" }.joined(separator: "\n")
        filled(capped()) { $0.show("f\($1)", in: "g\($1)", producer: Self.busy) }
            .show("f10", in: "g10", producer: Self.busy).show("uncapped", in: "free", producer: Self.busy)
            .show("mine", in: "m", producer: Self.polite).show("late", in: "n", producer: Self.polite)
            .at(99).show("f10", in: "g10", producer: Self.busy)
            .at(100).show("f10", in: "g10", producer: Self.busy).show("late", in: "n", producer: Self.polite)
            .gives(
                shown + """

                    0 g10: refused f10 OVERLOAD share of cappedShowings
                    0 free: shown uncapped
                    0 m: shown mine
                    0 n: refused late OVERLOAD cappedShowings
                    99 g10: refused f10 OVERLOAD cappedShowings
                    100 g10: shown f10
                    100 n: shown late
                    """)
    }

    @Test func `showings of popups that waited while the share was used up take no space, and close their caps`() {
        let start = capped().show("f0", in: "g0", producer: Self.busy)
            .show("w", in: "g0", producer: Self.busy).show("x", in: "g0", producer: Self.busy)
        let rest = (1...8).map { "0 g\($0): shown f\($0)" }.joined(separator: "\n")
        (1...8).reduce(start) { $0.show("f\($1)", in: "g\($1)", producer: Self.busy) }
            .at(10).dismiss("f0").at(20).dismiss("w").show("mine", in: "m", producer: Self.polite)
            .at(110).dismiss("x")
            .gives(
                """
                0 g0: shown f0
                0 g0: queued w
                0 g0: queued x
                \(rest)
                10 g0: closed f0 DISMISSED
                10 g0: shown w
                20 g0: closed w DISMISSED
                20 m: shown mine
                110 g0: shown x
                110 g0: closed x DISMISSED
                """)
    }

    @Test func `showings: each counts once for each cap, for the account of the popup`() {
        let caps = [Cap(most: 9, window: 100), Cap(most: 9, window: 200), Cap(most: 9, window: 300)]
        limited { $0.cappedShowings = 10 }.policy(for: "*") { $0.caps = caps }
            .from(Self.polite).setSession("s", in: "g").from(Self.busy)
            .show("a", producer: Self.busy).dismiss("a").show("b", producer: Self.busy).dismiss("b")
            .show("c", producer: Self.busy)
            .show("d", in: "h", producer: Self.busy).show("mine", in: "h", producer: Self.polite)
            .at(100).show("d", in: "h", producer: Self.busy)
            .gives(
                """
                0 shown a
                0 closed a DISMISSED
                0 shown b
                0 closed b DISMISSED
                0 shown c
                0 h: refused d OVERLOAD share of cappedShowings
                0 h: shown mine
                100 h: queued d
                """)
    }

    @Test func `showings: a cap that is closed for lack of space stays closed when it is set again`() {
        let start = capped().show("f0", in: "g0", producer: Self.busy)
            .show("w", in: "g0", producer: Self.busy).show("x", in: "g0", producer: Self.busy)
        let rest = (1...8).map { "0 g\($0): shown f\($0)" }.joined(separator: "\n")
        (1...8).reduce(start) { $0.show("f\($1)", in: "g\($1)", producer: Self.busy) }
            .at(10).dismiss("f0").at(20).dismiss("w")
            .at(30).policy(for: "*") { $0.caps = [Cap(most: 6, window: 100)] }
            .at(40).policy(for: "*") { $0.caps = [Cap(most: 5, window: 80)] }
            .at(90).dismiss("x")
            .gives(
                """
                0 g0: shown f0
                0 g0: queued w
                0 g0: queued x
                \(rest)
                10 g0: closed f0 DISMISSED
                10 g0: shown w
                20 g0: closed w DISMISSED
                90 g0: shown x
                90 g0: closed x DISMISSED
                """)
    }

    @Test func `showings: before a refusal, those in further groups are forgotten`() {
        let start = limited { $0.cappedShowings = 73 }
            .policy(for: "a/*") { $0.caps = [Cap(most: 5, window: 100)] }
            .policy(for: "b/*") { $0.caps = (1...13).map { Cap(most: 5, window: 100 + $0) } }
        let busy = (1...5).map { "b/\($0)" }
        let polite = (1...8).map { "a/\($0)" }
        let shown = (busy + polite).map { "0 \($0): shown \($0)" }
        let closed = (busy + polite).map { "10 \($0): closed \($0) TIMED_OUT" }
        let filled = busy.reduce(start) { $0.show($1, in: $1, duration: 10, producer: Self.busy) }
        zip(polite, 1...8).reduce(filled) { timeline, next in
            let producer = ProducerID(high: 9, low: UInt64(next.1))
            return timeline.show(next.0, in: next.0, duration: 10, producer: producer)
        }
        .at(20).show("early", in: "b/6", producer: Self.busy)
        // Without the showings of eight groups alone, the account would exceed its share.
        .at(200).show("late", in: "b/6", producer: Self.busy)
        .gives(
            """
            \(shown.joined(separator: "\n"))
            \(closed.joined(separator: "\n"))
            20 b/6: refused early OVERLOAD cappedShowings
            200 b/6: shown late
            """)
    }

    // MARK: - Texts

    private static let content = String(repeating: "x", count: 1000)

    @Test func `texts: other producers still have space`() {
        var timeline = limited { $0.contentBytes = 100_000 }.policy { $0.maxWaiting = nil }
        for number in 1...100 { timeline = timeline.show("f\(number)", producer: Self.busy, content: Self.content) }
        let subject = SchedulerSubject(limits: timeline.limits, seed: 0)
        let refused = timeline.show("mine", producer: Self.polite, content: Self.content)
            .update("f1", content: Self.content + Self.content).update("f1", content: "small")
            .run(on: subject).filter { !$0.contains("queued f") && !$0.contains("shown") }
        let (first, second) = (refused[0], refused[1])
        #expect(first == "0 refused f87 OVERLOAD share of contentBytes")
        #expect(second == "0 refused f88 OVERLOAD share of contentBytes")
        #expect(
            refused.suffix(3) == ["0 queued mine", "0 refused f1 OVERLOAD share of contentBytes", "0 updated f1"])
    }

    @Test func `texts: remembered ids are removed before refusals, those of accounts over their share first`() {
        let name = String(repeating: "n", count: 900)
        var timeline = limited {
            $0.contentBytes = 100_000; $0.deduplicationWindow = 1 << 40
        }
        .show("\(name)0", producer: Self.polite).dismiss("\(name)0")
        for number in 1...300 {
            timeline = timeline.show("\(name)\(number)", producer: Self.busy).dismiss("\(name)\(number)")
        }
        timeline = timeline.show("mine", producer: Self.polite)
            .explain("\(name)0").explain("\(name)1").explain("\(name)300")
        let lines = timeline.run(on: SchedulerSubject(limits: timeline.limits, seed: 0))
        #expect(lines.allSatisfy { !$0.contains("refused") && !$0.contains("never") })
        #expect(lines.count { $0.contains("explain") && $0.contains("none: unknown") } == 1)
    }

    @Test func `texts: idle groups are removed first`() {
        let name = String(repeating: "n", count: 900)
        var timeline = limited {
            $0.contentBytes = 100_000; $0.deduplicationWindow = 1
        }
        for number in 1...300 {
            let time = Milliseconds(10 * number)
            timeline = timeline.at(time).show("p\(number)", in: "\(name)\(number)", producer: Self.busy)
                .dismiss("p\(number)")
        }
        let lines = timeline.run(on: SchedulerSubject(limits: timeline.limits, seed: 0))
        #expect(lines.allSatisfy { !$0.contains("refused") && !$0.contains("never") })
    }

    @Test func `texts: pages and patterns of leases count`() {
        let name = String(repeating: "n", count: 900)
        var timeline = limited { $0.contentBytes = 100_000 }
        for number in 1...100 { timeline = timeline.open("\(name)\(number)", in: "t\(number)") }
        let pages = timeline.from(Self.polite).open("home", in: "m")
            .run(on: SchedulerSubject(limits: timeline.limits, seed: 0))
        #expect(pages.count { $0.contains("share of contentBytes") } > 20)
        #expect(pages.allSatisfy { $0.contains("share of contentBytes") })

        timeline = limited { $0.contentBytes = 100_000 }
        for number in 1...100 { timeline = timeline.lease("r\(number)", ["\(name)\(number)"]) }
        let leases = timeline.from(Self.polite).lease("m", ["a"])
            .run(on: SchedulerSubject(limits: timeline.limits, seed: 0))
        #expect(leases.count { $0.contains("share of contentBytes") } > 5)
        #expect(leases.allSatisfy { $0.contains("share of contentBytes") })
    }
}
