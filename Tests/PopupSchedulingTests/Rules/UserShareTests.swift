import PopupScheduling
import Testing

/// Where users have keys, all that one holds counts together, whatever names its producers have: nobody shuts others out
/// by many names.
@Suite struct UserShareTests {
    /// Nine of ten, and one is free: eight times as much as is free is eight.
    private static let share = 1...9

    private static func name(_ number: Int) -> ProducerID { ProducerID(high: 7, low: UInt64(number)) }

    private func limited(_ change: (inout Limits) -> Void) -> Timeline {
        var limits = Limits()
        limits.deduplicationWindow = 100
        limits.usersHaveShares = true
        change(&limits)
        return Timeline(limits: limits).user("many")
    }

    /// The commands of one user under nine names.
    private func filled(_ timeline: Timeline, _ tell: (Timeline, Int) -> Timeline) -> Timeline {
        Self.share.reduce(timeline) { tell($0.from(Self.name($1)), $1) }
    }

    private static func lines(_ line: (Int) -> String) -> String { share.map(line).joined(separator: "\n") }

    @Test func `live popups`() {
        filled(limited { $0.popups = 10 }) { $0.show("f\($1)", in: "g\($1)", producer: Self.name($1)) }
            .show("f10", in: "g10", producer: Self.name(10)).show("none", in: "g10")
            .user("one").show("mine", in: "m", producer: Self.name(1)).show("late", in: "m", producer: Self.name(1))
            .user("many").at(10).dismiss("f1").dismiss("f2").show("f10", in: "g10", producer: Self.name(10))
            .gives(
                Self.lines { "0 g\($0): shown f\($0)" } + """

                    0 g10: refused f10 OVERLOAD user's share of popups
                    0 g10: refused none OVERLOAD user's share of popups
                    0 m: shown mine
                    0 m: refused late OVERLOAD popups
                    10 g1: closed f1 DISMISSED
                    10 g2: closed f2 DISMISSED
                    10 g10: shown f10
                    """)
    }

    @Test func `groups in use`() {
        filled(limited { $0.groups = 10 }) { $0.show("f\($1)", in: "g\($1)", producer: Self.name($1)) }
            .show("f10", in: "g10", producer: Self.name(10)).setSession("s", in: "g11")
            .show("again", in: "g1", producer: Self.name(10))
            .user("one").show("mine", in: "m", producer: Self.name(11)).show("late", in: "n", producer: Self.name(11))
            .gives(
                Self.lines { "0 g\($0): shown f\($0)" } + """

                    0 g10: refused f10 OVERLOAD user's share of groups
                    0 g11: refused\(" ") OVERLOAD user's share of groups
                    0 g1: queued again
                    0 m: shown mine
                    0 n: refused late OVERLOAD groups
                    """)
    }

    @Test func `suspension tokens`() {
        filled(limited { $0.suspensions = 10 }) { $0.suspend("t\($1)", in: "*") }
            .from(Self.name(10)).suspend("t10", in: "*").from(nil).suspend("t10", in: "*").suspend("t1", in: "a")
            .user("one").suspend("mine", in: "*").suspend("more", in: "*")
            .gives(
                """
                0 refused\(" ") OVERLOAD user's share of suspensions
                0 refused\(" ") OVERLOAD user's share of suspensions
                0 refused\(" ") OVERLOAD suspensions
                """)
    }

    @Test func `policies`() {
        filled(limited { $0.policies = 10 }) { $0.policy(.fifo, for: "g\($1)") }
            .from(Self.name(10)).policy(.fifo, for: "g10").policy(.lifo, for: "g1")
            .user("one").policy(.fifo, for: "m").policy(.fifo, for: "n")
            .gives("0 g10: refused  OVERLOAD user's share of policies\n0 n: refused  OVERLOAD policies")
    }

    @Test func `page trees, including those created by popups`() {
        filled(limited { $0.pageTrees = 10 }) { $0.open("home", in: "t\($1)") }
            .from(Self.name(10)).open("home", in: "t10").show("A", producer: Self.name(11), page: .init("x", in: "u"))
            .user("one").open("home", in: "m").show("B", producer: Self.name(11), page: .init("x", in: "n"))
            .gives(
                """
                0 refused\(" ") OVERLOAD user's share of pageTrees
                0 refused A OVERLOAD user's share of pageTrees
                0 refused B OVERLOAD pageTrees
                """)
    }

    @Test func `renderers`() {
        filled(limited { $0.renderers = 10 }) { $0.lease("r\($1)", ["a"]) }
            .from(Self.name(10)).lease("r10", ["a"]).lease("r1", ["b"])
            .user("one").lease("m", ["a"]).lease("n", ["a"])
            .gives("0 refused  OVERLOAD user's share of renderers\n0 refused  OVERLOAD renderers")
    }

