import PopupScheduling

/// How often popups are shown.
extension ReferenceScheduler {
    private func matches(_ popup: Popup, _ cap: Cap) -> Bool {
        cap.key.isEmpty || cap.key == Array(popup.request.capKey.utf8)
    }

    private func showings(in counted: CountedCap) -> Int {
        counted.showings.count { $0.at > now - Milliseconds(counted.cap.window) }
    }

    /// A full cap has a timer at the time when its window allows one more.
    func capsAllow(_ popup: Popup) -> Bool {
        counts[popup.group, default: []].indices.allSatisfy { index in
            !matches(popup, counts[popup.group]![index].cap) || due(.cap(popup.group, index)) == nil
        }
    }

    /// A showing for which there is no room takes the place of the oldest of its cap, and closes it.
    func countShowing(_ popup: Popup) {
        let group = popup.group
        if counts[group] == nil { counts[group] = policy(of: group).caps.map { CountedCap(cap: $0) } }
        for index in counts[group]!.indices where matches(popup, counts[group]![index].cap) {
            let hasRoom = admissionErrorOfShowing(by: popup.account) == nil
            var counted = counts[group]![index]
            let owner = hasRoom ? Owner(account: popup.account) : counted.showings.first?.owner
            counted.showings.append(Showing(at: now, owner: owner))
            if !hasRoom, counted.showings.count > 1 { counted.showings.removeFirst() }
            counted.showings = counted.showings.suffix(Int(counted.cap.most))
            counts[group]![index] = counted
            armCap(group, index, isClosed: !hasRoom)
        }
    }

    private func armCap(_ group: String, _ index: Int, isClosed: Bool = false) {
        let counted = counts[group]![index]
        guard isClosed || showings(in: counted) >= counted.cap.most else { return }
        cancelTimer(.cap(group, index))
        let end = counted.showings[0].at + Milliseconds(counted.cap.window)
        if end > now { setTimer(.cap(group, index), after: end - now) }
    }

    func capAllowsAgain(_ group: String, _ index: Int) {
        let cap = counts[group]![index].cap
        reconsider(group) { $0.phase == .waiting && matches($0, cap) }
    }

    /// A cap of the new policy goes on with what the former one with its key counted. If others do so already, it needs
    /// room for it.
    func countAnew(_ group: String) {
        guard let former = counts[group] else { return }
        for index in former.indices { cancelTimer(.cap(group, index)) }
        var continued: Set<Int> = []
        var copied = 0
        counts[group] = policy(of: group).caps.map { cap in
            guard let index = former.firstIndex(where: { $0.cap.key == cap.key }) else { return CountedCap(cap: cap) }
            let showings = Array(former[index].showings.suffix(Int(cap.most)))
            if !continued.insert(index).inserted {
                let used = usedShowings + copied + showings.count
                if used / 8 >= limits.cappedShowings - used { return CountedCap(cap: cap) }
                copied += showings.count
            }
            return CountedCap(cap: cap, showings: showings)
        }
        for index in counts[group]!.indices { armCap(group, index) }
    }

    // MARK: - How many there are

    /// The showings that all caps count, of those that belong to somebody.
    private var ownedShowings: [Owner] { counts.values.joined().flatMap(\.showings).compactMap(\.owner) }
    private var usedShowings: Int { ownedShowings.count }

    /// Who has showings that caps count.
    var accountsWithShowings: Set<ProducerID> { Set(ownedShowings.compactMap(\.account)) }

    /// Why an account may have no further showing counted.
    private func admissionErrorOfShowing(by account: ProducerID?) -> Refusal.Cause? {
        admissionError(
            in: .cappedShowings, used: usedShowings, of: limits.cappedShowings,
            held: ownedShowings.count { $0.account == account })
    }

    func admissionErrorOfCaps(in group: String, of producer: ProducerID?) -> Refusal.Cause? {
        policy(of: group).caps.isEmpty ? nil : admissionErrorOfShowing(by: account(for: producer))
    }

    /// What no window contains any more is no longer counted.
    func forgetShowings(at time: Milliseconds) {
        for group in counts.keys {
            for index in counts[group]!.indices {
                let window = Milliseconds(counts[group]![index].cap.window)
                counts[group]![index].showings.removeAll { $0.at + window <= time }
            }
        }
    }
}
