import PopupScheduling
import Testing

@Suite struct LeaseTests {
    private let requeueing = Timeline().policy {
        $0.rendererLost = .requeue; $0.gap = 50...50
    }

    @Test(arguments: Policy.RendererLost.allCases)
    func `the last renderer that displayed it has left`(rendererLost: Policy.RendererLost) {
        let comes: String =
            switch rendererLost {
            case .hold: ""
            case .requeue: "\n5000 queued A\n5000 shown A attempt 2"
            case .close: "\n5000 closed A RENDERER_LOST"
            }
        Timeline().policy { $0.rendererLost = rendererLost }.lease("r1").show("A").displayed("A", by: "r1")
            .gives("0 shown A\(comes)")
    }

    @Test func `a lease visits the names and patterns that it enters and removes, a renewal none`() {
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        func visits(of groups: [String]) -> Int {
            let before = subject.visits
            _ = subject.perform(.lease("r1", groups), at: 0)
            return subject.visits - before
        }
        #expect(visits(of: ["a", "b", "c/*"]) == 6)
        #expect(visits(of: ["a", "b", "c/*"]) == 0)
        #expect(visits(of: ["d"]) == 8)
        #expect(visits(of: []) == 2)
        #expect(visits(of: ["d"]) == 2)
    }

    @Test func `a renewed lease continues`() {
        requeueing.lease("r1").show("A").displayed("A", by: "r1").at(4000).lease("r1")
            .gives("0 shown A\n9000 queued A\n9000 shown A attempt 2")
    }

    @Test func `another renderer still displays it`() {
        requeueing.lease("r1").at(1000).lease("r2", ["*"]).show("A")
            .displayed("A", by: "r1").visible("A", by: "r2").hidden("A", by: "r2")
            .gives("1000 shown A\n6000 queued A\n6000 shown A attempt 2")
    }

    @Test func `a renderer that leaves is lost at once`() {
        requeueing.lease("r1").show("A").displayed("A", by: "r1").at(100).lease("r1", [])
            .gives("0 shown A\n100 queued A\n100 shown A attempt 2")
    }

    @Test func `a renderer without a lease is never lost`() {
        requeueing.lease("r1").show("A").displayed("A", by: "r1").displayed("A", by: "r2").gives("0 shown A")
    }

    @Test func `a popup that no renderer displayed cannot lose its renderer`() {
        requeueing.lease("r1").show("A").show("B").dismiss("A").gives(
            "0 shown A\n0 queued B\n0 closed A DISMISSED\n50 shown B")
    }

    @Test func `a requeued popup has its old place and its whole time, and no gap follows`() {
        requeueing.lease("r1").show("A", duration: 7000, ttl: 10).displayed("A", by: "r1").show("B")
            .at(5000).remaining()
            .gives(
                """
                0 shown A
                0 queued B
                5000 queued A
                5000 shown A attempt 2
                5000 remaining A 7000 left, B no end
                12000 closed A TIMED_OUT
                12050 shown B
                """)
    }

    @Test func `after its last attempt it closes, and the gap follows`() {
        Timeline().policy {
            $0.rendererLost = .requeue; $0.maxAttempts = 2; $0.gap = 50...50
        }
        .lease("r1").show("A").displayed("A", by: "r1").show("B")
        .at(10).lease("r1", []).lease("r2").displayed("A", by: "r2").at(20).lease("r2", [])
        .gives(
            """
            0 shown A
            0 queued B
            10 queued A
            10 shown A attempt 2
            20 closed A RENDERER_LOST
            70 shown B
            """,
            [])
    }

    @Test func `the loss in one group does not concern another`() {
        requeueing.lease("r1", ["*"]).show("A").show("B", in: "h").displayed("A", by: "r1").at(10).lease("r1", [])
            .gives("0 shown A\n0 h: shown B\n10 queued A\n10 shown A attempt 2")
    }

    @Test func `too many groups and too many renderers are refused`() {
        Timeline(limits: .tight).lease("r1", ["a", "b", "c"]).lease("r1").lease("r2").lease("r3").lease("r4")
            .at(100).lease("r1", []).lease("r4")
            .gives("0 refused  OVERLOAD groupsPerLease\n0 refused  OVERLOAD renderers")
    }
}
