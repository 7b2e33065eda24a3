// Suspensions: while a suspension applies to a group, popups below its minimum priority are not shown there. The
// highest minimum counts, and popups are held back until all suspensions are released.
extension Scheduler {
    mutating func suspend(_ suspension: Suspension, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let token = text[suspension.token]
        let nameless = text[.none]
        guard max(token.count, Int(suspension.user.count)) <= Limits.nameBytes else {
            return refuse(.tooLong, group: nameless, popup: nameless)
        }
        let former = policies.suspensions.record(of: token)
        if former == nil,
            let admissionError = admissionError(
                in: .suspensions, used: policies.suspensions.count, of: limits.suspensions, for: transaction.sender)
        {
            let isName = if case .name = Pattern(text[suspension.pattern]) { true } else { false }
            return refuse(admissionError, group: isName ? text[suspension.pattern] : nameless, popup: nameless)
        }
        // A suspension that is replaced stays with its account.
        let account = former?.account ?? sendersAccount()
        if former == nil { accounts[account].tokens += 1 }
        let record = SuspensionTable.Record(
            token: Array(token), pattern: Array(text[suspension.pattern]),
            threshold: suspension.minimumPriority.map(Int64.init) ?? .max, account: account,
            user: Array(text[suspension.user]), since: now)
        policies.suspensions.set(record)
        perform(.thresholds, in: groups(matchingOneOf: record, former))
        return nil
    }

    mutating func resume(_ token: UnsafeRawBufferPointer) {
        guard let record = policies.suspensions.record(of: token) else { return }
        policies.suspensions.remove(record.token)
        count(of: record.account) { $0.tokens -= 1 }
        perform(.thresholds, in: groups(matchingOneOf: record, nil))
    }

    /// Returns the priority below which suspensions or quiet windows hold popups back in a group.
    func threshold(of group: GroupRecord.Index) -> Int64 {
        policies.threshold(ofGroup: store[groups[group].name], under: groups[group].policy)
    }

    /// Whether the popup that has the slot has to leave it. An exclusive popup is exempt from suspensions and quiet
    /// windows that began before it was shown.
    @inline(__always)
    func isHeldBack(_ popup: PopupRecord.Index) -> Bool {
        let group = popups[popup].group
        let (priority, number) = (Int64(popups[popup].priority), popups.rareFields(of: popup).exemptUpTo)
        guard priority < groups[group].threshold else { return false }
        return priority < policies.suspensions.threshold(for: store[groups[group].name], after: number)
            || priority
                < policies.quietThreshold(groups[group].policy, after: groups[group].quietSince > number ? 0 : number)
    }

    /// Applies the current threshold of a group. Popups that it no longer holds back may be shown.
    mutating func thresholdChanged(in group: GroupRecord.Index) {
        let former = groups[group].threshold
        groups[group].threshold = threshold(of: group)
        let isLower = groups[group].threshold < former
        let freed = isLower ? challengers(in: group).filter { Int64(popups[$0].priority) < former } : []
        reconsider(group, freed: freed)
    }

    /// Returns the groups to which a suspension applies or applied, in byte order of their names.
    private mutating func groups(
        matchingOneOf new: SuspensionTable.Record, _ former: SuspensionTable.Record?
    ) -> [GroupRecord.Index] {
        let now = new.pattern.withUnsafeBytes { groups(matching: $0) }
        guard let former, former.pattern != new.pattern else { return now }
        let before = former.pattern.withUnsafeBytes { groups(matching: $0) }
        let both = Set(now).union(before)
        return orderedGroups().filter(both.contains)
    }
}
