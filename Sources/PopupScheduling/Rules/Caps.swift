// Caps: so many popups of a key, or of the group, are shown in any window of a length. Over it they are not eligible
// until the oldest showing that counts leaves the window.
extension Scheduler {
    /// Whether every cap that counts the popup allows one more.
    func capsAllow(_ popup: PopupRecord.Index) -> Bool {
        !capCounts[popups[popup].group].contains { $0.timer != nil && counts($0.cap, popup) }
    }

    /// Returns the caps that allow no showing of a popup now, the one that allows it last first.
    func closedCaps(of popup: PopupRecord.Index) -> [CapCounts.Count] {
        capCounts[popups[popup].group]
            .filter { $0.timer != nil && counts($0.cap, popup) }
            .sorted { $0.release > $1.release }
    }

    private func counts(_ cap: Cap, _ popup: PopupRecord.Index) -> Bool {
        guard !cap.key.isEmpty else { return true }
        guard let place = popups[popup].relations else { return false }
        return cap.key.withUnsafeBytes { $0.equals(store[popups.relations[place].capKey]) }
    }

    /// Counts a popup that is shown.
    mutating func countForCaps(_ popup: PopupRecord.Index) {
        let group = popups[popup].group
        for (index, count) in capCounts[group].enumerated() where counts(count.cap, popup) {
            guard capCounts.count(index, of: group, at: now) else { continue }
            close(index, of: group)
        }
    }

    /// Lets a full cap allow none until its oldest showing leaves the window.
    private mutating func close(_ index: Int, of group: GroupRecord.Index) {
        let count = capCounts[group][index]
        timers.cancel(count.timer)
        let timer = count.release > now ? timers.set(.cap(group), due: count.release) : nil
        capCounts.setTimer(timer, of: index, in: group)
    }

    mutating func capAllowsMore(in group: GroupRecord.Index, _ timer: TimerQueue.Index) {
        let counts = capCounts[group]
        guard let index = counts.firstIndex(where: { $0.timer == timer }) else { return }
        markChanged(group)
        capCounts.setTimer(nil, of: index, in: group)
        let freed = queue(of: group).filter { popups[$0].isWaiting && self.counts(counts[index].cap, $0) }
        reconsider(group, freed: freed)
    }

    /// Takes over the caps of the group's policy. One with the key of a former one goes on with what that has counted;
    /// where several have the key, with the one of the same window.
    mutating func takeCaps(in group: GroupRecord.Index) {
        let former = capCounts[group]
        for count in former { timers.cancel(count.timer) }
        let caps = policies[groups[group].policy].caps
        capCounts[group] = caps.map { cap in
            let same = former.filter { $0.cap.key == cap.key }
            let predecessor = same.first { $0.cap.window == cap.window } ?? same.first
            return CapCounts.Count(cap: cap, times: predecessor?.times.suffix(Int(cap.most)) ?? [])
        }
        for index in caps.indices where capCounts[group][index].isFull { close(index, of: group) }
    }

    /// Whether the policy of a name has caps.
    func hasCaps(_ name: UnsafeRawBufferPointer) -> Bool {
        !policies[findGroup(name).map { groups[$0].policy } ?? policies.place(for: name)].caps.isEmpty
    }

    /// Whether a cap of the group still counts a showing.
    func capsCount(in group: GroupRecord.Index) -> Bool {
        capCounts[group].contains { count in
            count.times.last.map { $0 + Milliseconds(count.cap.window) > now } ?? false
        }
    }

    mutating func forgetCaps(of group: GroupRecord.Index) {
        for count in capCounts[group] { timers.cancel(count.timer) }
        capCounts[group] = []
    }

    /// Forgets the showings that no window holds any more, at most once a second; returns whether there is place now.
    mutating func forgetOldShowings() -> Bool {
        guard now >= capCounts.nextForgetting else { return false }
        capCounts.nextForgetting = now + 1000
        for group in orderedGroups() where capCounts.has(group) {
            capCounts[group] = capCounts[group].map { count in
                var count = count
                count.times.removeAll { $0 + Milliseconds(count.cap.window) <= now }
                return count
            }
        }
        return capCounts.showings < limits.cappedShowings
    }
}
