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

    /// A cap of the new policy goes on with what is in the window of the former one with its key, and stays closed if that
    /// one was closed for lack of room. If others go on with the same, it needs room for it: without, it begins closed,
    /// with the last showing, which then belongs to nobody.
    func countAnew(_ group: String) {
        guard counts[group] != nil else { return }
        _ = forgetShowings(in: group, at: now, atMost: .max)
        let former = counts[group]!
        let lackedRoom = former.indices.filter {
            due(.cap(group, $0)) != nil && former[$0].showings.count < former[$0].cap.most
        }
        for index in former.indices { cancelTimer(.cap(group, index)) }
        var continued: Set<Int> = []
        var closed: Set<Int> = []
        var copied = 0
        counts[group] = policy(of: group).caps.enumerated().map { number, cap in
            let same = former.indices.filter { former[$0].cap.key == cap.key }
            guard let index = same.first(where: { former[$0].cap.window == cap.window }) ?? same.first else {
                return CountedCap(cap: cap)
            }
            if lackedRoom.contains(index) { closed.insert(number) }
            let showings = Array(former[index].showings.suffix(Int(cap.most)))
            if !continued.insert(index).inserted, let last = showings.last {
                let used = usedShowings + copied + showings.count
                if used / 8 >= limits.cappedShowings - used {
                    closed.insert(number)
                    return CountedCap(cap: cap, showings: [Showing(at: last.at)])
                }
                copied += showings.count
            }
            return CountedCap(cap: cap, showings: showings)
        }
        for index in counts[group]!.indices { armCap(group, index, isClosed: closed.contains(index)) }
    }

    // MARK: - How many there are

    /// The showings that all caps count, of those that belong to somebody.
    private var ownedShowings: [Owner] { counts.values.joined().flatMap(\.showings).compactMap(\.owner) }
    private var usedShowings: Int { ownedShowings.count }

    /// Who has showings that caps count.
    var accountsWithShowings: Set<Account> { Set(ownedShowings.map(\.account)) }

    /// Why an account may have no further showing counted.
    private func admissionErrorOfShowing(by account: Account) -> Refusal.Cause? {
        admissionError(
            in: .cappedShowings, used: usedShowings, of: limits.cappedShowings,
            held: ownedShowings.map(\.account), for: account)
    }

    /// Before a refusal more is forgotten.
    func admissionErrorOfCaps(in group: String, of producer: ProducerID?) -> Refusal.Cause? {
        if policy(of: group).caps.isEmpty || admissionErrorOfShowing(by: account(for: producer)) == nil { return nil }
        forgetShowings(at: now, inGroups: .max)
        return admissionErrorOfShowing(by: account(for: producer))
    }

    /// What no window contains any more is no longer counted, but a command forgets at most 1024 showings and in at most 8
    /// groups: where one left its window first, among equals by the order of names.
    func forgetShowings(at time: Milliseconds, inGroups most: Int = 8) {
        var (left, groups) = (1024, most)
        while left > 0, groups > 0, let group = firstToForget(at: time) {
            left -= forgetShowings(in: group, at: time, atMost: left)
            groups -= 1
        }
    }

    private func firstToForget(at time: Milliseconds) -> String? {
        let ends = counts.compactMap { group, caps in caps.compactMap(end).min().map { (end: $0, group: group) } }
        return ends.filter { $0.end <= time }.min { ($0.end, $0.group) < ($1.end, $1.group) }?.group
    }

    /// When the first showing leaves the window.
    private func end(of counted: CountedCap) -> Milliseconds? {
        counted.showings.first.map { $0.at + Milliseconds(counted.cap.window) }
    }

    private func forgetShowings(in group: String, at time: Milliseconds, atMost most: Int) -> Int {
        var forgotten = 0
        for index in counts[group]!.indices {
            let window = Milliseconds(counts[group]![index].cap.window)
            let gone = counts[group]![index].showings.prefix(most - forgotten).prefix { $0.at + window <= time }.count
            counts[group]![index].showings.removeFirst(gone)
            forgotten += gone
        }
        return forgotten
    }
}
