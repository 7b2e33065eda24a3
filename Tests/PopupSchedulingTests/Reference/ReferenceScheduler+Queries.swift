@testable import PopupScheduling

/// What the reference answers.
extension ReferenceScheduler {
    func state(of group: String, at time: Milliseconds) -> GroupSummary? {
        guard let revision = revisions[group] else { return nil }
        let active = occupant(of: group).map {
            ActivePopup(
                remaining: remaining($0, at: time), attempt: $0.attempt, sinceRevision: $0.sinceRevision,
                priority: $0.priority, isOffered: $0.phase == .offered)
        }
        return GroupSummary(
            revision: revision, waiting: waiting(of: group).count, paused: paused(of: group).count, active: active)
    }

    func activeContent(of group: String) -> String {
        occupant(of: group)?.content ?? ""
    }

    func list(_ choice: Instruction.Choice, limit: Int, at time: Milliseconds) -> [PopupSummary] {
        asked(at: time) {
            let chosen = groupsInOrder.flatMap(inOrder).filter { isChosen($0, by: choice) }
            return chosen.prefix(limit).map { summary($0, at: time) }
        }
    }

    func count(_ choice: Instruction.Choice) -> Int {
        popups.values.count { isChosen($0, by: choice) }
    }

    func peek(_ group: String, limit: Int, at time: Milliseconds) -> [PopupSummary] {
        asked(at: time) { inOrder(group).prefix(limit).map { summary($0, at: time) } }
    }

    /// Answers as of a time after the last step: waiting popups have grown older.
    private func asked<Answer>(at time: Milliseconds, _ answer: () -> Answer) -> Answer {
        let last = now
        now = max(last, time)
        defer { now = last }
        return answer()
    }

    /// The one in the slot, the queue, the delayed ones by their arrival.
    private func inOrder(_ group: String) -> [Popup] {
        let delayed = popups(of: group).filter { $0.phase == .delayed }
            .sorted { ($0.arrival, $0.accepted) < ($1.arrival, $1.accepted) }
        return (occupant(of: group).map { [$0] } ?? []) + queue(of: group) + delayed
    }

    func isChosen(_ popup: Popup, by choice: Instruction.Choice) -> Bool {
        if !choice.pattern.isEmpty && !matches(popup.group, choice.pattern) { return false }
        if !choice.surface.isEmpty && popup.request.surface != choice.surface { return false }
        if !choice.collapseKey.isEmpty && popup.request.collapseKey != choice.collapseKey { return false }
        if let producer = choice.producer, popup.request.producer != producer { return false }
        if let below = choice.priorityBelow, popup.priority >= below { return false }
        if let above = choice.priorityAbove, popup.priority <= above { return false }
        if !choice.active && !choice.waiting && !choice.paused { return true }
        switch popup.phase {
        case .active, .offered: return choice.active
        case .paused: return choice.paused
        case .delayed, .waiting: return choice.waiting
        case .closed: return false
        }
    }

    private func summary(_ popup: Popup, at time: Milliseconds) -> PopupSummary {
        PopupSummary(
            id: popup.id, group: popup.group, priority: popup.priority, phase: popup.phase,
            surface: popup.request.surface, collapseKey: popup.request.collapseKey, producer: popup.request.producer,
            attempt: popup.attempt, remaining: remaining(popup, at: time),
            delay: popup.phase == .delayed ? popup.arrival - time : 0)
    }

    /// Display time left; `nil`: until dismissed.
    private func remaining(_ popup: Popup, at time: Milliseconds) -> Milliseconds? {
        let whole = displayTime(popup)
        if whole == 0 { return nil }
        switch popup.phase {
        case .active: return whole - used(popup, at: time)
        case .paused: return policy(of: popup.group).resumption == .restart ? whole : whole - popup.used
        case .delayed, .waiting, .offered, .closed: return whole
        }
    }

    // MARK: - What keeps it

    /// The old rules in full; of the new ones what stands in their way is told by name in their own tests.
    func explain(_ id: String, at time: Milliseconds) -> Explanation {
        if let over = closed[id] {
            return Explanation(
                id: id, group: over.group, phase: .closed,
                decisive: Explanation.Reason(
                    .closed(
                        over.reason, action: over.action, by: over.by, at: over.at + wallClockLead,
                        displayed: over.displayed)))
        }
        guard let popup = popups[id] else {
            return Explanation(id: id, group: "", phase: nil, decisive: Explanation.Reason(.unknown))
        }
        let (rule, blockers) = asked(at: time) { self.rule(keeping: popup, at: time) }
        return Explanation(
            id: id, group: popup.group, phase: popup.phase, decisive: Explanation.Reason(rule, blockers))
    }

    private func rule(keeping popup: Popup, at time: Milliseconds) -> (Explanation.Rule, [String]) {
        if popup.phase == .active { return (.active, []) }
        if popup.phase == .offered { return (.offered(due(.offer(popup.id))! - time), []) }
        if popup.phase == .delayed { return (.delayed(popup.arrival - time), []) }
        let tokens = suspensions(against: popup).map(\.token)
        if !tokens.isEmpty { return (.suspended, tokens) }
        guard let occupant = occupant(of: popup.group) else {
            return (.gap(gaps[popup.group].map { $0 - time } ?? 0), [])
        }
        let before = queue(of: popup.group).filter { isEligible($0) && standsBefore($0, popup) }
        let blockers = ([occupant] + before.prefix(15)).map(\.id)
        if popup.mark != nil, let end = due(.minimumDisplay(occupant.id)) {
            return (.minimumDisplay(end - time), blockers)
        }
        let isHigher = agedPriority(popup) > agedPriority(occupant)
        if isHigher, before.isEmpty, !occupant.interruptible, [.stop, .pause].contains(policy(of: popup.group).higher) {
            return (.uninterruptible, blockers)
        }
        return (.queue(ahead: before.count), blockers)
    }
}
