@testable import PopupScheduling
import Testing

/// The table of policies: which of them is for a group, and what holds popups back there.
@Suite struct PolicyTableTests {
    @Test func `the policy of the longest pattern applies to a group`() {
        var policies = PolicyTable()
        let all = policies.set("*")
        let shop = policies.set("shop/*")
        let till = policies.set("shop/till")
        #expect(policies.policy(of: "shop/till") == till)
        #expect(policies.policy(of: "shop/till/2") == shop)
        #expect(policies.policy(of: "kiosk") == all)
        policies.remove("shop/*")
        #expect(policies.policy(of: "shop/till/2") == all)
        policies.remove("*")
        #expect(policies.policy(of: "kiosk") == PolicyTable.initial)
    }

    @Test func `the highest minimum of a group's suspensions applies`() {
        var policies = PolicyTable()
        for (token, pattern, threshold) in [("a", "shop/*", Int64(3)), ("b", "*", 1), ("c", "shop/till", 7)] {
            policies.suspensions.set(
                SuspensionTable.Record(token: Array(token.utf8), pattern: Array(pattern.utf8), threshold: threshold))
        }
        #expect(policies.threshold("shop/till") == 7)
        #expect(policies.threshold("shop/desk") == 3)
        policies.suspensions.remove(Array("c".utf8))
        #expect(policies.threshold("shop/till") == 3)
    }

    @Test func `gaps are in the range of the policy, and the same for the same seed`() {
        var policy = Policy.priority
        policy.gap = 10...20
        var (one, other) = (PolicyTable(gaps: Generator(seed: 4)), PolicyTable(gaps: Generator(seed: 4)))
        let (mine, theirs) = (one.set("*", policy), other.set("*", policy))
        let gaps = (0..<50).map { _ in one.drawGap(under: mine) }
        #expect(gaps == (0..<50).map { _ in other.drawGap(under: theirs) })
        #expect(gaps.allSatisfy(policy.gap.contains) && Set(gaps).count > 5)
    }

    @Test func `the index of a removed policy is used again, without its account and its quiet windows`() {
        var policies = PolicyTable()
        let shop = policies.set("shop/*")
        policies[account: shop] = AccountRecord.Index(number: 1)
        policies.remove("shop/*")
        let kiosk = policies.set("kiosk", .fifo)
        #expect(kiosk == shop && policies.pattern(of: kiosk) == Array("kiosk".utf8))
        #expect(policies[kiosk] == .fifo && policies[account: kiosk] == nil)
        #expect(policies[quietWindows: kiosk].numbers == [])
    }

    #if DEBUG
        @Test func `a change of a removed policy, or of one that another table has, traps`() async {
            await #expect(processExitsWith: .failure) {
                var policies = PolicyTable()
                let index = policies.set("shop/*")
                policies.remove("shop/*")
                policies[account: index] = nil
            }
            await #expect(processExitsWith: .failure) {
                var policies = PolicyTable()
                let index = policies.set("shop/*")
                policies.remove("shop/*")
                policies[quietWindows: index] = QuietWindows()
            }
            await #expect(processExitsWith: .failure) {
                var (policies, others) = (PolicyTable(), PolicyTable())
                let foreign = others.set("shop/*")
                policies[account: foreign] = nil
            }
        }
    #endif
}

extension PolicyTable {
    fileprivate mutating func set(_ pattern: String, _ policy: Policy = .priority) -> Index {
        let bytes = Array(pattern.utf8)
        return bytes.withUnsafeBytes { set(policy, for: $0) }
    }

    fileprivate mutating func remove(_ pattern: String) {
        let bytes = Array(pattern.utf8)
        bytes.withUnsafeBytes { remove($0) }
    }

    fileprivate func policy(of group: String) -> Index {
        let bytes = Array(group.utf8)
        return bytes.withUnsafeBytes { index(for: $0) }
    }

    fileprivate func threshold(_ group: String) -> Int64 {
        let bytes = Array(group.utf8)
        return bytes.withUnsafeBytes { threshold(ofGroup: $0, under: index(for: $0)) }
    }
}
