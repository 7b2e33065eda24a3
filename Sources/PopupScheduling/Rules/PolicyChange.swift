// Policy changes. A policy applies from the moment it is set, also to existing popups: the order of the queue, display
// times and quiet windows change at once. No popup preempts another because of it, and a running gap, hold or offer
// continues.
extension Scheduler {
    mutating func setPolicy(
        _ policy: Policy, for pattern: UnsafeRawBufferPointer, isConfigured: Bool = false
    ) -> Refusal? {
        let former = policies.index(ofPattern: pattern)
        if former == nil, let admissionError = admissionErrorOfPolicy(isConfigured: isConfigured) {
            let isName = if case .name = Pattern(pattern) { true } else { false }
            return refuse(admissionError, group: isName ? pattern : nothing, popup: nothing)
        }
        if let former, policies[former] == policy { return nil }
        changePolicies(of: pattern) { $0.set(policy, for: pattern) }
        // A policy that is replaced stays with its account.
        if former == nil, !isConfigured, let index = policies.index(ofPattern: pattern) {
            let account = sendersAccount()
            policies[account: index] = account
            accounts[account].policies += 1
        }
        return nil
    }

    private mutating func admissionErrorOfPolicy(isConfigured: Bool) -> Refusal? {
        guard isConfigured else {
            return admissionError(in: .policies, used: policies.count, of: limits.policies, for: transaction.sender)
        }
        return policies.count < limits.policies ? nil : .limit(.policies)
    }

    mutating func removePolicy(for pattern: UnsafeRawBufferPointer) {
        guard let index = policies.index(ofPattern: pattern) else { return }
        count(of: policies[account: index]) { $0.policies -= 1 }
        changePolicies(of: pattern) { $0.remove(pattern) }
    }

    private mutating func changePolicies(
        of pattern: UnsafeRawBufferPointer, _ change: (inout PolicyTable) -> Void
    ) {
        let affected = groups(matching: pattern)
        var former: [PolicyTable.Index: Policy] = [:]
        for group in affected where former[groups[group].policy] == nil {
            former[groups[group].policy] = policies[groups[group].policy]
        }
        if let index = policies.index(ofPattern: pattern) { endQuietWindows(under: index) }
        change(&policies)
        if let index = policies.index(ofPattern: pattern) { beginQuietWindows(under: index) }
        perform(.policies(former: former), in: affected)
    }

    /// Applies the policy that a group has now.
    mutating func applyPolicy(of group: GroupRecord.Index, _ former: [PolicyTable.Index: Policy]) {
        guard let former = former[groups[group].policy] else { return }
        let index = policies.index(for: store[groups[group].name])
        if groups[group].policy != index { groups[group].quietSince = policies.suspensions.nextNumber() }
        groups[group].policy = index
        policyChanged(in: group, from: former)
    }

    /// Updates the fields of a group that depend on its policy.
    mutating func updatePolicyFields(of group: GroupRecord.Index) {
        let index = groups[group].policy
        groups[group].isCapped = !policies[index].caps.isEmpty
        groups[group].ages = policies[index].aging > 0 && !policies[index].ignorePriority
        groups[group].publishesPath = !policies[index].pageTree.isEmpty
        groups[group].canBePreemptedInOnePass = policies[index].preemptsInOnePass
        if groups[group].isCapped || groups.caps.has(group) { takeCaps(in: group) }
    }

    private mutating func policyChanged(in group: GroupRecord.Index, from former: Policy) {
        let policy = policies[groups[group].policy]
        updatePolicyFields(of: group)
        groups[group].threshold = threshold(of: group)
        if policy != former { takeOrderAndTimes(of: policy, in: group, from: former) }
        reconsider(group, freed: [])
    }

    private mutating func takeOrderAndTimes(of policy: Policy, in group: GroupRecord.Index, from former: Policy) {
        if policy.ignorePriority != former.ignorePriority || policy.aging != former.aging
            || policy.caps.map(\.key) != former.caps.map(\.key)
        {
            reorderQueue(of: group)
        }
        // If one closes, others of its flow may close with it.
        for popup in pausedInQueue(of: group) where popups.contains(popup) { _ = adjustDisplayTime(of: popup) }
        if let active = groups[group].active {
            let formerTime = displayTime(of: active, former.defaultDuration, atMost: former.maxDuration)
            if displayTime(of: active) != formerTime || policy.clock != former.clock {
                _ = adjustDisplayTime(of: active)
            }
        }
    }

    private func pausedInQueue(of group: GroupRecord.Index) -> [PopupRecord.Index] {
        guard groups[group].paused > 0 else { return [] }
        return inClosingOrder(group) { popups[$0].isPaused }
    }
}
