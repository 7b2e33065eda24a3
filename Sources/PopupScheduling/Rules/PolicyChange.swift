// A policy holds from the moment it is set, for popups that are there as well: the line takes its order, and display
// times change. Nobody preempts because of it, and a gap that runs goes on.
extension Scheduler {
    mutating func setPolicy(_ policy: Policy, for pattern: UnsafeRawBufferPointer) -> Refusal? {
        guard policies.contains(pattern) || policies.count < limits.policies else {
            let isName = if case .name = Pattern(pattern) { true } else { false }
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            return refuse(.limit(.policies), group: isName ? pattern : nothing, popup: nothing)
        }
        changePolicies(of: pattern) { $0.set(policy, for: pattern) }
        return nil
    }

    mutating func removePolicy(for pattern: UnsafeRawBufferPointer) {
        changePolicies(of: pattern) { $0.remove(pattern) }
    }

    private mutating func changePolicies(
        of pattern: UnsafeRawBufferPointer, _ change: (inout PolicyTable) -> Void
    ) {
        let affected = groups(matching: pattern).map { (group: $0, former: policies[groups[$0].policy]) }
        change(&policies)
        for (group, former) in affected {
            groups[group].policy = policies.place(for: store[groups[group].name])
            policyChanged(in: group, from: former)
        }
    }

    private mutating func policyChanged(in group: Int32, from former: Policy) {
        let policy = policies[groups[group].policy]
        guard policy != former else { return }
        if policy.ignorePriority != former.ignorePriority { reorderLine(of: group) }
        for popup in pausedInLine(of: group) { _ = adjustDisplayTime(of: popup) }
        let active = groups[group].active
        if active != nobody, displayTime(of: active) != displayTime(of: active, under: former) {
            _ = adjustDisplayTime(of: active)
        }
        settle(group)
    }

    private func pausedInLine(of group: Int32) -> [Int32] {
        guard groups[group].paused > 0 else { return [] }
        return lineUp(group).filter { popups[$0].isPaused }
    }
}
