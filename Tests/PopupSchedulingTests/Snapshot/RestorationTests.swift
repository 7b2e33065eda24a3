import PopupScheduling
import Testing

/// What a scheduler has, it has after being restored: whatever comes then is the same.
///
/// Beside these, every test of a rule runs on a scheduler that is restored before each step.
@Suite struct RestorationTests {
    @Test func `an empty scheduler is restored with its seed`() throws {
        let subject = SchedulerSubject(limits: Limits(), seed: 7)
        let restored = try SchedulerSubject(restoring: subject.state)
        #expect(restored.state == subject.state)
        #expect(restored.state != SchedulerSubject(limits: Limits(), seed: 8).state)
    }

    @Test func `both seeds are restored, each in its place`() throws {
        func state(seed: UInt64, hashSeed: UInt64) -> [UInt8] {
            var bytes: [UInt8] = []
            var scheduler = Scheduler(limits: Limits(), seed: seed, hashSeed: hashSeed)
            scheduler.appendState(to: &bytes)
            return bytes
        }
        let written = state(seed: 1, hashSeed: 2)
        let restored = try SchedulerSubject(restoring: written)
        #expect(restored.state == written)
        #expect(Set([written, state(seed: 1, hashSeed: 3), state(seed: 3, hashSeed: 2)]).count == 3)
    }

    @Test func `a popup is restored in each phase`() {
        Timeline()
            .policy(for: "h") { $0.offer = 100 }
            .at(0).show("paused", duration: 1000).show("active", priority: 1, duration: 500)
            .show("waiting").show("delayed", delay: 300).show("offered", in: "h", duration: 10)
            .at(50).restore().peek().peek("h").remaining()
            .gives(
                """
                0 shown paused
                0 paused paused
                0 shown active
                0 queued waiting
                0 queued delayed
                0 h: offered offered
                50 peek active active, paused paused, waiting waiting, delayed delayed
                50 peek offered offered
                50 remaining active 450 left, paused 1000 left, waiting no end, delayed no end
                100 h: shown offered
                110 h: closed offered TIMED_OUT
                500 closed active TIMED_OUT
                500 resumed paused
                1500 closed paused TIMED_OUT
                1500 shown waiting
                """)
    }

    @Test func `used display time stays used`() {
        Timeline()
            .at(0).show("A", duration: 1000).at(400).show("B", priority: 1, duration: 50).at(420).restore()
            .gives(
                """
                0 shown A
                400 paused A
                400 shown B
                450 closed B TIMED_OUT after 50
                450 resumed A
                1050 closed A TIMED_OUT after 1000
                """, .displayed)
    }

    @Test func `a restored popup expires if it is not shown in time`() {
        Timeline()
            .at(0).show("A").show("B", ttl: 100).at(50).restore()
            .gives(
                """
                0 shown A
                0 queued B
                100 closed B EXPIRED
                """)
    }

    @Test func `minimum display time continues, and early attempts are repeated at its end`() {
        Timeline()
            .at(0).show("A", minDisplay: 500).show("B", priority: 2).at(100).restore()
            .gives(
                """
                0 shown A
                0 queued B
                500 paused A
                500 shown B
                """)
        Timeline()
            .at(0).show("A", minDisplay: 500).show("B").advance().at(100).restore()
            .gives(
                """
                0 shown A
                0 queued B
                500 closed A ADVANCED
                500 shown B
                """)
    }

    @Test func `timers of one instant fire in the order in which they were set`() {
        Timeline()
            .at(0).show("A", in: "z", duration: 100).show("B", in: "a", duration: 50).show("C", in: "m", duration: 100)
            .at(10).update("B", duration: 100).restore()
            .gives(
                """
                0 z: shown A
                0 a: shown B
                0 m: shown C
                10 a: updated B
                100 z: closed A TIMED_OUT
                100 m: closed C TIMED_OUT
                100 a: closed B TIMED_OUT
                """)
    }

    @Test func `offers and retries continue`() {
        let asked = Timeline().policy { $0.offer = 100 }.at(10).show("A")
        asked.at(50).restore()
            .gives(
                """
                10 offered A
                110 shown A
                """)
        asked.later("A", retry: 300).at(50).restore()
            .gives(
                """
                10 offered A
                10 queued A
                310 offered A
                410 shown A
                """)
    }

    @Test func `gathering continues`() {
        Timeline()
            .policy { $0.gather = 200 }
            .at(10).show("B", flow: .init("f", stage: 2, requires: "A")).show("A", flow: .init("f", stage: 1))
            .at(90).restore().at(300).dismiss("A")
            .gives(
                """
                10 queued B
                10 queued A
                210 shown A
                300 closed A DISMISSED
                300 shown B
                """)
    }

