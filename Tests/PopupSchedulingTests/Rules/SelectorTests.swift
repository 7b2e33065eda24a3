import PopupScheduling
import Testing

/// `clear`, `list` and `count`: what a selector chooses, and in which order it is closed.
@Suite struct SelectorTests {
    private static let one = ProducerID(high: 1, low: 1)
    private static let two = ProducerID(high: 1, low: 2)

    /// Two shops: `s/a` shows one popup over a paused one, with a queue; `s/b` shows one.
    private var shops: Timeline {
        Timeline()
            .show("P", in: "s/a", priority: 1, surface: "top", producer: Self.one)
            .show("A", in: "s/a", priority: 3, key: "k", surface: "bar", producer: Self.two)
            .show("W", in: "s/a", priority: 2, surface: "top", producer: Self.one)
            .show("D", in: "s/a", priority: 2, delay: 1000, key: "l", producer: Self.two)
            .show("B", in: "s/b", priority: 2, key: "k", surface: "top", producer: Self.two)
            .show("S", in: "s", priority: 0)
            .at(10)
    }

    @Test func `each field narrows the selection`() {
        let choices: [(choose: (inout Instruction.Choice) -> Void, chosen: String)] = [
            ({ _ in }, "s:S s/a:A s/a:W s/a:P s/a:D s/b:B"),
            ({ $0.pattern = "*" }, "s:S s/a:A s/a:W s/a:P s/a:D s/b:B"),
            ({ $0.pattern = "s/*" }, "s/a:A s/a:W s/a:P s/a:D s/b:B"),
            ({ $0.pattern = "s" }, "s:S"),
            ({ $0.pattern = "s/b" }, "s/b:B"),
            ({ $0.pattern = "t/*" }, ""),
            ({ $0.pattern = "unknown" }, ""),
            ({ $0.surface = "top" }, "s/a:W s/a:P s/b:B"),
            ({ $0.collapseKey = "k" }, "s/a:A s/b:B"),
            ({ $0.collapseKey = "l" }, "s/a:D"),
            ({ $0.producer = Self.one }, "s/a:W s/a:P"),
            ({ $0.producer = ProducerID(high: 2, low: 1) }, ""),
            ({ $0.priorityBelow = 2 }, "s:S s/a:P"),
            ({ $0.priorityAbove = 2 }, "s/a:A"),
            (
                {
                    $0.priorityAbove = 1
                    $0.priorityBelow = 3
                }, "s/a:W s/a:D s/b:B"
            ),
            ({ $0.active = true }, "s:S s/a:A s/b:B"),
            ({ $0.waiting = true }, "s/a:W s/a:D"),
            ({ $0.paused = true }, "s/a:P"),
            (
                {
                    $0.active = true
                    $0.paused = true
                }, "s:S s/a:A s/a:P s/b:B"
            ),
            (
                {
                    $0.pattern = "s/*"
                    $0.surface = "top"
                    $0.producer = Self.two
                }, "s/b:B"
            ),
        ]
        let before = shops.run(on: ReferenceScheduler(limits: Limits(), seed: 0))
        #expect(
            before == [
                "0 s/a: shown P", "0 s/a: paused P", "0 s/a: shown A", "0 s/a: queued W", "0 s/a: queued D",
                "0 s/b: shown B", "0 s: shown S",
            ])
        for (choose, chosen) in choices {
            let count = chosen.split(separator: " ").count
            shops.list(choose).count(choose).clear().gives(
                (before + ["10 list" + (chosen.isEmpty ? "" : " \(chosen)"), "10 count \(count)"]
                    + [
                        "10 s: closed S CLEARED", "10 s/a: closed A CLEARED", "10 s/a: closed W CLEARED",
                        "10 s/a: closed D CLEARED", "10 s/a: closed P CLEARED", "10 s/b: closed B CLEARED",
                    ]).joined(separator: "\n"))
        }
    }

    @Test func `a list ends at its limit`() {
        shops.list(limit: 3).list(limit: 0).clear { $0.pattern = "s/a" }.list().gives(
            """
            0 s/a: shown P
            0 s/a: paused P
            0 s/a: shown A
            0 s/a: queued W
            0 s/a: queued D
            0 s/b: shown B
            0 s: shown S
            10 list s:S s/a:A s/a:W
            10 list
            10 s/a: closed A CLEARED
            10 s/a: closed W CLEARED
            10 s/a: closed D CLEARED
            10 s/a: closed P CLEARED
            10 list s:S s/b:B
            """)
    }

    @Test func `a list contains all fields of each popup`() {
        for (_, subject) in Setting().subjects() {
            let timeline = Timeline()
                .show("A", priority: 1, duration: 100)
                .show("B", priority: 2, duration: 70, surface: "top", producer: Self.one)
                .at(10).show("C", delay: 30, key: "k")
            for case .tell(let told) in timeline.entries {
                _ = subject.perform(told)
            }
            let list = subject.list(Instruction.Choice(), limit: 10, at: 30)
            #expect(list.map(\.id) == ["B", "A", "C"])
            #expect(list.map(\.group) == ["g", "g", "g"])
            #expect(list.map(\.phase) == [.active, .paused, .delayed])
            #expect(list.map(\.priority) == [2, 1, 0])
            #expect(list.map(\.surface) == ["top", "", ""])
            #expect(list.map(\.collapseKey) == ["", "", "k"])
            #expect(list.map(\.producer) == [Self.one, nil, nil])
            #expect(list.map(\.attempt) == [1, 1, 0])
            #expect(list.map(\.remaining) == [40, 100, nil])
            #expect(list.map(\.delay) == [0, 0, 10])
        }
    }

    @Test func `selectors use the popup's own priority, whatever the policy`() {
        Timeline()
            .policy(.fifo)
            .show("A", priority: 1).show("B", priority: 5).show("C", priority: 3)
            .at(10).clear { $0.priorityAbove = 2 }
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed B CLEARED
                10 closed C CLEARED
                """)
    }

    @Test func `clear closes the highest first; within a priority the active, the paused, the waiting`() {
        Timeline()
            .policy { $0.peers = .pause }
            .show("A", priority: 1).show("B", priority: 1).show("C", priority: 1, interruptible: false)
            .show("D", priority: 1, delay: 100).show("E", priority: 1).show("F", priority: 9, delay: 100)
            .show("G")
            .at(10).clear()
            .gives(
                """
                0 shown A
                0 paused A
                0 shown B
                0 paused B
                0 shown C
                0 queued D
                0 queued E
                0 queued F
                0 queued G
                10 closed F CLEARED
                10 closed C CLEARED
                10 closed B CLEARED
                10 closed A CLEARED
                10 closed D CLEARED
                10 closed E CLEARED
                10 closed G CLEARED
                """)
    }

    @Test func `a group continues after all its closings, with one gap`() {
        Timeline()
            .policy(for: "*") { $0.gap = 50...50 }
            .show("B1", in: "b", priority: 2).show("B2", in: "b", priority: 1).show("B3", in: "b")
            .show("A1", in: "a", priority: 2).show("A2", in: "a")
            .at(10).clear { $0.priorityAbove = 0 }
            .gives(
                """
                0 b: shown B1
                0 b: queued B2
                0 b: queued B3
                0 a: shown A1
                0 a: queued A2
                10 a: closed A1 CLEARED
                10 b: closed B1 CLEARED
                10 b: closed B2 CLEARED
                60 a: shown A2
                60 b: shown B3
                """)
    }

    @Test func `clearing waiting popups keeps the active one`() {
        Timeline()
            .show("A").show("B").show("C", delay: 100)
            .at(10).clear { $0.waiting = true }
            .at(20).clear { $0.pattern = "nowhere" }
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                10 closed B CLEARED
                10 closed C CLEARED
                """)
    }

    @Test func `peek lists the active popup, the queue in its order, delayed popups by arrival`() {
        Timeline()
            .show("A", priority: 1).show("B", priority: 2)
            .show("late", priority: 9, delay: 100).show("soon", delay: 50).show("C", priority: 2)
            .at(10).peek().peek(limit: 2).clear()
            .gives(
                """
                0 shown A
                0 paused A
                0 shown B
                0 queued late
                0 queued soon
                0 queued C
                10 peek B active, C waiting, A paused, soon delayed, late delayed
                10 peek B active, C waiting
                10 closed late CLEARED
                10 closed B CLEARED
                10 closed C CLEARED
                10 closed A CLEARED
                10 closed soon CLEARED
                """)
    }
}
