// Caps: a cap allows a number of showings of popups, those with its key or all of the group, within any window of its
// length. At the cap, popups are not eligible until the oldest counted showing leaves the window.
extension Scheduler {
    /// Whether every cap that counts the popup allows another showing.
    func capsAllow(_ popup: PopupRecord.Index) -> Bool {
        !groups.caps[popups[popup].group].contains { $0.timer != nil && counts($0.cap, popup) }
    }

    /// Returns the position of the first cap of the popup's group that has the popup's key; `nil` if there is none.
    func positionOfCap(withKeyOf popup: PopupRecord.Index) -> Int? {
        groups.caps[popups[popup].group].firstIndex { !$0.cap.key.isEmpty && counts($0.cap, popup) }
    }

    /// Returns the lane of a popup in the tree of its group's queue.
    func lane(of popup: PopupRecord.Index) -> Candidate.Lanes {
        if popups[popup].isPaused { return .paused }
        guard groups[popups[popup].group].isCapped, let position = positionOfCap(withKeyOf: popup) else {
            return .ordinary
        }
        return .cap(position)
    }

    /// Returns the lanes of a group's queue whose caps allow a showing now.
    func openLanes(of group: GroupRecord.Index) -> Candidate.Lanes {
        var lanes = Candidate.Lanes.all
        guard groups[group].isCapped else { return lanes }
        let counts = groups.caps[group]
        for count in counts where count.timer != nil {
            guard !count.cap.key.isEmpty else { return .paused }
            if let position = counts.firstIndex(where: { $0.cap.key == count.cap.key }) {
                // Popups in the ordinary lane are looked at one by one.
                let lane = Candidate.Lanes.cap(position)
                if lane != .ordinary { lanes.remove(lane) }
            }
        }
        return lanes
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

    /// Counts the showing of a popup. A cap that is full then, or that has no space to count it, closes.
    mutating func countForCaps(_ popup: PopupRecord.Index) {
        let group = popups[popup].group
        let name = groups[group].name
        for index in groups.caps[group].indices where counts(groups.caps[group][index].cap, popup) {
            let payer = payerOfShowing(of: popup)
            guard groups.caps.count(index, of: group, named: name, at: now, paidBy: payer, &accounts, store) else {
                continue
            }
            close(index, of: group)
        }
    }

    /// Returns the account that pays for a showing of a popup, the popup's; `nil` if there is no space, or if the
    /// account or its user exceeds its share.
    private mutating func payerOfShowing(of popup: PopupRecord.Index) -> AccountRecord.Index? {
        let (account, free) = (popups[popup].account, limits.cappedShowings - groups.caps.showings)
        guard Share.isShort(groups.caps.showings, free: free) else { return account }
        return free > 0 && shareError(in: .cappedShowings, free: free, of: account) == nil ? account : nil
    }

    /// Closes a cap until its oldest showing leaves the window.
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
        let freed = challengers(in: group).filter { popups[$0].isWaiting && self.counts(counts[index].cap, $0) }
        reconsider(group, freed: freed)
    }

    /// Applies the caps of the group's policy. Caps continue with the showings that are still in their windows.
    mutating func takeCaps(in group: GroupRecord.Index) {
        for count in groups.caps[group] { timers.cancel(count.timer) }
        let (caps, name) = (policies[groups[group].policy].caps, groups[group].name)
        groups.caps.forgetShowings(of: group, named: name, at: now, &accounts, store)
        let isClosed = groups.caps.setCaps(
            caps, of: group, named: name, limit: limits.cappedShowings, &accounts, store)
        for index in caps.indices where isClosed[index] { close(index, of: group) }
    }

    /// Whether a cap of the group still counts a showing.
    func capsCount(in group: GroupRecord.Index) -> Bool {
        groups.caps[group].contains { count in
            count.times.last.map { $0 + Milliseconds(count.cap.window) > now } ?? false
        }
    }

    mutating func forgetCaps(of group: GroupRecord.Index) {
        for count in groups.caps[group] { timers.cancel(count.timer) }
        groups.caps.set([], of: group, named: groups[group].name, &accounts, store)
    }

    // MARK: - The limit of showings

    /// Returns the refusal if the group has caps and the producer may not have more showings remembered for them, even
    /// after further showings that have left their windows are forgotten.
    @inline(__always)
    mutating func admissionErrorOfCaps(in group: UnsafeRawBufferPointer, for producer: ProducerID?) -> Refusal? {
        let (used, free) = (groups.caps.showings, limits.cappedShowings - groups.caps.showings)
        // The first comparison spares the second one the division, in nearly every broker.
        guard used >= free, Share.isShort(used, free: free), hasCaps(group),
            let admissionError = admissionErrorOfShowing(for: producer)
        else { return nil }
        guard groups.caps.firstToForget(at: now) != nil else { return admissionError }
        forgetShowings(inGroups: .max)
        return admissionErrorOfShowing(for: producer)
    }

    private mutating func admissionErrorOfShowing(for producer: ProducerID?) -> Refusal? {
        admissionError(
            in: .cappedShowings, used: groups.caps.showings, of: limits.cappedShowings, for: producer)
    }

    /// Whether the policy of a group's name has caps.
    private func hasCaps(_ name: UnsafeRawBufferPointer) -> Bool {
        !policies[findGroup(name).map { groups[$0].policy } ?? policies.index(for: name)].caps.isEmpty
    }

    // So that no command takes long, each forgets at most `maxShowingsForgotten` showings, in at most
    // `maxGroupsForgetting` groups. Before it is refused, it forgets as many showings again, in any number of groups.
    static var maxShowingsForgotten: Int { 1024 }
    static var maxGroupsForgetting: Int { 8 }
    /// The number of showings that take as long as a visit of a popup.
    static var showingsPerVisit: Int { 64 }

    /// Forgets showings that have left the windows of their caps, in the groups in which they left first.
    @inline(__always)
    mutating func forgetOldShowings() {
        if groups.caps.firstToForget(at: now) != nil { forgetShowings(inGroups: Self.maxGroupsForgetting) }
    }

    /// Forgets as many of them as one command may, in at most `most` groups.
    @inline(never)
    private mutating func forgetShowings(inGroups most: Int) {
        var (left, visited) = (Self.maxShowingsForgotten, 0)
        while left > 0, visited < most, let group = groups.caps.firstToForget(at: now) {
            let forgotten = groups.caps.forgetShowings(
                of: group, named: groups[group].name, at: now, atMost: left, &accounts, store)
            left -= forgotten
            visited += 1
            transaction.meter.count += 1 + forgotten / Self.showingsPerVisit
        }
    }
}