    @Test func `a hold continues, and the outcomes of members are remembered`() {
        Timeline()
            .at(0).show("A", flow: .init("f", hold: 500)).at(10).dismiss("A", "ok").show("X", priority: 9)
            .at(100).restore().show("B", flow: .init("f", requires: "A", action: "no"))
            .show("C", flow: .init("f", requires: "A", action: "ok", hold: 310))
            .at(200).dismiss("C").at(300).restore()
            .gives(
                """
                0 shown A
                10 closed A DISMISSED ok
                10 queued X
                100 closed B UNMET
                100 shown C
                200 closed C DISMISSED
                510 shown X
                """)
    }

    @Test func `pages, bindings and sessions are restored`() {
        Timeline()
            .at(0).open("home").open("list", below: "home")
            .show("A", page: .init("list")).show("B", page: .init("home", .within)).show("S", session: "s")
            .at(10).restore().setSession("s").enter("list").advance().close("list").clearPages()
            .gives(
                """
                0 queued A
                0 shown B
                0 queued S
                10 closed B ADVANCED
                10 shown A
                10 closed A PAGE_CLOSED
                10 shown S
                """)
    }

    @Test func `leases continue, and reports are restored`() {
        Timeline()
            .policy {
                $0.clock = .visible
                $0.rendererLost = .requeue
            }
            .at(0).lease("r1").show("A", duration: 9000).visible("A", by: "r1").at(100).restore()
            .gives(
                """
                0 shown A
                5000 queued A
                5000 shown A attempt 2
                """)
        Timeline()
            .at(0).show("A", quorum: 2).dismiss("A", "ok", by: "r1").at(10).restore().dismiss("A", "ok", by: "r1")
            .at(20).dismiss("A", "no", by: "r2")
            .gives(
                """
                0 shown A
                20 closed A DISMISSED no
                """)
    }

