// `explain`: the one rule that keeps a popup where it is. The rules are asked in the order in which they decide.
extension Scheduler {
    /// What keeps a popup where it is, or closed it. O(n) in the popups before it in the line.
    public func explain(popup id: RawSpan, at time: Milliseconds) -> Explanation {
        id.withUnsafeBytes { id in
            guard let index = findID(id) else {
                return Explanation(id: string(id), group: "", phase: nil, rule: .unknown, blockers: [])
            }
            return ClosedPopups.isHandle(index) ? explainClosed(index) : explainLive(index, at: time)
        }
    }

    private func explainClosed(_ handle: Int32) -> Explanation {
        let record = closedPopups[handle]
        return Explanation(
            id: string(store[record.id]), group: string(store[groups[record.group].name]), phase: .closed,
            rule: .closed(
                record.reason, action: string(store[record.action]), by: "", at: record.at, displayed: record.displayed),
            blockers: [])
    }

    private func explainLive(_ popup: Int32, at time: Milliseconds) -> Explanation {
        let record = popups[popup]
        let group = groups[record.group]
        var answer = Explanation(
            id: string(store[record.id]), group: string(store[group.name]), phase: phase(of: popup), rule: .active,
            blockers: [])
        if record.isActive { return answer }

        if case .delayed(let arrival) = record.stage {
            answer.rule = .delayed(max(0, timers.due(arrival) - time))
        } else if Int64(record.priority) < group.threshold {
            answer.rule = .suspended
            answer.blockers = tokens(against: record.priority, in: store[group.name])
        } else if group.active == nobody {
            answer.rule = group.gap == nobody ? .line(ahead: 0) : .gap(max(0, timers.due(group.gap) - time))
        } else {
            let (rule, blockers) = explainWaiting(popup, behind: group.active, at: time)
            answer.rule = rule
            answer.blockers = blockers
        }
        return answer
    }

    private func explainWaiting(
        _ popup: Int32, behind active: Int32, at time: Milliseconds
    ) -> (Explanation.Rule, [String]) {
        let group = popups[popup].group
        var ahead: [Int32] = []
        var other = firstInLine(of: group)
        while other != popup, other != nobody {
            if Int64(popups[other].priority) >= groups[group].threshold { ahead.append(other) }
            other = nextInLine(after: other)
        }
        let blockers = ([active] + ahead.prefix(15)).map { string(store[popups[$0].id]) }
        let higher = policies[groups[group].policy].higher
        let wouldInterrupt =
            (higher == .stop || higher == .pause) && effectivePriority(of: popup) > effectivePriority(of: active)
        if popups[popup].early != nil, popups[popup].earlyFor == groups[group].activation, protects(active) {
            return (.minimumDisplay(max(0, timers.due(groups[group].minimumDisplay) - time)), blockers)
        }
        if wouldInterrupt, ahead.isEmpty, !popups[active].interruptible { return (.uninterruptible, blockers) }
        return (.line(ahead: ahead.count), blockers)
    }

    private func tokens(against priority: Int32, in name: UnsafeRawBufferPointer) -> [String] {
        suspensions.records
            .filter { Int64(priority) < $0.threshold && $0.matches(name) }
            .map { String(decoding: $0.token, as: UTF8.self) }
    }
}
