// All live popups of a group in order of acceptance. A newcomer is always the youngest.
extension Scheduler {
    @inline(__always)
    mutating func appendAccepted(_ popup: Int32) {
        let group = popups[popup].group
        let youngest = groups[group].youngest
        popups[popup].older = youngest
        if youngest == nobody { groups[group].oldest = popup } else { popups[youngest].younger = popup }
        groups[group].youngest = popup
    }

    @inline(__always)
    mutating func removeAccepted(_ popup: Int32) {
        let group = popups[popup].group
        let (older, younger) = (popups[popup].older, popups[popup].younger)
        if older == nobody { groups[group].oldest = younger } else { popups[older].younger = younger }
        if younger == nobody { groups[group].youngest = older } else { popups[younger].older = older }
    }

    /// The first popup of the acceptance order, from `popup` on, for which `holds` is true.
    func firstAccepted(from popup: Int32, where holds: (Int32) -> Bool) -> Int32 {
        var popup = popup
        while popup != nobody, !holds(popup) { popup = popups[popup].younger }
        return popup
    }

    /// All live popups of a group in order of acceptance.
    func acceptanceOrder(of group: Int32) -> [Int32] {
        var acceptanceOrder: [Int32] = []
        var popup = groups[group].oldest
        while popup != nobody {
            acceptanceOrder.append(popup)
            popup = popups[popup].younger
        }
        return acceptanceOrder
    }

    /// The group's live popups in the order in which they are listed and closed together: higher effective priority
    /// first; among equals the active one, paused ones (the latest first), then waiting and delayed ones by acceptance.
    func inClosingOrder(_ group: Int32) -> [Int32] {
        var members = acceptanceOrder(of: group).map { popup in
            let rank = popups[popup].holdsSlot ? Int64.min : popups[popup].rank
            return (popup: popup, priority: comparedPriority(of: popup), rank: rank)
        }
        meter.count += members.count
        members.sort { $0.priority != $1.priority ? $0.priority > $1.priority : $0.rank < $1.rank }
        return members.map(\.popup)
    }
}