    @Test func `a lease without an end is restored as one`() throws {
        var text = TextBuilder()
        let lease = Command.lease(Lease(client: text.add("r1"), patterns: text.add("g\n"), runsOut: false))
        var scheduler = Scheduler()
        var buffer = EventBuffer()
        scheduler.apply(lease, text: text.bytes.span.bytes, at: 0, into: &buffer)
        var state: [UInt8] = []
        scheduler.appendState(to: &state)

        let restored = try Scheduler(restoring: state.span.bytes, limits: Limits())
        var leases: [String] = []
        restored.forEachLease { client, patterns in
            leases.append(client.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
            leases.append(patterns.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
        #expect(leases == ["r1", "g\n"])
        #expect(restored.nextDeadline == nil)
    }

    @Test func `caps continue counting`() {
        Timeline()
            .policy { $0.caps = [Cap(most: 2, window: 1000)] }
            .at(0).show("A", duration: 10).show("B", duration: 10).show("C", duration: 10).at(100).restore()
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed A TIMED_OUT
                10 shown B
                20 closed B TIMED_OUT
                1000 shown C
                1010 closed C TIMED_OUT
                """)
    }

    @Test func `accounts continue to pay for the showings that caps count`() {
        var limits = Limits()
        limits.cappedShowings = 10
        let (busy, polite) = (ProducerID(high: 7, low: 1), ProducerID(high: 7, low: 2))
        let start = Timeline(limits: limits).policy(for: "*") { $0.caps = [Cap(most: 5, window: 100)] }
        let shown = (1...9).map { "0 g\($0): shown f\($0)" }.joined(separator: "\n")
        let closed = (1...9).map { "10 g\($0): closed f\($0) TIMED_OUT" }.joined(separator: "\n")
        (1...9).reduce(start) { $0.show("f\($1)", in: "g\($1)", duration: 10, producer: busy) }
            .at(20).restore()
            .show("more", producer: busy).show("mine", producer: polite).show("late", in: "h", producer: polite)
            .at(100).restore().show("more", in: "h", producer: busy)
            .gives(
                """
                \(shown)
                \(closed)
                20 refused more OVERLOAD share of cappedShowings
                20 shown mine
                20 h: refused late OVERLOAD cappedShowings
                100 h: shown more
                """)
    }

    @Test func `caps without space stay closed, and nobody pays for a showing for which nobody paid`() {
        var limits = Limits()
        limits.cappedShowings = 10
        let (busy, polite) = (ProducerID(high: 7, low: 1), ProducerID(high: 7, low: 2))
        let start = Timeline(limits: limits).policy(for: "*") { $0.caps = [Cap(most: 5, window: 100)] }
            .show("f0", in: "g0", producer: busy).show("w", in: "g0", producer: busy)
            .show("x", in: "g0", producer: busy).show("u", in: "m", delay: 15, producer: busy)
        let rest = (1...8).map { "0 g\($0): shown f\($0)" }.joined(separator: "\n")
        (1...8).reduce(start) { $0.show("f\($1)", in: "g\($1)", producer: busy) }
            .at(10).dismiss("f0").at(16).show("v", in: "m", producer: polite).dismiss("u").dismiss("w")
            .at(20).restore().show("mine", in: "h", producer: polite).show("late", in: "i", producer: polite)
            .gives(
                """
                0 g0: shown f0
                0 g0: queued w
                0 g0: queued x
                0 m: queued u
                \(rest)
                10 g0: closed f0 DISMISSED
                10 g0: shown w
                15 m: shown u
                16 m: queued v
                16 m: closed u DISMISSED
                16 g0: closed w DISMISSED
                20 h: shown mine
                20 i: refused late OVERLOAD cappedShowings
                110 g0: shown x
                115 m: shown v
                """)
    }

    @Test func `suspensions are restored, and an exclusive popup stays exempt from earlier ones`() {
        Timeline()
            .suspend("s", below: 5).at(10).show("A").show("X", exclusive: .group).at(20).restore()
            .update("X", content: "x").suspend("t", below: 3).at(30).resume("s").restore().resume("t")
            .gives(
                """
                10 queued A
                10 closed A SUPERSEDED
                10 shown X
                20 updated X
                20 paused X
                30 resumed X
                """)
    }

    @Test func `a quiet window in force ends at its time`() {
        Timeline()
            .policy { $0.quiet = [QuietWindow(from: 0, to: 1, zone: .utc, minimumPriority: 2)] }
            .at(10).show("A").show("B", priority: 2, duration: 20).at(20).restore().at(60_000).peek()
            .gives(
                """
                10 queued A
                10 shown B
                30 closed B TIMED_OUT
                60000 shown A
                60000 peek A active
                """)
    }

    @Test func `collapse keys are restored, those of arrived and of delayed popups`() {
        Timeline()
            .at(0).show("X").show("A", key: "k").show("B", delay: 100, key: "l").at(10).restore()
            .show("C", key: "k").show("D", key: "l")
            .gives(
                """
                0 shown X
                0 queued A
                0 queued B
                10 closed A REPLACED
                10 queued C
                10 closed B REPLACED
                10 queued D
                """)
    }

    @Test func `gaps continue with the same random numbers`() {
        let script = Timeline(seed: 5).policy { $0.gap = 1...1000 }
            .at(0).show("A", duration: 10).show("B", duration: 10).show("C", duration: 10).at(15)
        let undisturbed = script.run(on: SchedulerSubject(limits: Limits(), seed: 5))
        script.restore().gives(undisturbed.joined(separator: "\n"))
    }

    @Test func `remembered ids are restored, and forgotten in order`() {
        var limits = Limits()
        limits.deduplicationWindow = 100
        Timeline(limits: limits)
            .at(0).show("A").dismiss("A", "ok").at(50).show("B").dismiss("B")
            .at(90).restore().show("A").explain("A").at(120).show("A").show("B")
            .gives(
                """
                0 shown A
                0 closed A DISMISSED ok
                50 shown B
                50 closed B DISMISSED
                90 explain A closed: closed DISMISSED ok at 0 after 0
                120 shown A
                """)
    }

    @Test func `aging continues`() {
        Timeline()
            .policy { $0.aging = 100 }
            .at(0).show("X", priority: 3).show("A").at(150).show("B", priority: 1).at(260).restore().dismiss("X")
            .gives(
                """
                0 shown X
                0 queued A
                150 queued B
                260 closed X DISMISSED
                260 shown A
                """)
    }

    @Test func `entries beyond a lower limit stay, and only newcomers are refused`() throws {
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        Timeline().at(0).show("A", in: "a").show("B", in: "b").show("C", in: "b").suspend("s", in: "c").play(
            on: subject)
        var limits = Limits()
        limits.popups = 1
        limits.groups = 1
        limits.waitingPerGroup = 0
        limits.maxIDs = 0
        limits.suspensions = 0
        let restored = try SchedulerSubject(restoring: subject.state, limits: limits)
        #expect(restored.complaints() == [])
        #expect(restored.state == subject.state)
        let newcomer = Instruction.show(Instruction.Request(id: "D", group: "a"))
        #expect(restored.perform(newcomer, at: 1).refusal?.cause == .limit(.popups))
        #expect(
            restored.perform(.advance("b"), at: 1).events.map { $0.line() } == [
                "1 b: closed B ADVANCED", "1 b: shown C",
            ])

        restored.setLimits(Limits())
        #expect(restored.perform(newcomer, at: 2).refusal == nil)
    }
}
