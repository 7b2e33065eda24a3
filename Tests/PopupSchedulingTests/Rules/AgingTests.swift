import PopupScheduling
import Testing

@Suite struct AgingTests {
    @Test func `a waiting popup's priority rises by one per aging interval`() {
        Timeline().policy(.polite) { $0.aging = 10 }.show("X", priority: 9).show("A")
            .at(15).show("B", priority: 2).at(19).peek().at(20).peek().explain("A").explain("B")
            .at(30).dismiss("X")
            .gives(
                """
                0 shown X
                0 queued A
                15 queued B
                19 peek X active, B waiting, A waiting
                20 peek X active, A waiting, B waiting
                20 explain A waiting: queue(ahead: 0) X
                20 explain B waiting: queue(ahead: 1) X A
                30 closed X DISMISSED
                30 shown A
                """)
    }

    @Test func `aging alone interrupts no popup`() {
        Timeline().policy { $0.aging = 10 }.show("X", priority: 1).show("A").at(100).peek().at(200).dismiss("X")
            .gives("0 shown X\n0 queued A\n100 peek X active, A waiting\n200 closed X DISMISSED\n200 shown A")
    }

    @Test func `the raised priority counts when preemption is judged for another reason`() {
        Timeline().policy { $0.aging = 10 }.show("X", priority: 3).show("A").show("B").suspend("t", below: 3)
            .at(45).resume("t")
            .gives("0 shown X\n0 queued A\n0 queued B\n45 paused X\n45 shown A")
    }

    @Test func `a shown popup keeps its raised priority`() {
        Timeline().policy { $0.aging = 10 }.show("X", duration: 25).show("A")
            .at(30).show("B", priority: 2).at(40).show("C", priority: 3).at(49).peek()
            .gives(
                """
                0 shown X
                0 queued A
                25 closed X TIMED_OUT
                25 shown A
                30 queued B
                40 paused A
                40 shown C
                49 peek C active, B waiting, A paused
                """)
    }

    @Test func `a paused popup's priority rises from the moment of the pause`() {
        Timeline().policy { $0.aging = 10 }.show("A").at(5).show("B", priority: 1).at(6).show("C", priority: 1)
            .at(14).peek().at(15).peek().at(16).peek().at(25).dismiss("B")
            .gives(
                """
                0 shown A
                5 paused A
                5 shown B
                6 queued C
                14 peek B active, C waiting, A paused
                15 peek B active, A paused, C waiting
                16 peek B active, C waiting, A paused
                25 closed B DISMISSED
                25 resumed A
                """)
    }

    @Test func `a paused popup continues from its raised priority`() {
        Timeline().policy { $0.aging = 10 }.show("X", duration: 25).show("A")
            .at(40).show("B", priority: 3).at(41).show("C", priority: 3).at(49).peek().at(50).peek()
            .gives(
                """
                0 shown X
                0 queued A
                25 closed X TIMED_OUT
                25 shown A
                40 paused A
                40 shown B
                41 queued C
                49 peek B active, C waiting, A paused
                50 peek B active, A paused, C waiting
                """)
    }

    @Test func `aging counts from arrival, also for a popup that returns to the queue`() {
        Timeline().policy(.polite) { $0.aging = 10 }.show("X", duration: 100).show("A", delay: 40)
            .show("B", priority: 3).at(60).peek().at(69).peek().at(70).peek()
            .gives(
                """
                0 shown X
                0 queued A
                0 queued B
                60 peek X active, B waiting, A waiting
                69 peek X active, B waiting, A waiting
                70 peek X active, B waiting, A waiting
                100 closed X TIMED_OUT
                100 shown B
                """)
    }

    @Test func `overflow drops the last of the queue by raised priority`() {
        Timeline().policy {
            $0.aging = 10; $0.maxWaiting = 1; $0.overflow = .dropLowest
        }
        .show("X", priority: 9).show("A").at(25).show("B", priority: 1).at(30).show("C", priority: 8)
        .gives(
            """
            0 shown X
            0 queued A
            25 refused B OVERLOAD maxWaiting
            30 closed A EVICTED
            30 queued C
            """)
    }

    @Test func `with priorities ignored no priority rises`() {
        Timeline().policy(.fifo) { $0.aging = 10 }.show("X").show("A", priority: 1).at(50).show("B", priority: 9)
            .at(90).peek().gives("0 shown X\n0 queued A\n50 queued B\n90 peek X active, A waiting, B waiting")
    }

    /// Urgent popups keep the slot for ever, as long as there is no aging: two come at once, and one more each time one
    /// has been shown to its end. Now and then comes one that is not urgent, eight in all; one more is shown first and
    /// interrupted at once.
    private func longestWait(aging: UInt32, seed: UInt64, on subject: any Subject) -> Milliseconds {
        var random = ReferenceGenerator(seed: seed)
        var policy = Policy()
        policy.aging = aging
        var waiting: [String: Milliseconds] = [:]
        var longest: Milliseconds = 0
        func tell(_ instruction: Instruction, at time: Milliseconds) {
            for event in subject.perform(instruction, at: time).events {
                switch event.kind {
                case .paused: waiting[event.popup] = event.at
                case .shown, .resumed:
                    if let since = waiting.removeValue(forKey: event.popup) { longest = max(longest, event.at - since) }
                default: break
                }
            }
        }
        func show(_ id: String, priority: Int32, at time: Milliseconds) {
            waiting[id] = time
            tell(.show(Instruction.Request(id: id, group: "g", priority: priority, duration: 25)), at: time)
        }
        tell(.policy("g", policy), at: 0)
        show("interrupted", priority: 0, at: 0)
        show("first", priority: 9, at: 0)
        for number in 0..<200 {
            let time = Milliseconds(25 * number)
            show("urgent \(number)", priority: 9, at: time)
            if number % 20 == 5 { show("other \(number)", priority: Int32(random.below(9)), at: time) }
            if number == 165 { break }
        }
        return max(longest, waiting.values.map { 25 * 165 - $0 }.max() ?? 0)
    }

    /// After ten times `aging` a popup outranks every newcomer. Those before it by then are shown first: no more than
    /// there are at a time, two urgent ones and the nine others.
    @Test(arguments: [1, 2, 3] as [UInt64], [5, 50] as [UInt32])
    func `no popup starves`(seed: UInt64, aging: UInt32) {
        let bound = 10 * Milliseconds(aging) + 11 * 25
        for (name, subject) in Setting().subjects() {
            #expect(longestWait(aging: aging, seed: seed, on: subject) <= bound, "the \(name)")
        }
        for (name, subject) in Setting().subjects() {
            #expect(longestWait(aging: 0, seed: seed, on: subject) >= 25 * 160, "the \(name), without aging")
        }
    }
}