    @Test func `showings that caps count`() {
        let capped = limited { $0.cappedShowings = 10 }.policy(for: "*") { $0.caps = [Cap(most: 5, window: 100)] }
        filled(capped) { $0.show("f\($1)", in: "g\($1)", producer: Self.name($1)) }
            .show("f10", in: "g10", producer: Self.name(10))
            .user("one").show("mine", in: "m", producer: Self.name(1)).show("late", in: "n", producer: Self.name(1))
            .at(100).user("many").show("f10", in: "g10", producer: Self.name(10))
            .gives(
                Self.lines { "0 g\($0): shown f\($0)" } + """

                    0 g10: refused f10 OVERLOAD user's share of cappedShowings
                    0 m: shown mine
                    0 n: refused late OVERLOAD cappedShowings
                    100 g10: shown f10
                    """)
    }

    @Test func `a showing of a popup that waited while its user's share was used up closes its cap`() {
        let start = limited { $0.cappedShowings = 10 }.policy(for: "*") { $0.caps = [Cap(most: 5, window: 100)] }
            .show("f0", in: "g0", producer: Self.name(0)).show("w", in: "g0", producer: Self.name(0))
            .show("x", in: "g0", producer: Self.name(0))
        (1...8).reduce(start) { $0.show("f\($1)", in: "g\($1)", producer: Self.name($1)) }
            .at(10).dismiss("f0").at(20).dismiss("w").at(110).dismiss("x")
            .gives(
                """
                0 g0: shown f0
                0 g0: queued w
                0 g0: queued x
                \((1...8).map { "0 g\($0): shown f\($0)" }.joined(separator: "\n"))
                10 g0: closed f0 DISMISSED
                10 g0: shown w
                20 g0: closed w DISMISSED
                110 g0: shown x
                110 g0: closed x DISMISSED
                """)
    }

    @Test func `texts: a user with many names leaves space for another, and loses its own ids first`() {
        let content = String(repeating: "x", count: 1000)
        var timeline = limited { $0.contentBytes = 100_000 }.policy { $0.maxWaiting = nil }
        timeline = timeline.user("one").show("old", in: "o", producer: Self.name(1000), content: content)
            .dismiss("old").user("many")
        for number in 1...100 { timeline = timeline.show("f\(number)", producer: Self.name(number), content: content) }
        timeline = timeline.user("one").show("mine", producer: Self.name(1001), content: content).explain("old")
        let lines = timeline.run(on: SchedulerSubject(limits: timeline.limits, seed: 0))
        let refused = lines.filter { $0.contains("refused") }
        #expect(refused.count > 5 && refused.allSatisfy { $0.hasSuffix("OVERLOAD user's share of contentBytes") })
        #expect(lines.contains("0 queued mine"))
        #expect(lines.last?.contains("closed DISMISSED") == true)
    }

    @Test func `texts: the ids of a user's other names are removed before a refusal`() {
        let name = String(repeating: "n", count: 900)
        var timeline = limited {
            $0.contentBytes = 100_000
            $0.deduplicationWindow = 1 << 40
        }
        timeline = timeline.user("one").show("\(name)0", producer: Self.name(0)).dismiss("\(name)0").user("many")
        for number in 1...300 {
            timeline = timeline.show("\(name)\(number)", producer: Self.name(number)).dismiss("\(name)\(number)")
        }
        timeline = timeline.user("one").show("mine", producer: Self.name(0)).explain("\(name)0")
        let lines = timeline.run(on: SchedulerSubject(limits: timeline.limits, seed: 0))
        #expect(lines.allSatisfy { !$0.contains("refused") && !$0.contains("never") })
        #expect(lines.last?.contains("closed DISMISSED") == true)
    }

    // MARK: - Whose an account is

    @Test func `a producer's own share is told first, and a name of two users is two accounts`() {
        let start = Self.share.reduce(limited { $0.popups = 10 }) { $0.show("f\($1)", producer: Self.name(1)) }
        start.show("f10", producer: Self.name(1)).user("one").show("mine", producer: Self.name(1))
            .gives(
                "0 shown f1\n" + (2...9).map { "0 queued f\($0)" }.joined(separator: "\n") + """

                    0 refused f10 OVERLOAD share of popups
                    0 queued mine
                    """)
    }

    @Test func `commands without a name, and names beyond the limit of accounts, count for their user alone`() {
        let start = limited {
            $0.popups = 10
            $0.accounts = 3
        }
        filled(start) { $0.show("f\($1)", producer: $1 % 2 == 0 ? nil : Self.name($1)) }
            .show("f10").user("one").show("mine").user("").show("late")
            .gives(
                "0 shown f1\n" + (2...9).map { "0 queued f\($0)" }.joined(separator: "\n") + """

                    0 refused f10 OVERLOAD user's share of popups
                    0 queued mine
                    0 refused late OVERLOAD popups
                    """)
    }

