import PopupScheduling
import Testing

/// The order of the queue, and which popup takes a free slot.
@Suite struct QueueTests {
    @Test func `by priority, then in order of acceptance`() {
        Timeline()
            .policy(.polite)
            .show("A").show("b1", priority: 1).show("c1", priority: 2).show("b2", priority: 1).show("c2", priority: 2)
            .at(10).peek()
            .at(20).dismiss("A")
            .at(30).dismiss("c1")
            .at(40).dismiss("c2")
            .at(50).dismiss("b1")
            .gives(
                """
                0 shown A
                0 queued b1
                0 queued c1
                0 queued b2
                0 queued c2
                10 peek A active, c1 waiting, c2 waiting, b1 waiting, b2 waiting
                20 closed A DISMISSED
                20 shown c1
                30 closed c1 DISMISSED
                30 shown c2
                40 closed c2 DISMISSED
                40 shown b1
                50 closed b1 DISMISSED
                50 shown b2
                """)
    }

    @Test func `within a priority paused popups come first, the one paused last first`() {
        Timeline()
            .policy { $0.peers = .pause }
            .show("A")
            .at(10).show("B")
            .at(20).show("C", interruptible: false)
            .at(30).show("D")
            .at(40).peek()
            .at(50).dismiss("C")
            .at(60).dismiss("B")
            .at(70).dismiss("A")
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                20 paused B
                20 shown C
                30 queued D
                40 peek C active, B paused, A paused, D waiting
                50 closed C DISMISSED
                50 resumed B
                60 closed B DISMISSED
                60 resumed A
                70 closed A DISMISSED
                70 shown D
                """)
    }

    @Test func `a popup that is paused again precedes those paused earlier`() {
        Timeline()
            .policy { $0.peers = .pause }
            .show("A")
            .at(10).show("B")
            .at(20).dismiss("B")
            .at(30).show("C", interruptible: false)
            .at(40).show("D", priority: 1)
            .at(50).update("C", interruptible: true)
            .at(60).peek()
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                20 closed B DISMISSED
                20 resumed A
                30 paused A
                30 shown C
                40 queued D
                50 updated C
                50 paused C
                50 shown D
                60 peek D active, C paused, A paused
                """)
    }

    @Test func `a popup that is not eligible blocks no other`() {
        Timeline()
            .show("A", priority: 1)
            .show("B", priority: 1, delay: 100)
            .suspend("t", below: 1)
            .at(10).show("C", priority: 0)
            .at(20).show("D", priority: 1)
            .at(30).dismiss("A")
            .at(40).dismiss("D")
            .at(50).resume("t")
            .gives(
                """
                0 shown A
                0 queued B
                10 queued C
                20 queued D
                30 closed A DISMISSED
                30 shown D
                40 closed D DISMISSED
                50 shown C
                100 paused C
                100 shown B
                """)
    }

    @Test func `priorities go from the least to the greatest number`() {
        Timeline()
            .policy(.polite)
            .show("A").show("low", priority: .min).show("high", priority: .max).show("middle")
            .at(10).peek()
            .gives(
                """
                0 shown A
                0 queued low
                0 queued high
                0 queued middle
                10 peek A active, high waiting, middle waiting, low waiting
                """)
    }

    @Test func `a long queue of few priorities stays in order`() {
        var timeline = Timeline().policy(.polite).show("A", duration: 1)
        for number in 0..<60 { timeline = timeline.show("p\(number)", priority: Int32(number % 3), duration: 1) }
        let order = [2, 1, 0].flatMap { rest in (0..<60).filter { $0 % 3 == rest } }
        let queued = (0..<60).map { "0 queued p\($0)" }
        let turns = order.enumerated().flatMap { turn, number in
            ["\(turn + 1) shown p\(number)", "\(turn + 2) closed p\(number) TIMED_OUT"]
        }
        timeline.gives((["0 shown A"] + queued + ["1 closed A TIMED_OUT"] + turns).joined(separator: "\n"))
    }
}
