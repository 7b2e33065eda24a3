import PopupScheduling
import Testing

@Suite struct QuorumTests {
    @Test func `the dismissal that completes the quorum closes the popup with its action`() {
        Timeline().show("A", quorum: 2).at(10).dismiss("A", "no", by: "r1").state().dismiss("A", "yes", by: "r2")
            .gives("0 shown A\n10 state r1 active 0 since r1 no end, 0 waiting, 0 paused\n10 closed A DISMISSED yes")
    }

    @Test func `the same renderer counts once`() {
        Timeline().show("A", quorum: 2).at(10).dismiss("A", by: "r1").dismiss("A", by: "r1").at(20).dismiss(
            "A", by: "r2"
        )
        .gives("0 shown A\n20 closed A DISMISSED")
    }

    @Test func `an administrator needs no quorum`() {
        Timeline().show("A", quorum: 2).at(10).dismiss("A", "ok").gives("0 shown A\n10 closed A DISMISSED ok")
    }

    @Test func `the policy's quorum applies to popups that specify none`() {
        Timeline().policy { $0.quorum = 2 }.show("A").at(10).dismiss("A", by: "r1").at(20).dismiss("A", by: "r2")
            .show("B", quorum: 1).at(30).dismiss("B", by: "r1")
            .gives("0 shown A\n20 closed A DISMISSED\n20 shown B\n30 closed B DISMISSED")
    }

    @Test func `the quorum of all live renderers of its group`() {
        Timeline().lease("r1", ["g"]).lease("r2", ["*"]).lease("r3", ["other"])
            .show("A", quorumAll: true).at(10).dismiss("A", "no", by: "r1").at(20).dismiss("A", "yes", by: "r2")
            .gives("0 shown A\n20 closed A DISMISSED yes")
    }

    @Test func `a popup's own number overrides the policy's all`() {
        Timeline().policy {
            $0.quorumAll = true; $0.quorum = 5
        }.lease("r1").lease("r2")
            .show("A", quorum: 1).at(10).dismiss("A", by: "r1")
            .at(20).show("B").dismiss("B", by: "r1").at(30).dismiss("B", by: "r2")
            .gives("0 shown A\n10 closed A DISMISSED\n20 shown B\n30 closed B DISMISSED")
    }

    @Test func `without live renderers the quorum of all is complete`() {
        Timeline().show("A", quorumAll: true).at(10).dismiss("A", by: "r1").gives("0 shown A\n10 closed A DISMISSED")
    }

    @Test func `the lease of the only missing renderer ends`() {
        Timeline().lease("r1").at(100).lease("r2").show("A", quorumAll: true)
            .at(200).dismiss("A", "ok", by: "r2")
            .gives("100 shown A\n5000 closed A DISMISSED ok")
    }

    @Test func `the only missing renderer leaves`() {
        Timeline().lease("r1").lease("r2").show("B", priority: 1).show("A", quorumAll: true)
            .at(200).dismiss("A", "ok", by: "r2").at(300).lease("r1", [])
            .gives("0 shown B\n0 queued A\n300 closed A DISMISSED ok")
    }

    @Test func `dismissals before another showing no longer count`() {
        Timeline().policy {
            $0.displayTimeout = 50; $0.undisplayed = .skip
        }.show("A", quorum: 2)
            .at(10).dismiss("A", by: "r1").at(60).dismiss("A", by: "r2").at(70).dismiss("A", by: "r1")
            .gives("0 shown A\n50 queued A\n50 shown A attempt 2\n70 closed A DISMISSED")
    }

    @Test func `dismissals count across a pause`() {
        Timeline().show("A", quorum: 2).dismiss("A", by: "r1").show("B", priority: 1).at(10).dismiss("B")
            .dismiss("A", by: "r2")
            .gives(
                "0 shown A\n0 paused A\n0 shown B\n10 closed B DISMISSED\n10 resumed A\n10 closed A DISMISSED")
    }

    @Test func `a stale dismissal is refused and does not count`() {
        Timeline().show("A", quorum: 2).update("A", content: "new").dismiss("A", revision: 1, by: "r1")
            .dismiss("A", by: "r2").dismiss("A", revision: 2, by: "r1").dismiss("A", by: "r3")
            .gives(
                """
                0 shown A
                0 updated A
                0 refused A STALE olderRevision
                0 closed A DISMISSED
                0 refused A STALE popupClosed
                """)
    }

    @Test func `dismissals by too many renderers are refused`() {
        Timeline(limits: .tight).show("A", quorum: 5).dismiss("A", by: "r1").displayed("A", by: "r2")
            .dismiss("A", by: "r3").dismiss("A", by: "r2")
            .gives("0 shown A\n0 refused A OVERLOAD renderersPerPopup")
    }

    // MARK: - Work

    @Test func `a dismissal visits the renderers of its group up to the first missing one`() {
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        for number in 0..<500 {
            _ = subject.perform(.lease("other\(number)", ["s/g\(number)", "t/g\(number)/*"]), at: 0)
            _ = subject.perform(.lease("all\(number)", ["*"]), at: 0)
        }
        _ = subject.perform(.show(Instruction.Request(id: "A", group: "s/g7", quorumAll: true)), at: 0)
        let before = subject.visits
        _ = subject.perform(.dismiss("A", action: "", revision: nil, client: "other7"), at: 0)
        #expect(subject.visits - before == 2)
        for number in 0..<500 {
            _ = subject.perform(.dismiss("A", action: "", revision: nil, client: "all\(number)"), at: 0)
        }
        #expect(subject.state(of: "s/g7", at: 0)?.active == nil)
    }
}
