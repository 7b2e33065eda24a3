import PopupScheduling
import Testing

@Suite struct GapTests {
    private func script(_ gap: ClosedRange<UInt32> = 50...50) -> Timeline {
        Timeline().policy { $0.gap = gap }
    }

    @Test func `it runs between the close of a popup and the next one`() {
        script().show("A", duration: 100).show("B")
            .at(120).peek()
            .gives(
                """
                0 shown A
                0 queued B
                100 closed A TIMED_OUT
                120 peek B waiting
                150 shown B
                """)
    }

    @Test func `it follows every way in which the slot becomes free`() {
        let ways: [(String, (Timeline) -> Timeline)] = [
            ("DISMISSED ok", { $0.dismiss("A", "ok") }), ("ADVANCED", { $0.advance() }),
            ("CLEARED", { $0.clear { $0.active = true } }), ("TIMED_OUT", { $0.update("A", duration: 10) }),
        ]
        for (reason, way) in ways {
            let updated = reason == "TIMED_OUT" ? "10 updated A\n" : ""
            way(script().show("A").show("B").at(10))
                .gives("0 shown A\n0 queued B\n\(updated)10 closed A \(reason)\n60 shown B")
        }
    }

    @Test func `it runs with an empty queue too`() {
        script().show("A", duration: 100).at(120).show("B").at(120).explain("B")
            .at(500).dismiss("B").at(551).show("C")
            .gives(
                """
                0 shown A
                100 closed A TIMED_OUT
                120 queued B
                120 explain B waiting: gap(30)
                150 shown B
                500 closed B DISMISSED
                551 shown C
                """)
    }

    @Test func `the first popup of the queue at its end is shown`() {
        script().show("A", duration: 100).show("B").at(120).show("C", priority: 1).at(130).show("D", ttl: 10, delay: 5)
            .gives(
                """
                0 shown A
                0 queued B
                100 closed A TIMED_OUT
                120 queued C
                130 queued D
                140 closed D EXPIRED
                150 shown C
                """)
    }

