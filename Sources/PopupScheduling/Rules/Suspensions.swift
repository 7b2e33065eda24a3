// Suspension tokens: while any stands for a group, popups below its minimum priority are not shown there. The highest
// of them counts; all have to be released.
extension Scheduler {
    mutating func suspend(_ suspension: Suspension, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let token = text[suspension.token]
        let nameless = text[.none]
        guard token.count <= Limits.nameBytes else { return refuse(.tooLong, group: nameless, popup: nameless) }
        let former = policies.suspensions.record(of: token)
        if former == nil,
            let admissionError = admissionError(
                in: .suspensions, used: policies.suspensions.count, of: limits.suspensions, for: transaction.sender)
        {
            let isName = if case .name = Pattern(text[suspension.pattern]) { true } else { false }
            return refuse(admissionError, group: isName ? text[suspension.pattern] : nameless, popup: nameless)
        }
        // One that is replaced stays whose it was.
        let account = former?.account ?? sendersAccount()
        if former == nil { accounts[account].tokens += 1 }
        let record = SuspensionTable.Record(
            token: Array(token), pattern: Array(text[suspension.pattern]),
            threshold: suspension.minimumPriority.map(Int64.init) ?? .max, account: account)
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

    /// The priority below which popups are held back in a group, by suspensions or quiet hours.
    func threshold(of group: GroupRecord.Index) -> Int64 {
        policies.threshold(ofGroup: store[groups[group].name], under: groups[group].policy)
    }

    /// Whether the popup that holds the slot has to give way. An exclusive one shown in spite of earlier suspensions
    /// and quiet hours gives way to later ones.
    @inline(__always)
    func isHeldBack(_ popup: PopupRecord.Index) -> Bool {
        let group = popups[popup].group
        let (priority, number) = (Int64(popups[popup].priority), popups.rareFields(of: popup).exemptUpTo)
        guard priority < groups[group].threshold else { return false }
        return priority < policies.suspensions.threshold(for: store[groups[group].name], after: number)
            || priority
                < policies.quietThreshold(groups[group].policy, after: groups[group].quietSince > number ? 0 : number)
    }

    /// Takes over the threshold that holds now. Those that it held back and no longer does may be shown.
    mutating func thresholdChanged(in group: GroupRecord.Index) {
        let former = groups[group].threshold
        groups[group].threshold = threshold(of: group)
        let isLower = groups[group].threshold < former && groups[group].active != nil
        let freed = isLower ? queue(of: group).filter { Int64(popups[$0].priority) < former } : []
        reconsider(group, freed: freed)
    }

    /// The groups that a suspension is for or was for, in byte order of their names.
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
