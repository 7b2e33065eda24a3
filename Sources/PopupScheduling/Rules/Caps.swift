// Caps: a cap allows a number of showings of popups, those with its key or all of the group, within any window of its
// length. At the cap, popups are not eligible until the oldest counted showing leaves the window.
extension Scheduler {
    /// Whether every cap that counts the popup allows another showing.
    func capsAllow(_ popup: PopupRecord.Index) -> Bool {
        !groups.caps[popups[popup].group].contains { $0.timer != nil && counts($0.cap, popup) }
    }

    /// Returns the caps that do not allow a showing of the popup now, in descending order of the time at which they do.
    func closedCaps(of popup: PopupRecord.Index) -> [CapCounts.Count] {
        groups.caps[popups[popup].group]
            .filter { $0.timer != nil && counts($0.cap, popup) }
            .sorted { $0.release > $1.release }
    }

    private func counts(_ cap: Cap, _ popup: PopupRecord.Index) -> Bool {
        guard !cap.key.isEmpty else { return true }
        guard let index = popups[popup].relations else { return false }
        return cap.key.withUnsafeBytes { $0.equals(store[popups.relations[index].capKey]) }
    }

    /// Counts the showing of a popup.
    mutating func countForCaps(_ popup: PopupRecord.Index) {
        let group = popups[popup].group
        for (index, count) in groups.caps[group].enumerated() where counts(count.cap, popup) {
            guard groups.caps.count(index, of: group, at: now) else { continue }
            close(index, of: group)
        }
    }

    /// Closes a full cap until its oldest showing leaves the window.
    private mutating func close(_ index: Int, of group: GroupRecord.Index) {
        let count = groups.caps[group][index]
        timers.cancel(count.timer)
        let timer = count.release > now ? timers.set(.cap(group), due: count.release) : nil
        groups.caps.setTimer(timer, of: index, in: group)
    }

    mutating func capAllowsMore(in group: GroupRecord.Index, _ timer: TimerQueue.Index) {
        let counts = groups.caps[group]
        guard let index = counts.firstIndex(where: { $0.timer == timer }) else { return }
        markChanged(group)
        groups.caps.setTimer(nil, of: index, in: group)
        let freed = queue(of: group).filter { popups[$0].isWaiting && self.counts(counts[index].cap, $0) }
        reconsider(group, freed: freed)
    }

    /// Applies the caps of the group's policy. Caps continue with the showings counted so far.
    mutating func takeCaps(in group: GroupRecord.Index) {
        for count in groups.caps[group] { timers.cancel(count.timer) }
        let caps = policies[groups[group].policy].caps
        groups.caps.setCaps(caps, of: group)
        for index in caps.indices where groups.caps[group][index].isFull { close(index, of: group) }
    }

    /// Whether the policy of a group's name has caps.
    func hasCaps(_ name: UnsafeRawBufferPointer) -> Bool {
        !policies[findGroup(name).map { groups[$0].policy } ?? policies.index(for: name)].caps.isEmpty
    }

    /// Whether a cap of the group still counts a showing.
    func capsCount(in group: GroupRecord.Index) -> Bool {
        groups.caps[group].contains { count in
            count.times.last.map { $0 + Milliseconds(count.cap.window) > now } ?? false
        }
    }

    mutating func forgetCaps(of group: GroupRecord.Index) {
        for count in groups.caps[group] { timers.cancel(count.timer) }
        groups.caps.set([], of: group)
    }

    /// Removes the showings that have left every window, at most once per second. Returns whether there is space now.
    mutating func forgetOldShowings() -> Bool {
        guard now >= groups.caps.nextForgetting else { return false }
        groups.caps.nextForgetting = now + 1000
        for group in orderedGroups() where groups.caps.has(group) {
            groups.caps.forgetShowings(of: group, at: now)
        }
        return groups.caps.showings < limits.cappedShowings
    }
}
