// `explain`: the rules that keep a popup where it is, in the order in which they decide: those of the popup itself, of
// its flow, of its group.
extension Scheduler {
    /// Returns the explanation of a popup. O(n) in the popups before it in the queue.
    public func explain(popup id: RawSpan, at time: Milliseconds) -> Explanation {
        id.withUnsafeBytes { id in
            switch findID(id) {
            case nil: .unknown(string(id))
            case .live(let popup): explainLive(popup, at: time)
            case .closed(let record): explainClosed(popups.closed[record])
            }
        }
    }

    private func explainClosed(_ record: ClosedPopups.Record) -> Explanation {
        let detail = string(store[record.detail])
        let isAction = record.reason == .dismissed
        return Explanation(
            id: string(store[record.id]), group: string(store[groups[record.group].name]), phase: .closed,
            decisive: Explanation.Reason(
                .closed(
                    record.reason, action: isAction ? detail : "", by: isAction ? "" : detail,
                    at: record.at + wallClockLead, displayed: record.displayed)))
    }

    private typealias Reason = Explanation.Reason

    private func explainLive(_ popup: PopupRecord.Index, at time: Milliseconds) -> Explanation {
        let record = popups[popup]
        var reasons = explainPhase(of: popup, at: time)
        if !record.holdsSlot {
            reasons += explainThreshold(of: popup, at: time) + explainConditions(of: popup, at: time)
            if !record.isDelayed {
                if let flow = explainFlow(of: popup, isEligible: reasons.isEmpty) { reasons.append(flow) }
                if let slot = explainSlot(for: popup, at: time) { reasons.append(slot) }
            }
        }
        return Explanation(
            id: string(store[record.id]), group: string(store[groups[record.group].name]), phase: phase(of: popup),
            decisive: reasons.first ?? Reason(.queue(ahead: 0)), others: Array(reasons.dropFirst()))
    }

    /// Returns the reason of a popup that has the slot or has not arrived.
    private func explainPhase(of popup: PopupRecord.Index, at time: Milliseconds) -> [Reason] {
        switch popups[popup].phase {
        case .active: [Reason(.active)]
        case .offered(let timer): [Reason(.offered(left(of: timer, at: time)))]
        case .delayed(arrival: nil):
            [Reason(.gathering(left(of: flow(of: popup).flatMap { flows[$0].gathering }, at: time)))]
        case .delayed(let arrival): [Reason(.delayed(left(of: arrival, at: time)))]
        case .arriving, .waiting, .paused: []
        }
    }

    /// Returns the suspensions and quiet windows that hold the popup back.
    private func explainThreshold(of popup: PopupRecord.Index, at time: Milliseconds) -> [Reason] {
        let record = popups[popup]
        guard Int64(record.priority) < groups[record.group].threshold else { return [] }
        let (policy, tokens) = (
            groups[record.group].policy, tokens(against: record.priority, in: store[groups[record.group].name])
        )
        var reasons: [Reason] = []
        if !tokens.isEmpty { reasons.append(Reason(.suspended, tokens)) }
        if tokens.isEmpty || Int64(record.priority) < policies.quietThreshold(policy) {
            reasons.append(Reason(.quiet(left(of: policies[quietWindows: policy].timer, at: time))))
        }
        return reasons
    }

    /// Returns the conditions of the popup itself that do not hold: caps, page, session, retry, requirement.
    private func explainConditions(of popup: PopupRecord.Index, at time: Milliseconds) -> [Reason] {
        var reasons: [Reason] = []
        if groups[popups[popup].group].isCapped, !popups[popup].isPaused {
            for count in closedCaps(of: popup) {
                let (most, window, left) = (count.cap.most, count.cap.window, max(0, count.release - time))
                let key = String(decoding: count.cap.key, as: UTF8.self)
                let rule: Explanation.Rule =
                    count.lacksSpace
                    ? .capWithoutSpace(key: key, most: most, window: window, left)
                    : .cap(key: key, most: most, window: window, left)
                reasons.append(Reason(rule))
            }
        }
        guard let index = popups[popup].relations else { return reasons }
        let record = popups.relations[index]
        if !isOnItsPage(index), let tree = record.tree {
            let name = String(decoding: pages[tree].name, as: UTF8.self)
            reasons.append(Reason(.page(record.scope, tree: name, value: string(store[record.page]))))
        }
        if !isInItsSession(index) { reasons.append(Reason(.session(string(store[record.session])))) }
        if record.retry != nil { reasons.append(Reason(.retry(left(of: record.retry, at: time)))) }
        if record.requirement == .unknown {
            let required = string(store[record.required])
            let action = string(store[record.requiredAction])
            reasons.append(Reason(.requirement(popup: required, action: action), [required]))
        }
        return reasons
    }

    /// Returns the member of its flow that goes before a popup: the active one, or the ready one if no other rule holds
    /// the popup back.
    private func explainFlow(of popup: PopupRecord.Index, isEligible: Bool) -> Reason? {
        guard let flow = flow(of: popup), !isNextOfFlow(popup) else { return nil }
        let active = groups[popups[popup].group].active.flatMap { isSameFlow($0, popup) ? $0 : nil }
        guard isEligible || active != nil else { return nil }
        let first = active ?? readyMember(of: flow)
        return Reason(.flow, first.map { [string(store[popups[$0].id])] } ?? [])
    }

    /// Returns what keeps the slot from a popup, whether or not it is eligible.
    private func explainSlot(for popup: PopupRecord.Index, at time: Milliseconds) -> Reason? {
        let group = groups[popups[popup].group]
        if let active = group.active { return explainWaiting(popup, behind: active, at: time) }
        if let holder = group.holder {
            return holder == flow(of: popup) ? nil : Reason(.held(left(of: group.hold, at: time)))
        }
        return group.gap == nil || popups[popup].isPaused ? nil : Reason(.gap(left(of: group.gap, at: time)))
    }

    private func explainWaiting(_ popup: PopupRecord.Index, behind active: PopupRecord.Index, at time: Milliseconds)
        -> Reason
    {
        let group = popups[popup].group
        // Priorities rise between steps too. The order is that of `peek`.
        let asked = max(now, time)
        var pass = ReadyMembers()
        let ahead = queue(of: group, at: asked).prefix { $0 != popup }.filter { isEligible($0, &pass) }
        let blockers = ([active] + ahead.prefix(15)).map { string(store[popups[$0].id]) }
        if isMarked(popup, for: groups[group].activation), protects(active) {
            return Reason(.minimumDisplay(left(of: groups[group].minimumDisplay, at: time)), blockers)
        }
        let higher = policies[groups[group].policy].higher
        let wouldInterrupt =
            (higher == .stop || higher == .pause)
            && comparedPriority(of: popup, at: asked) > comparedPriority(of: active, at: asked)
        if wouldInterrupt, ahead.isEmpty, !isSameFlow(popup, active), !popups[active].interruptible {
            return Reason(.uninterruptible, blockers)
        }
        return Reason(.queue(ahead: ahead.count), blockers)
    }

    /// Returns the time in ms until a timer is due.
    private func left(of timer: TimerQueue.Index?, at time: Milliseconds) -> Milliseconds {
        timer.map { max(0, timers.due($0) - time) } ?? 0
    }

    private func tokens(against priority: Int32, in name: UnsafeRawBufferPointer) -> [String] {
        policies.suspensions.records
            .filter { Int64(priority) < $0.threshold && $0.matches(name) }
            .map { String(decoding: $0.token, as: UTF8.self) }
    }
}
