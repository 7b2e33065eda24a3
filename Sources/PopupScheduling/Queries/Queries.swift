// Queries of administrators. They do not change what is published. The order of the groups is computed on demand.
extension Scheduler {
    /// Returns at most `limit` live popups that a selector chooses, in byte order of their groups' names; in each group
    /// the active one, the queue in its order, then the delayed ones.
    public mutating func list(
        _ selector: Selector, text: RawSpan, limit: Int, at time: Milliseconds
    ) -> [PopupSummary] {
        var found: [PopupSummary] = []
        text.withUnsafeBytes { text in
            // Most groups contain no selected popup, so the order of a group is computed only if it contains one.
            for group in groups(matching: text[selector.pattern]) where chooses(selector, in: group, text) {
                for popup in displayOrder(of: group, at: time) where selects(selector, popup, text) {
                    guard found.count < limit else { return }
                    found.append(summary(of: popup, at: time))
                }
            }
        }
        return found
    }

    /// Returns the number of live popups that a selector chooses. O(n) in the popups of the groups of its pattern.
    public mutating func count(_ selector: Selector, text: RawSpan) -> Int {
        text.withUnsafeBytes { text in
            var count = 0
            for group in groups(matching: text[selector.pattern]) {
                var next = groups[group].accepted.first
                while let popup = next {
                    transaction.meter.count += 1
                    // An exclusive popup that is still arriving is neither shown nor waiting.
                    if !popups[popup].isArriving, selects(selector, popup, text) { count += 1 }
                    next = popups.next(after: popup, Acceptances.self)
                }
            }
            return count
        }
    }

    /// Whether a selector chooses a popup of a group.
    private func chooses(
        _ selector: Selector, in group: GroupRecord.Index, _ text: UnsafeRawBufferPointer
    ) -> Bool {
        let chosen = firstAccepted(in: group) {
            transaction.meter.count += 1
            return !popups[$0].isArriving && selects(selector, $0, text)
        }
        return chosen != nil
    }

    /// Returns at most `limit` popups of a group: the active one, the queue in its order, then the delayed ones in
    /// order of arrival.
    public func peek(group name: RawSpan, limit: Int, at time: Milliseconds) -> [PopupSummary] {
        name.withUnsafeBytes { name in
            guard let group = findGroup(name) else { return [] }
            return displayOrder(of: group, at: time).prefix(limit).map { summary(of: $0, at: time) }
        }
    }

    func displayOrder(of group: GroupRecord.Index, at time: Milliseconds) -> [PopupRecord.Index] {
        var popups: [PopupRecord.Index] = []
        if let active = groups[group].active { popups.append(active) }
        popups += queue(of: group, at: max(now, time))
        if groups[group].delayed > 0 { popups += delayed(in: group) }
        return popups
    }

    private func delayed(in group: GroupRecord.Index) -> [PopupRecord.Index] {
        var arrivals: [(popup: PopupRecord.Index, due: Milliseconds)] = []
        var next = groups[group].accepted.first
        while let popup = next {
            if popups[popup].isDelayed { arrivals.append((popup, arrival(of: popup))) }
            next = popups.next(after: popup, Acceptances.self)
        }
        arrivals.sort { $0.due != $1.due ? $0.due < $1.due : popups[$0.popup].rank < popups[$1.popup].rank }
        return arrivals.map(\.popup)
    }

    /// Returns the time at which a delayed popup arrives: when its delay ends and its flow has gathered.
    private func arrival(of popup: PopupRecord.Index) -> Milliseconds {
        guard case .delayed(let timer) = popups[popup].phase else { return now }
        let gathering = flow(of: popup).flatMap { flows[$0].gathering }
        return max(timer.map { timers.due($0) } ?? now, gathering.map { timers.due($0) } ?? now)
    }

    private func summary(of popup: PopupRecord.Index, at time: Milliseconds) -> PopupSummary {
        let record = popups[popup]
        let delay = record.isDelayed ? max(0, arrival(of: popup) - time) : 0
        return PopupSummary(
            id: string(store[record.id]), group: string(store[groups[record.group].name]), priority: record.priority,
            phase: phase(of: popup), surface: string(surface(of: popup)),
            collapseKey: string(collapseKey(of: popup)), producer: producer(of: popup), attempt: record.attempt,
            remaining: remainingWhenShown(popup, at: time), delay: delay)
    }

    /// Returns the remaining display time; for a paused popup the time that it has when it is resumed.
    private func remainingWhenShown(_ popup: PopupRecord.Index, at time: Milliseconds) -> Milliseconds? {
        let restarts = policies[groups[popups[popup].group].policy].resumption == .restart
        guard popups[popup].isPaused, restarts else { return remaining(of: popup, at: time) }
        let total = displayTime(of: popup)
        return total == 0 ? nil : total
    }

    func phase(of popup: PopupRecord.Index) -> Phase {
        switch popups[popup].phase {
        case .delayed: .delayed
        case .arriving, .waiting: .waiting
        case .offered: .offered
        case .active: .active
        case .paused: .paused
        }
    }

    func string(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
}