    @Test func `neither preemption nor the resumption after it has a gap`() {
        script().show("A").at(10).show("B", priority: 1, duration: 50)
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                60 closed B TIMED_OUT
                60 resumed A
                """)
        script().policy {
            $0.higher = .stop
            $0.gap = 50...50
        }
        .show("A").at(10).show("B", priority: 1)
        .gives(
            """
            0 shown A
            10 closed A PREEMPTED
            10 shown B
            """)
    }

    @Test func `a paused popup does not wait for it, but a waiting one before it does`() {
        script().policy {
            $0.gap = 50...50
            $0.peers = .pause
        }
        .show("A").at(10).show("B", interruptible: false).at(20).show("C", priority: 1)
        .at(30).dismiss("B")
        .at(40).dismiss("C")
        .gives(
            """
            0 shown A
            10 paused A
            10 shown B
            20 queued C
            30 closed B DISMISSED
            40 closed C DISMISSED
            40 resumed A
            """)
    }

    @Test func `in a gap a paused popup is resumed as soon as it is the first of the queue`() {
        let ways: [(way: (Timeline) -> Timeline, lines: [String])] = [
            ({ $0.dismiss("C") }, ["35 closed C DISMISSED", "35 resumed A"]),
            ({ $0.clear { $0.waiting = true } }, ["35 closed C CLEARED", "35 resumed A"]),
            ({ $0.update("C", priority: 0) }, ["35 updated C", "35 resumed A", "40 closed C EXPIRED"]),
            ({ $0.update("A", priority: 9) }, ["35 updated A", "35 resumed A", "40 closed C EXPIRED"]),
            ({ $0.show("D", key: "k") }, ["35 closed C REPLACED", "35 queued D", "35 resumed A"]),
            ({ $0.show("D") }, ["35 closed C EVICTED", "35 queued D", "35 resumed A"]),
            ({ $0.show("D", delay: 100) }, ["35 closed C EVICTED", "35 queued D", "35 resumed A"]),
            ({ $0 }, ["40 closed C EXPIRED", "40 resumed A"]),
        ]
        for (way, lines) in ways {
            let timeline = Timeline()
                .policy {
                    $0.gap = 50...50
                    $0.peers = .pause
                    $0.maxWaiting = 1
                    $0.overflow = .dropOldest
                }
                .show("A", priority: 1).at(10).show("B", priority: 1, interruptible: false)
                .at(20).show("C", priority: 2, ttl: 20, key: "k")
                .at(30).dismiss("B")
            let before = ["0 shown A", "10 paused A", "10 shown B", "20 queued C", "30 closed B DISMISSED"]
            way(timeline.at(35)).gives((before + lines).joined(separator: "\n"))
        }
    }

    @Test func `a suspension that ends in a gap resumes a paused popup at once`() {
        script().show("A", priority: 1).suspend("t", below: 2)
            .at(10).show("B", priority: 3, duration: 10)
            .at(30).resume("t")
            .at(40).show("C")
            .gives(
                """
                0 shown A
                0 paused A
                10 shown B
                20 closed B TIMED_OUT
                30 resumed A
                40 queued C
                """)
    }

    @Test func `it ends when a popup takes the slot`() {
        script().show("A", duration: 100).at(110).show("X", duration: 10, exclusive: .group).at(111).show("B")
            .gives(
                """
                0 shown A
                100 closed A TIMED_OUT
                110 shown X
                111 queued B
                120 closed X TIMED_OUT
                170 shown B
                """)
    }

    @Test func `a pause by a suspension begins no gap`() {
        script().show("A", priority: 1).show("B", priority: 5, delay: 10).at(5).suspend("t", below: 3)
            .at(10).resume("t")
            .gives(
                """
                0 shown A
                0 queued B
                5 paused A
                10 shown B
                """)
    }

    @Test func `a random one is drawn from its range, by the seed`() throws {
        let lengths = (0..<40).map { seed in
            let lines = Timeline(seed: UInt64(seed)).policy { $0.gap = 10...13 }.show("A", duration: 100).show("B")
                .run(on: SchedulerSubject(limits: Limits(), seed: UInt64(seed)))
            return lines.last!
        }
        #expect(Set(lengths) == ["110 shown B", "111 shown B", "112 shown B", "113 shown B"])

        for seed in [0, 1, 0xFFFF_FFFF_FFFF_FFFF] as [UInt64] {
            var generator = ReferenceGenerator(seed: seed)
            var time = 0
            var expected = ["0 shown p0"] + (1..<20).map { "0 queued p\($0)" }
            var timeline = Timeline(seed: seed).policy { $0.gap = 0...1000 }
            for number in 0..<20 {
                timeline = timeline.show("p\(number)", duration: 1)
                expected.append("\(time + 1) closed p\(number) TIMED_OUT")
                time += 1 + Int(generator.draw(0...1000))
                if number < 19 { expected.append("\(time) shown p\(number + 1)") }
            }
            timeline.gives(expected.joined(separator: "\n"))
        }
    }

    @Test func `the widest range is drawn from too`() {
        var generator = ReferenceGenerator(seed: 5)
        let gap = Int(generator.draw(0...UInt32.max))
        Timeline(seed: 5).policy { $0.gap = 0...UInt32.max }.show("A", duration: 1).show("B")
            .gives("0 shown A\n0 queued B\n1 closed A TIMED_OUT\n\(1 + gap) shown B")
    }

    @Test func `a new policy does not change a running gap`() {
        script().show("A", duration: 100).show("B").at(110).policy(.priority)
            .at(160).dismiss("B").show("C")
            .gives(
                """
                0 shown A
                0 queued B
                100 closed A TIMED_OUT
                150 shown B
                160 closed B DISMISSED
                160 shown C
                """)
    }
}
