// `explain`: the one rule that keeps a popup where it is. The rules are asked in the order in which they decide: what
// concerns the popup itself, then its flow, then its group.
extension Scheduler {
    /// What keeps a popup where it is, or closed it. O(n) in the popups before it in the queue.
    public func explain(popup id: RawSpan, at time: Milliseconds) -> Explanation {
        id.withUnsafeBytes { id in
            switch findID(id) {
            case nil: Explanation(id: string(id), group: "", phase: nil, rule: .unknown, blockers: [])
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
            rule: .closed(
                record.reason, action: isAction ? detail : "", by: isAction ? "" : detail,
                at: record.at + wallClockLead, displayed: record.displayed),
            blockers: [])
    }

    private func explainLive(_ popup: PopupRecord.Index, at time: Milliseconds) -> Explanation {
        let record = popups[popup]
        let (rule, blockers) =
            explainStage(of: popup, at: time) ?? explainThreshold(of: popup, at: time)
            ?? explainConditions(of: popup, at: time) ?? explainSlot(for: popup, at: time)
        return Explanation(
            id: string(store[record.id]), group: string(store[groups[record.group].name]), phase: phase(of: popup),
            rule: rule, blockers: blockers)
    }

    private typealias Reason = (rule: Explanation.Rule, blockers: [String])

    /// A popup that holds the slot, or has not arrived.
    private func explainStage(of popup: PopupRecord.Index, at time: Milliseconds) -> Reason? {
        switch popups[popup].stage {
        case .active: (.active, [])
        case .offered(let timer): (.offered(left(of: timer, at: time)), [])
        case .delayed(arrival: nil):
            (.gathering(left(of: flow(of: popup).flatMap { flows[$0].gathering }, at: time)), [])
        case .delayed(let arrival): (.delayed(left(of: arrival, at: time)), [])
        case .arriving, .waiting, .paused: nil
        }
    }

    /// Suspensions, else quiet hours.
    private func explainThreshold(of popup: PopupRecord.Index, at time: Milliseconds) -> Reason? {
        let record = popups[popup]
        guard Int64(record.priority) < groups[record.group].threshold else { return nil }
        let tokens = tokens(against: record.priority, in: store[groups[record.group].name])
        guard tokens.isEmpty else { return (.suspended, tokens) }
        return (.quiet(left(of: policies[quietHours: groups[record.group].policy].timer, at: time)), [])
    }

    /// What the popup asks for itself, and its flow.
    private func explainConditions(of popup: PopupRecord.Index, at time: Milliseconds) -> Reason? {
        if groups[popups[popup].group].isCapped, !popups[popup].isPaused, let count = closedCap(of: popup) {
            let wait = max(0, count.release - time)
            let key = String(decoding: count.cap.key, as: UTF8.self)
            return (.cap(key: key, most: count.cap.most, window: count.cap.window, wait), [])
        }
        guard let place = popups[popup].relations else { return nil }
        let record = popups.relations[place]
        if !isOnItsPage(place), let index = record.tree {
            let tree = String(decoding: pages[index].name, as: UTF8.self)
            return (.page(record.scope, tree: tree, value: string(store[record.page])), [])
        }
        if !isInItsSession(place) { return (.session(string(store[record.session])), []) }
        if record.retry != nil { return (.retry(left(of: record.retry, at: time)), []) }
        if record.requirement == .unknown {
            let required = string(store[record.required])
            return (.requirement(popup: required, action: string(store[record.requiredAction])), [required])
        }
        guard let flow = record.flow, !isNextOfFlow(popup) else { return nil }
        let first = readyMember(of: flow) ?? groups[popups[popup].group].active
        return (.flow, first.map { [string(store[popups[$0].id])] } ?? [])
    }

    /// What keeps an eligible popup from the slot.
    private func explainSlot(for popup: PopupRecord.Index, at time: Milliseconds) -> Reason {
        let group = groups[popups[popup].group]
        if let active = group.active { return explainWaiting(popup, behind: active, at: time) }
        if group.holder != nil { return (.held(left(of: group.hold, at: time)), []) }
        return group.gap == nil ? (.queue(ahead: 0), []) : (.gap(left(of: group.gap, at: time)), [])
    }

    private func explainWaiting(_ popup: PopupRecord.Index, behind active: PopupRecord.Index, at time: Milliseconds)
        -> Reason
    {
        let group = popups[popup].group
        let ahead = queue(of: group).prefix { $0 != popup }.filter { isEligible($0) }
        let blockers = ([active] + ahead.prefix(15)).map { string(store[popups[$0].id]) }
        if isMarked(popup, for: groups[group].activation), protects(active) {
            return (.minimumDisplay(left(of: groups[group].minimumDisplay, at: time)), blockers)
        }
        let higher = policies[groups[group].policy].higher
        let wouldInterrupt =
            (higher == .stop || higher == .pause) && comparedPriority(of: popup) > comparedPriority(of: active)
        if wouldInterrupt, ahead.isEmpty, !isSameFlow(popup, active), !popups[active].interruptible {
            return (.uninterruptible, blockers)
        }
        return (.queue(ahead: ahead.count), blockers)
    }

    /// In ms until a timer falls due.
    private func left(of timer: TimerQueue.Index?, at time: Milliseconds) -> Milliseconds {
        timer.map { max(0, timers.due($0) - time) } ?? 0
    }

    private func tokens(against priority: Int32, in name: UnsafeRawBufferPointer) -> [String] {
        suspensions.records
            .filter { Int64(priority) < $0.threshold && $0.matches(name) }
            .map { String(decoding: $0.token, as: UTF8.self) }
    }
}
