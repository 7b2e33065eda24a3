import PopupScheduling

/// How often popups are shown.
extension ReferenceScheduler {
    private func matches(_ popup: Popup, _ cap: Cap) -> Bool {
        cap.key.isEmpty || cap.key == Array(popup.request.capKey.utf8)
    }

    private func showings(in counted: CountedCap) -> Int {
        counted.showings.count { $0 > now - Milliseconds(counted.cap.window) }
    }

    /// A full cap has a timer at the time when its window allows one more.
    func capsAllow(_ popup: Popup) -> Bool {
        counts[popup.group, default: []].indices.allSatisfy { index in
            !matches(popup, counts[popup.group]![index].cap) || due(.cap(popup.group, index)) == nil
        }
    }

    func countShowing(_ popup: Popup) {
        var group = counts[popup.group] ?? policy(of: popup.group).caps.map { CountedCap(cap: $0) }
        for index in group.indices where matches(popup, group[index].cap) {
            group[index].showings.append(now)
            group[index].showings = group[index].showings.suffix(Int(group[index].cap.most))
        }
        counts[popup.group] = group
        for index in group.indices where matches(popup, group[index].cap) { armCap(popup.group, index) }
    }

    private func armCap(_ group: String, _ index: Int) {
        let counted = counts[group]![index]
        guard showings(in: counted) >= counted.cap.most else { return }
        cancelTimer(.cap(group, index))
        setTimer(.cap(group, index), after: counted.showings[0] + Milliseconds(counted.cap.window) - now)
    }

    func capAllowsAgain(_ group: String, _ index: Int) {
        let cap = counts[group]![index].cap
        reconsider(group) { $0.phase == .waiting && matches($0, cap) }
    }

    /// A cap of the new policy goes on with what the former one with its key counted.
    func countAnew(_ group: String) {
        guard let former = counts[group] else { return }
        for index in former.indices { cancelTimer(.cap(group, index)) }
        counts[group] = policy(of: group).caps.map { cap in
            let showings = former.first { $0.cap.key == cap.key }?.showings ?? []
            return CountedCap(cap: cap, showings: showings.suffix(Int(cap.most)))
        }
        for index in counts[group]!.indices { armCap(group, index) }
    }
}
