import PopupScheduling
import Testing

/// Newcomers that stop the active popup: of ordinary ones, each takes over the record of the one before.
@Suite struct PreemptionTests {
    private static let one = ProducerID(high: 3, low: 1)
    private static let other = ProducerID(high: 3, low: 2)

    /// Every newcomer of at least the same priority stops the active popup.
    private var stopping: Timeline {
        Timeline()
            .policy {
                $0.higher = .stop
                $0.peers = .stop
            }
    }

    @Test func `each newcomer has its own display time, and the last one times out`() {
        stopping
            .show("A", duration: 100)
            .at(10).show("B").remaining()
            .at(20).show("C", duration: 50).remaining()
            .at(30).show("D", duration: 1000)
            .at(30).state().restore().remaining()
            .gives(
                """
                0 shown A
                10 closed A PREEMPTED
                10 shown B
                10 remaining B no end
                20 closed B PREEMPTED
                20 shown C
                20 remaining C 50 left
                30 closed C PREEMPTED
                30 shown D
                30 state r4 active 0 since r4 1000 left, 0 waiting, 0 paused
                30 remaining D 1000 left
                1030 closed D TIMED_OUT
                """)
    }

    @Test func `the default and the longest display time of the policy hold for each newcomer`() {
        Timeline()
            .policy {
                $0.peers = .stop
                $0.defaultDuration = 40
                $0.maxDuration = 60
            }
            .show("A")
            .at(10).show("B", duration: 500).remaining()
            .at(20).show("C").remaining()
            .gives(
                """
                0 shown A
                10 closed A PREEMPTED
                10 shown B
                10 remaining B 60 left
                20 closed B PREEMPTED
                20 shown C
                20 remaining C 40 left
                60 closed C TIMED_OUT
                """)
    }

    @Test(arguments: ["", "short", "as long", String(repeating: "longer ", count: 200)])
    func `each newcomer has its own content, in the same memory or other`(content: String) {
        stopping
            .show("A", content: "as long")
            .at(10).show("B", content: content).content()
            .at(20).show("C", content: "as long").content()
            .at(30).dismiss("C").state()
            .gives(
                """
                0 shown A
                10 closed A PREEMPTED
                10 shown B
                10 content \(content)
                20 closed B PREEMPTED
                20 shown C
                20 content as long
                30 closed C DISMISSED
                30 state r4 none, 0 waiting, 0 paused
                """)
    }

    @Test func `newcomers of other producers, and with surfaces`() {
        stopping
            .show("A", producer: Self.one)
            .at(10).show("B", producer: Self.other)
            .at(20).show("C", surface: "wall")
            .at(30).show("D", surface: "wall", producer: Self.one)
            .at(40).count { $0.producer = Self.one }.count { $0.surface = "wall" }
            .at(50).clear { $0.producer = Self.one }
            .gives(
                """
                0 shown A
                10 closed A PREEMPTED
                10 shown B
                20 closed B PREEMPTED
                20 shown C
                30 closed C PREEMPTED
                30 shown D
                40 count 1
                40 count 1
                50 closed D CLEARED
                """)
    }

    @Test(arguments: [one, other])
    func `who closed a popup is told until that popup is forgotten`(second: ProducerID) {
        var limits = Limits()
        limits.maxIDs = 4
        var timeline = Timeline(limits: limits)
            .policy {
                $0.higher = .stop
                $0.peers = .stop
            }
        let ids = ["A", "B", "C", "D", "E", "F"]
        for (number, id) in ids.enumerated() {
            timeline = timeline.at(Milliseconds(10 * number)).show(id, producer: number == 3 ? second : Self.one)
        }
        let changes = zip(ids, ids.dropFirst()).enumerated().map { number, change in
            "\(10 * number + 10) closed \(change.0) PREEMPTED\n\(10 * number + 10) shown \(change.1)\n"
        }
        timeline.at(60).explain("C").explain("D").restore().explain("E").dismiss("F").show("G", producer: Self.one)
            .explain("C").explain("E").explain("F")
            .gives(
                "0 shown A\n" + changes.joined() + """
                    60 explain C closed: closed PREEMPTED by D at 30 after 10
                    60 explain D closed: closed PREEMPTED by E at 40 after 10
                    60 explain E closed: closed PREEMPTED by F at 50 after 10
                    60 closed F DISMISSED
                    60 shown G
                    60 explain C none: unknown
                    60 explain E closed: closed PREEMPTED by F at 50 after 10
                    60 explain F closed: closed DISMISSED at 60 after 10
                    """)
    }

    @Test func `a newcomer is accepted after those that wait`() {
        stopping
            .show("A", priority: 5)
            .at(10).show("W", priority: 1).show("V", priority: 1)
            .at(20).show("B", priority: 5)
            .at(30).show("C", priority: 6)
            .at(40).clear()
            .gives(
                """
                0 shown A
                10 queued W
                10 queued V
                20 closed A PREEMPTED
                20 shown B
                30 closed B PREEMPTED
                30 shown C
                40 closed C CLEARED
                40 closed W CLEARED
                40 closed V CLEARED
                """)
    }

    @Test func `a popup that is not ordinary closes with all that it has`() {
        stopping
            .show("A", duration: 100, key: "k")
            .at(10).show("B", flow: .init("f"))
            .at(20).show("C", ttl: 5)
            .at(30).show("D", key: "k")
            .at(40).show("E", minDisplay: 20)
            .at(50).show("F")
            .gives(
                """
                0 shown A
                10 closed A PREEMPTED
                10 shown B
                20 closed B PREEMPTED
                20 shown C
                30 closed C PREEMPTED
                30 shown D
                40 closed D PREEMPTED
                40 shown E
                50 queued F
                60 closed E PREEMPTED
                60 shown F
                """)
    }

    @Test func `the id of a popup that was stopped is remembered, with the popup that stopped it`() {
        stopping
            .show("A")
            .at(10).show("B")
            .at(20).show("A").explain("A")
            .gives(
                """
                0 shown A
                10 closed A PREEMPTED
                10 shown B
                20 explain A closed: closed PREEMPTED by B at 10 after 10
                """)
    }
}
