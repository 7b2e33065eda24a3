// `explain`: the one rule that keeps a popup where it is. The rules are asked in the order in which they decide: what
// concerns the popup itself, then its flow, then its group.
extension Scheduler {
    /// What keeps a popup where it is, or closed it. O(n) in the popups before it in the queue.
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
        let detail = string(store[record.detail])
        let isAction = record.reason == .dismissed
        return Explanation(
            id: string(store[record.id]), group: string(store[groups[record.group].name]), phase: .closed,
            rule: .closed(
                record.reason, action: isAction ? detail : "", by: isAction ? "" : detail, at: record.at,
                displayed: record.displayed),
            blockers: [])
    }

    private func explainLive(_ popup: Int32, at time: Milliseconds) -> Explanation {
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
    private func explainStage(of popup: Int32, at time: Milliseconds) -> Reason? {
        switch popups[popup].stage {
        case .active: (.active, [])
        case .offered(let timer): (.offered(left(of: timer, at: time)), [])
        case .delayed(nobody): (.gathering(left(of: flows[flow(of: popup)].gathering, at: time)), [])
        case .delayed(let arrival): (.delayed(left(of: arrival, at: time)), [])
        case .arriving, .waiting, .paused: nil
        }
    }

    /// Suspensions, else quiet hours.
    private func explainThreshold(of popup: Int32, at time: Milliseconds) -> Reason? {
        let record = popups[popup]
        guard Int64(record.priority) < groups[record.group].threshold else { return nil }
        let tokens = tokens(against: record.priority, in: store[groups[record.group].name])
        guard tokens.isEmpty else { return (.suspended, tokens) }
        return (.quiet(left(of: policies[quietHours: groups[record.group].policy].timer, at: time)), [])
    }

    /// What the popup asks for itself, and its flow.
    private func explainConditions(of popup: Int32, at time: Milliseconds) -> Reason? {
        if groups[popups[popup].group].isCapped, !popups[popup].isPaused, let count = closedCap(of: popup) {
            let wait = max(0, count.release - time)
            let key = String(decoding: count.cap.key, as: UTF8.self)
            return (.cap(key: key, most: count.cap.most, window: count.cap.window, wait), [])
        }
        guard popups[popup].relations != nobody else { return nil }
        let record = relations[popups[popup].relations]
        if !isOnItsPage(popups[popup].relations) {
            let tree = String(decoding: pages[record.tree].name, as: UTF8.self)
            return (.page(record.scope, tree: tree, value: string(store[record.page])), [])
        }
        if !isInItsSession(popup) { return (.session(string(store[record.session])), []) }
        if record.retry != nobody { return (.retry(left(of: record.retry, at: time)), []) }
        if record.requirement == .unknown {
            let required = string(store[record.required])
            return (.requirement(popup: required, action: string(store[record.requiredAction])), [required])
        }
        guard !isNextOfFlow(popup) else { return nil }
        let member = readyMember(of: record.flow)
        return (.flow, [string(store[popups[member == nobody ? groups[popups[popup].group].active : member].id])])
    }

    /// What keeps an eligible popup from the slot.
    private func explainSlot(for popup: Int32, at time: Milliseconds) -> Reason {
        let group = groups[popups[popup].group]
        if group.active != nobody { return explainWaiting(popup, behind: group.active, at: time) }
        if group.holder != nobody { return (.held(left(of: group.hold, at: time)), []) }
        return group.gap == nobody ? (.queue(ahead: 0), []) : (.gap(left(of: group.gap, at: time)), [])
    }

    private func explainWaiting(_ popup: Int32, behind active: Int32, at time: Milliseconds) -> Reason {
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
    private func left(of timer: Int32, at time: Milliseconds) -> Milliseconds {
        timer == nobody ? 0 : max(0, timers.due(timer) - time)
    }

    private func tokens(against priority: Int32, in name: UnsafeRawBufferPointer) -> [String] {
        suspensions.records
            .filter { Int64(priority) < $0.threshold && $0.matches(name) }
            .map { String(decoding: $0.token, as: UTF8.self) }
    }
}
