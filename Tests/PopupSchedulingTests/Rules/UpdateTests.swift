import PopupScheduling
import Testing

@Suite struct UpdateTests {
    // MARK: - Content

    @Test func `content changes in place`() {
        Timeline()
            .show("A", content: "one")
            .at(10).show("B", content: "two")
            .at(20).update("A", content: "three").update("B", content: "")
            .at(20).content()
            .at(30).dismiss("A").content()
            .gives(
                """
                0 shown A
                10 queued B
                20 updated A
                20 updated B
                20 content three
                30 closed A DISMISSED
                30 shown B
                30 content\(" ")
                """)
    }

    // MARK: - Priority

    @Test func `a waiting popup that becomes strictly higher preempts, under stop and pause alone`() {
        for higher in Policy.Interruption.allCases {
            let lines =
                switch higher {
                case .stop: "\n20 closed A PREEMPTED\n20 shown B"
                case .pause: "\n20 paused A\n20 shown B"
                case .defer, .never: ""
                }
            Timeline()
                .show("A", priority: 5)
                .at(10).show("B", priority: 4)
                .at(20).policy { $0.higher = higher }.update("B", priority: 6)
                .gives("0 shown A\n10 queued B\n20 updated B" + lines)
        }
    }

    @Test func `an update is no arrival: at equal or lower priority it does not preempt`() {
        Timeline()
            .show("A", priority: 5)
            .at(10).show("B", priority: 3)
            .at(20).policy(.lifo) { $0.ignorePriority = false }
            .at(30).update("B", priority: 5).update("B", priority: 4)
            .gives(
                """
                0 shown A
                10 queued B
                30 updated B
                30 updated B
                """)
    }

    @Test func `an active popup that becomes lower is preempted by the first of the queue`() {
        Timeline()
            .show("A", priority: 5)
            .at(10).show("B", priority: 3).show("C", priority: 4)
            .at(20).update("A", priority: 4)
            .at(30).update("A", priority: 3)
            .at(40).peek()
            .gives(
                """
                0 shown A
                10 queued B
                10 queued C
                20 updated A
                30 updated A
                30 paused A
                30 shown C
                40 peek C active, A paused, B waiting
                """)
    }

    @Test func `an active popup that becomes interruptible is preempted`() {
        Timeline()
            .show("A", interruptible: false)
            .at(10).show("B", priority: 3)
            .at(20).update("A", interruptible: true)
            .gives(
                """
                0 shown A
                10 queued B
                20 updated A
                20 paused A
                20 shown B
                """)
    }

    @Test func `a paused popup that becomes higher is resumed`() {
        Timeline()
            .show("A").at(10).show("B", priority: 3).at(20).update("A", priority: 4)
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                20 updated A
                20 paused B
                20 resumed A
                """)
    }

    @Test func `in the queue it has the order of acceptance within its new priority`() {
        Timeline()
            .show("A", priority: 9)
            .show("B", priority: 1).show("C", priority: 2).show("D", priority: 3)
            .at(10).update("D", priority: 1).peek()
            .at(20).update("D", priority: 2).update("B", priority: 2).peek()
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                0 queued D
                10 updated D
                10 peek A active, C waiting, B waiting, D waiting
                20 updated D
                20 updated B
                20 peek A active, B waiting, C waiting, D waiting
                """)
    }

    @Test func `a paused popup keeps its rank above waiting ones at any priority`() {
        Timeline()
            .show("A").at(10).show("B", priority: 9).show("C", priority: 2)
            .at(20).update("A", priority: 2).peek()
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                10 queued C
                20 updated A
                20 peek B active, A paused, C waiting
                """)
    }

    @Test func `a delayed popup arrives with its updated fields`() {
        Timeline()
            .show("A", priority: 5).show("B", delay: 50)
            .at(10).update("B", priority: 6, duration: 20, content: "new")
            .at(55).content()
            .gives(
                """
                0 shown A
                0 queued B
                10 updated B
                50 paused A
                50 shown B
                55 content new
                70 closed B TIMED_OUT
                70 resumed A
                """)
    }

    @Test func `suspensions apply to the new priority`() {
        Timeline()
            .suspend("t", below: 3)
            .show("A", priority: 5).show("B")
            .at(10).update("A", priority: 2)
            .at(20).update("B", priority: 4)
            .at(30).update("A", priority: 3)
            .gives(
                """
                0 shown A
                0 queued B
                10 updated A
                10 paused A
                20 updated B
                20 shown B
                30 updated A
                """)
    }

    // MARK: - Duration

    @Test func `a new duration counts from the activation, or from now with restartTimer`() {
        Timeline()
            .show("A", duration: 100)
            .at(40).update("A", duration: 60)
            .gives("0 shown A\n40 updated A\n60 closed A TIMED_OUT after 60", .displayed)
        Timeline()
            .show("A", duration: 100)
            .at(40).update("A", duration: 60, restartTimer: true)
            .gives("0 shown A\n40 updated A\n100 closed A TIMED_OUT after 100", .displayed)
        Timeline()
            .show("A", duration: 100)
            .at(40).update("A", restartTimer: true)
            .gives("0 shown A\n40 updated A\n140 closed A TIMED_OUT after 140", .displayed)
    }

    @Test(arguments: [UInt32(40), 39, 1])
    func `a popup with a used-up duration closes at once`(duration: UInt32) {
        Timeline()
            .show("A", duration: 100).show("B")
            .at(40).update("A", duration: duration)
            .gives(
                """
                0 shown A
                0 queued B
                40 updated A
                40 closed A TIMED_OUT
                40 shown B
                """)
    }

    @Test func `a paused popup closes too, unless its time starts over`() {
        let script = Timeline().show("A", duration: 100).at(40).show("B", priority: 1, duration: 100)
        script.at(50).update("A", duration: 40)
            .gives(
                """
                0 shown A
                40 paused A
                40 shown B
                50 updated A
                50 closed A TIMED_OUT
                140 closed B TIMED_OUT
                """)
        script.policy { $0.resumption = .restart }.at(50).update("A", duration: 40)
            .gives(
                """
                0 shown A
                40 paused A
                40 shown B
                50 updated A
                140 closed B TIMED_OUT
                140 resumed A
                180 closed A TIMED_OUT
                """)
        script.at(50).update("A", duration: 40, restartTimer: true)
            .gives(
                """
                0 shown A
                40 paused A
                40 shown B
                50 updated A
                140 closed B TIMED_OUT
                140 resumed A
                180 closed A TIMED_OUT
                """)
    }

    @Test func `no duration is the policy's default, and the maximum caps it`() {
        Timeline()
            .policy { $0.defaultDuration = 200 }
            .show("A", duration: 100)
            .at(40).update("A", duration: 0)
            .gives("0 shown A\n40 updated A\n200 closed A TIMED_OUT")
        Timeline()
            .show("A", duration: 100)
            .at(40).update("A", duration: 0)
            .gives("0 shown A\n40 updated A")
        Timeline()
            .policy { $0.maxDuration = 80 }
            .show("A", duration: 70)
            .at(40).update("A", duration: 500)
            .gives("0 shown A\n40 updated A\n80 closed A TIMED_OUT")
    }

    // MARK: - Refusals

    @Test func `closed and unknown popups cannot be updated`() {
        Timeline()
            .show("A", duration: 10)
            .at(20).update("A", priority: 3).update("B", priority: 3)
            .gives(
                """
                0 shown A
                10 closed A TIMED_OUT
                20 refused A STALE popupClosed
                20 refused B NOT_FOUND unknownPopup
                """)
    }
}
