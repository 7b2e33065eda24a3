import PopupClient
import PopupProtocol
import Testing

@testable import popupctl

@Suite("The rules of popupctl policy set over those of the policy in force")
struct PolicyMergingTests {
    private func merged(_ rules: (inout GroupPolicy) -> Void, over base: (inout GroupPolicy) -> Void) throws
        -> GroupPolicy
    {
        var given = GroupPolicy("lobby")
        var inForce = GroupPolicy("*")
        rules(&given)
        base(&inForce)
        return try given.over(inForce)
    }

    @Test("the group is that of the rules, also over the policy of a pattern")
    func group() throws {
        let policy = try merged {
            $0.maxWaiting = 3
        } over: {
            $0.gapMs = 500
        }
        #expect(policy.group == "lobby")
        #expect((policy.maxWaiting, policy.gapMs) == (3, 500))
    }

    @Test("what is given replaces what is in force; a rule that is given as false or 0 is given")
    func given() throws {
        let policy = try merged {
            $0.agingMs = 0
            $0.ignorePriority = false
            $0.lower = .never
        } over: {
            $0.agingMs = 60_000
            $0.ignorePriority = true
            $0.lower = .defer
            $0.higher = .stop
        }
        #expect(policy.agingMs == 0)
        #expect(policy.ignorePriority == false)
        #expect((policy.lower, policy.higher) == (.never, .stop))
    }

    @Test("a preset sets its rules, and no others")
    func preset() throws {
        let policy = try merged {
            $0.preset = .lifo
            $0.lower = .never
        } over: {
            $0.preset = .fifo
            ($0.higher, $0.peers, $0.lower) = (.defer, .defer, .defer)
            $0.ignorePriority = true
            $0.resume = .restart
            $0.agingMs = 60_000
        }
        #expect(policy.preset == .lifo)
        #expect((policy.higher, policy.peers, policy.lower) == (.unspecified, .unspecified, .never))
        #expect(policy.ignorePriority == nil)
        #expect(policy.resume == .unspecified)
        #expect(policy.agingMs == 60_000)
    }

    @Test("a gap replaces a random one")
    func gap() throws {
        let policy = try merged {
            $0.gapMs = 500
        } over: {
            ($0.gapMinMs, $0.gapMaxMs) = (100, 900)
        }
        #expect(policy.gapMs == 500)
        #expect(policy.gapMinMs == nil && policy.gapMaxMs == nil)
    }

    @Test("one bound of a random gap keeps the other, or takes a fixed gap as the other")
    func randomGap() throws {
        let random = try merged {
            $0.gapMaxMs = 700
        } over: {
            ($0.gapMinMs, $0.gapMaxMs) = (100, 900)
        }
        #expect((random.gapMinMs, random.gapMaxMs) == (100, 700))
        let fixed = try merged {
            $0.gapMaxMs = 700
        } over: {
            $0.gapMs = 500
        }
        #expect(fixed.gapMs == nil)
        #expect((fixed.gapMinMs, fixed.gapMaxMs) == (500, 700))
    }

    @Test("a number of dismissals replaces that of all renderers, and the other way round")
    func quorum() throws {
        let number = try merged {
            $0.quorum = 2
        } over: {
            $0.quorumAll = true
        }
        #expect(number.quorum == 2 && number.quorumAll == nil)
        let all = try merged {
            $0.quorumAll = true
        } over: {
            $0.quorum = 2
        }
        #expect(all.quorumAll == true && all.quorum == nil)
        let neither = try merged {
            $0.maxWaiting = 3
        } over: {
            $0.quorum = 2
        }
        #expect(neither.quorum == 2)
    }

    @Test("caps replace all caps, and quiet windows all quiet windows")
    func lists() throws {
        let (ads, all) = (PopupCap(3, per: .seconds(600), key: "ads"), PopupCap(9, per: .seconds(60)))
        let night = QuietWindow(from: "22:00", to: "07:00", timeZone: "Etc/UTC")
        let noon = QuietWindow(from: "12:00", to: "13:00", timeZone: "Etc/UTC")
        let caps = try merged {
            $0.caps = [ads]
        } over: {
            $0.caps = [all]
            $0.quiet = [night]
        }
        #expect(caps.caps == [ads] && caps.quiet == [night])
        let quiet = try merged {
            $0.quiet = [noon]
        } over: {
            $0.caps = [all]
            $0.quiet = [night]
        }
        #expect(quiet.caps == [all] && quiet.quiet == [noon])
    }
}
