import PopupScheduling

extension Timeline {
    /// A little of everything that a state can have: each phase, each kind of timer, all that popups refer to.
    static let everything = policies.lines().flows().offers().renderers().pagesAndCaps().finish()

    /// What there is to ask after it: every group, and some popups.
    static let queries = {
        let groups = [
            "capped/a", "flows/gathering", "flows/held", "flows/waiting", "gap", "held/a", "held/b", "idle", "line",
            "offers/a", "offers/b", "offers/c", "paged", "quiet", "seen", "unseen",
        ]
        let popups = [
            "early", "later", "held", "B", "other", "second", "postponed", "vetoed", "W", "P", "Q", "R", "C2", "over",
        ]
        let asked = groups.reduce(Timeline().at(1350)) { $0.state($1).peek($1).remaining($1).content($1) }
        return popups.reduce(asked) { $0.explain($1) }
    }()

    private static let policies = Timeline(seed: 42).at(1000)
        .policy(for: "*") { $0.gap = 300...900 }
        .policy(for: "capped/*") {
            $0.caps = [Cap(most: 1, window: 5000), Cap(key: Array("c".utf8), most: 2, window: 9000)]
            $0.aging = 100
            $0.overflow = .dropOldest
            $0.maxWaiting = 5
        }
        .policy(for: "quiet") {
            $0.quiet = [
                QuietWindow(from: 0, to: 120, zone: berlin, minimumPriority: 5),
                QuietWindow(from: 600, to: 660, zone: TimeZoneRules(initialOffset: -3600, rule: south)),
            ]
            $0.pageTree = Array("t".utf8)
        }
        .policy(.lifo, for: "flows/gathering") { $0.gather = 500 }
        .policy(for: "offers/*") {
            $0.offer = 400
            $0.offerDefault = .close
        }
        .policy(for: "seen") {
            $0.clock = .visible
            $0.displayTimeout = 700
            $0.rendererLost = .requeue
            $0.quorumAll = true
        }
        .policy(for: "unseen") {
            $0.displayTimeout = 700
            $0.undisplayed = .skip
        }

    private static let berlin = TimeZoneRules(
        initialOffset: 3208,
        transitions: [.init(at: -2_422_054_408_000, offset: 3600), .init(at: 354_675_600_000, offset: 7200)],
        rule: DaylightRule(
            standardOffset: 3600, daylightOffset: 7200,
            start: .init(day: .weekday(month: 3, week: 5, weekday: 0)),
            end: .init(day: .weekday(month: 10, week: 5, weekday: 0), time: 10_800)))

    private static let south = DaylightRule(
        standardOffset: -3600, daylightOffset: 0, start: .init(day: .dayWithoutLeap(274)),
        end: .init(day: .day(90), time: -3600))

    /// Active, paused, waiting, delayed; a key held and a key waiting for; one that came too early, and `advance`.
    private func lines() -> Timeline {
        show("low", in: "line", priority: 1, duration: 3000, content: "below")
            .at(1100).show(
                "top", in: "line", priority: 5, minDisplay: 600, surface: "bar", producer: ProducerID(high: 7, low: 9)
            )
            .show("next", in: "line", priority: 3, ttl: 2000, key: "k", content: "content of the next")
            .show("same", in: "line", priority: 3, interruptible: false)
            .show("later", in: "line", priority: 3, delay: 900, key: "k")
            .show("early", in: "line", priority: 9)
            .advance("line")
            .suspend("all", in: "held/*")
            .suspend("some", in: "*", below: -5)
            .show("held", in: "held/a", duration: 100)
            .show("urgent", in: "held/b", exclusive: .group)
            .setSession("s1", in: "idle").setSession("", in: "idle")
    }

    /// One flow gathers, one holds the slot, one waits for an action.
    private func flows() -> Timeline {
        show("B", in: "flows/gathering", flow: .init("f", stage: 2, requires: "A", action: "confirm"))
            .show("A", in: "flows/gathering", flow: .init("f", stage: 1))
            .show("H", in: "flows/held", flow: .init("h", stage: 1, hold: 2500))
            .at(1150).dismiss("H", "confirm")
            .show("other", in: "flows/held", priority: 7)
            .show("first", in: "flows/waiting", duration: 4000, flow: .init("f", stage: 1, hold: 50))
            .show("second", in: "flows/waiting", flow: .init("f", stage: 2, requires: "first", action: "no"))
    }

    /// One is offered, one will be offered again.
    private func offers() -> Timeline {
        show("asked", in: "offers/a", duration: 50)
            .show("postponed", in: "offers/b", offer: 90).later("postponed", retry: 800)
            .show("vetoed", in: "offers/c").veto("vetoed", by: "r1")
    }

    /// Leases, reports, dismissals below the quorum.
    private func renderers() -> Timeline {
        at(1200).lease("r1", ["seen", "line"]).lease("r2", ["seen"])
            .show("V", in: "seen", duration: 1000, content: "what V shows")
            .show("U", in: "unseen", duration: 5000)
            .at(1250).visible("V", by: "r1").displayed("V", by: "r3").dismiss("V", "no", by: "r1")
            .show("W", in: "seen", quorum: 2).dismiss("W", "ok", by: "r3")
    }

    /// Trees with and without pages, sessions, full caps, a quiet window in force.
    private func pagesAndCaps() -> Timeline {
        open("n1", value: "home").open("n2", below: "n1", value: "list").open("n3", below: "n2", value: "item")
            .enter("n2")
            .show("P", in: "paged", page: .init("home", .within))
            .show("Q", in: "paged", page: .init("item"), session: "s2")
            .show("R", in: "paged", page: .init("home", in: "u"))
            .setSession("s2", in: "paged")
            .show("C1", in: "capped/a", duration: 20, capKey: "c")
            .at(1300).show("C2", in: "capped/a", priority: 2, capKey: "c")
            .show("quiet", in: "quiet", priority: 1)
            .show("loud", in: "quiet", priority: 6, duration: 777)
    }

    /// A gap, and several ways of being over.
    private func finish() -> Timeline {
        show("over", in: "gap").at(1350).dismiss("over", "ok")
            .show("after", in: "gap")
            .show("gone", in: "gap", surface: "top").clear { $0.surface = "top" }
            .open("only", in: "v")
    }

    /// Does what its lines say on a subject, and nothing after the last of them.
    func play(on subject: any Subject) {
        for entry in entries {
            switch entry {
            case .tell(let told): _ = subject.perform(told)
            case .ask, .restore: break
            case .wait(let time): while subject.step(until: time) != nil {}
            }
        }
    }
}
