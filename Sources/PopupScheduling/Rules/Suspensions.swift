// Suspension tokens: while any stands for a group, popups below its minimum priority are not shown there. The highest
// of them counts; all have to be released.
extension Scheduler {
    mutating func suspend(_ suspension: Suspension, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let token = text[suspension.token]
        let nameless = text[.none]
        guard token.count <= Limits.nameBytes else { return refuse(.tooLong, group: nameless, popup: nameless) }
        let former = suspensions.record(of: token)
        guard former != nil || suspensions.count < limits.tokens else {
            let isName = if case .name = Pattern(text[suspension.pattern]) { true } else { false }
            return refuse(
                .limit(.tokens), group: isName ? text[suspension.pattern] : nameless, popup: nameless)
        }
        let record = SuspensionTable.Record(
            token: Array(token), pattern: Array(text[suspension.pattern]),
            threshold: suspension.minimumPriority.map(Int64.init) ?? .max)
        suspensions.set(record)
        for group in groups(matchingOneOf: record, former) { thresholdChanged(in: group) }
        return nil
    }

    mutating func resume(_ token: UnsafeRawBufferPointer) {
        guard let record = suspensions.record(of: token) else { return }
        suspensions.remove(record.token)
        for group in groups(matchingOneOf: record, nil) { thresholdChanged(in: group) }
    }

    /// Whether the active popup has to give way to the suspensions that stand. An exclusive one shown in spite of
    /// earlier suspensions gives way to later ones.
    func pausesForSuspension(_ popup: Int32) -> Bool {
        let group = popups[popup].group
        let priority = Int64(popups[popup].priority)
        guard priority < groups[group].threshold else { return false }
        return priority < suspensions.threshold(for: store[groups[group].name], after: popups[popup].exemptUpTo)
    }

    private mutating func thresholdChanged(in group: Int32) {
        let former = groups[group].threshold
        groups[group].threshold = suspensions.threshold(for: store[groups[group].name])
        let active = groups[group].active
        if active != nobody {
            if pausesForSuspension(active) {
                pauseActive(of: group)
            } else if groups[group].threshold < former {
                promoteFreed(in: group, below: former)
            }
        }
        settle(group)
    }

    /// Lets those of the line that may be shown now and could not under the former threshold try for the slot, the best
    /// first. While the active popup is protected each of them only leaves its mark.
    private mutating func promoteFreed(in group: Int32, below former: Int64) {
        var popup = firstInLine(of: group)
        while popup != nobody {
            let next = nextInLine(after: popup)
            if Int64(popups[popup].priority) < former, promotes(popup) { return }
            popup = next
        }
    }

    /// The groups that a suspension is for or was for, in byte order of their names.
    private mutating func groups(
        matchingOneOf new: SuspensionTable.Record, _ former: SuspensionTable.Record?
    ) -> [Int32] {
        let now = new.pattern.withUnsafeBytes { groups(matching: $0) }
        guard let former, former.pattern != new.pattern else { return now }
        let before = former.pattern.withUnsafeBytes { groups(matching: $0) }
        let both = Set(now).union(before)
        return orderedGroups().filter(both.contains)
    }
}