    @Test func `clients without a key are one user`() {
        filled(limited { $0.popups = 10 }.user("")) { $0.show("f\($1)", producer: Self.name($1)) }
            .show("f10", producer: Self.name(10)).show("none").user("one").show("mine")
            .gives(
                "0 shown f1\n" + (2...9).map { "0 queued f\($0)" }.joined(separator: "\n") + """

                    0 refused f10 OVERLOAD user's share of popups
                    0 refused none OVERLOAD user's share of popups
                    0 queued mine
                    """)
    }

    @Test func `without keys names alone count`() {
        let start = limited {
            $0.popups = 10
            $0.usersHaveShares = false
        }
        filled(start) { $0.show("f\($1)", producer: Self.name($1)) }.show("f10", producer: Self.name(10))
            .user("one").show("late")
            .gives(
                "0 shown f1\n" + (2...10).map { "0 queued f\($0)" }.joined(separator: "\n")
                    + "\n0 refused late OVERLOAD popups")
    }

    @Test func `tables of fewer than ten have no shares`() {
        let start = limited { $0.popups = 8 }
        (1...8).reduce(start) { $0.show("f\($1)", producer: Self.name($1)) }
            .gives("0 shown f1\n" + (2...8).map { "0 queued f\($0)" }.joined(separator: "\n"))
    }

    // MARK: - Remembered ids

    @Test func `a user's flood of ids under many names displaces its own, not those of another`() {
        var timeline = limited {
            $0.maxIDs = 10
            $0.deduplicationWindow = 1000
        }
        .user("one").show("m1", producer: Self.name(0)).advance().show("m2", producer: Self.name(0)).advance()
        .show("m3", producer: Self.name(0)).advance().user("many")
        for number in 1...40 { timeline = timeline.show("f\(number)", producer: Self.name(number)).advance() }
        let all = ["m1", "m2", "m3"] + (1...40).map { "f\($0)" }
        timeline.at(5).explain("m1").explain("f33").explain("f34")
            .gives(
                all.map { "0 shown \($0)\n0 closed \($0) ADVANCED\n" }.joined() + """
                    5 explain m1 closed: closed ADVANCED at 0 after 0
                    5 explain f33 none: unknown
                    5 explain f34 closed: closed ADVANCED at 0 after 0
                    """)
    }

    @Test func `of users with as many ids, clients without a key lose theirs first, then the first by name`() {
        let start = limited {
            $0.maxIDs = 6
            $0.deduplicationWindow = 1000
        }
        let told = ["b1", "a1", "n1", "b2", "a2", "n2", "c1", "c2"]
        let users = ["b": "b", "a": "a", "n": "", "c": "c"]
        let timeline = told.reduce(start) { timeline, id in
            timeline.user(users[String(id.prefix(1))]!).show(id, producer: Self.name(1)).advance()
        }
        timeline.at(5).explain("n1").explain("a1").explain("b1")
            .gives(
                told.map { "0 shown \($0)\n0 closed \($0) ADVANCED\n" }.joined() + """
                    5 explain n1 none: unknown
                    5 explain a1 none: unknown
                    5 explain b1 closed: closed ADVANCED at 0 after 0
                    """)
    }

    // MARK: - Snapshots

    @Test func `a restored state has the users of its accounts`() {
        filled(limited { $0.popups = 10 }) { $0.show("f\($1)", producer: Self.name($1)) }
            .restore().show("f10", producer: Self.name(10)).user("one").show("mine", producer: Self.name(1))
            .gives(
                "0 shown f1\n" + (2...9).map { "0 queued f\($0)" }.joined(separator: "\n") + """

                    0 refused f10 OVERLOAD user's share of popups
                    0 queued mine
                    """)
    }

    @Test func `accounts of a time without keys are those of clients without a key, and again those of nobody`() throws
    {
        var limits = Limits()
        limits.popups = 10
        let subject = SchedulerSubject(limits: limits, seed: 0)
        func show(_ id: String, of user: String, producer: Int) -> String? {
            let request = Instruction.Request(id: id, group: "g", producer: Self.name(producer))
            let refusal = subject.perform(.show(request), from: nil, of: user, at: 0).refusal
            #expect(subject.complaints() == [])
            return refusal?.words
        }
        for number in 1...8 { #expect(show("f\(number)", of: "", producer: number) == nil) }
        limits.usersHaveShares = true
        subject.setLimits(limits)
        #expect(show("f9", of: "", producer: 9) == nil)
        #expect(show("f10", of: "", producer: 10) == "OVERLOAD user's share of popups")
        let state = subject.state
        let restored = try SchedulerSubject(restoring: state, limits: limits)
        #expect(restored.state == state && restored.complaints() == [])
        #expect(show("mine", of: "one", producer: 1) == nil)
        limits.usersHaveShares = false
        limits.popups = 12
        subject.setLimits(limits)
        #expect(show("f10", of: "", producer: 10) == nil)
        #expect(show("f11", of: "one", producer: 11) == nil)
    }
}
