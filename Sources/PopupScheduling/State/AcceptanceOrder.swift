// All live popups of a group in order of acceptance. A newcomer is always the youngest.
extension Scheduler {
    @inline(__always)
    mutating func appendAccepted(_ popup: PopupRecord.Index) {
        popups.append(popup, to: &groups[popups[popup].group].accepted)
    }

    @inline(__always)
    mutating func removeAccepted(_ popup: PopupRecord.Index) {
        popups.remove(popup, from: &groups[popups[popup].group].accepted)
    }

    /// The first popup of a group's acceptance order for which `holds` is true.
    func firstAccepted(in group: GroupRecord.Index, where holds: (PopupRecord.Index) -> Bool) -> PopupRecord.Index? {
        popups.first(from: groups[group].accepted.first, Acceptances.self, where: holds)
    }

    /// All live popups of a group in order of acceptance.
    func acceptanceOrder(of group: GroupRecord.Index) -> [PopupRecord.Index] {
        popups.members(of: groups[group].accepted)
    }

    /// The group's live popups in the order in which they are listed and closed together: higher effective priority
    /// first; among equals the active one, paused ones (the latest first), then waiting and delayed ones by acceptance.
    func inClosingOrder(_ group: GroupRecord.Index) -> [PopupRecord.Index] {
        var members = acceptanceOrder(of: group).map { popup in
            let rank = popups[popup].holdsSlot ? Int64.min : popups[popup].rank
            return (popup: popup, priority: comparedPriority(of: popup), rank: rank)
        }
        meter.count += members.count
        members.sort { $0.priority != $1.priority ? $0.priority > $1.priority : $0.rank < $1.rank }
        return members.map(\.popup)
    }
}
