import PopupScheduling

/// Who gives way to whom.
extension ReferenceScheduler {
    /// What comes of a popup that would like to have the slot of the one in it.
    enum Verdict {
        case stop
        case pause
        case wait
        case tooEarly
        case never
    }

    /// A newcomer meets the one in the slot by the whole table; one that is there already, only if it is strictly
    /// higher.
    func verdict(on popup: Popup, against occupant: Popup, isNewcomer: Bool) -> Verdict {
        let policy = policy(of: popup.group)
        let mine = agedPriority(popup)
        let theirs = agedPriority(occupant)
        let word: Policy.Interruption
        if mine > theirs {
            word = policy.higher
        } else if !isNewcomer {
            word = .defer
        } else {
            word = mine == theirs ? policy.peers : policy.lower
        }
        switch word {
        case .never: return isNewcomer ? .never : .wait
        case .defer: return .wait
        case .stop, .pause:
            if !occupant.interruptible { return .wait }
            if occupant.isProtected { return .tooEarly }
            return word == .stop ? .stop : .pause
        }
    }

    /// A popup takes the slot of the one in it.
    func preempt(_ occupant: Popup, by id: String, stop: Bool) {
        if stop {
            closeForAnother([occupant], .preempted, by: id)
            takeSlot(id)
            closeWhatFollowsFromGivingWay()
        } else {
            giveWay(occupant.id)
            takeSlot(id)
        }
    }

    /// One that is there already would like to have the slot. Says whether it got it.
    @discardableResult
    func promote(_ id: String) -> Bool {
        guard let popup = popups[id], isEligible(popup), let occupant = occupant(of: popup.group) else { return false }
        switch verdict(on: popup, against: occupant, isNewcomer: false) {
        case .stop: preempt(occupant, by: id, stop: true)
        case .pause: preempt(occupant, by: id, stop: false)
        case .tooEarly:
            popups[id]!.mark = popup.mark ?? .promotion
            return false
        case .wait, .never: return false
        }
        return true
    }

    // MARK: - Policies

    /// The exact name wins, then the pattern with most segments, then `*`.
    func policy(of group: String) -> Policy {
        if let known = policiesInForce[group] { return known }
        let policy = patternInForce(for: group).flatMap { policies[$0] } ?? Policy()
        policiesInForce[group] = policy
        return policy
    }

    func patternInForce(for group: String) -> String? {
        if policies[group] != nil { return group }
        return policies.keys.filter { $0.hasSuffix("*") && matches(group, $0) }
            .max { $0.split(separator: "/").count < $1.split(separator: "/").count }
    }

    func matches(_ group: String, _ pattern: String) -> Bool {
        if pattern == "*" { return true }
        if pattern.hasSuffix("/*") { return group.hasPrefix(pattern.dropLast()) }
        return group == pattern
    }

    // MARK: - Priorities

    func basePriority(_ popup: Popup) -> Int64 {
        policy(of: popup.group).ignorePriority ? 0 : Int64(popup.priority)
    }

    /// What aging adds: to a popup in the queue by the time since its arrival or pause, to one in the
    /// slot what it had.
    func bonus(_ popup: Popup) -> Int64 {
        let policy = policy(of: popup.group)
        if policy.aging == 0 || policy.ignorePriority || popup.phase == .delayed { return 0 }
        return popup.keptBonus ?? (now - (popup.age ?? popup.arrival)) / Milliseconds(policy.aging)
    }

    func agedPriority(_ popup: Popup) -> Int64 {
        basePriority(popup) + bonus(popup)
    }

    // MARK: - The queue

    func popups(of group: String) -> [Popup] {
        popups.values.filter { $0.group == group }
    }

    /// The active or offered one.
    func occupant(of group: String) -> Popup? {
        popups.values.first { $0.group == group && $0.isInSlot }
    }

    /// Delayed ones included.
    func waiting(of group: String) -> [Popup] {
        popups(of: group).filter { $0.phase == .waiting || $0.phase == .delayed }
    }

    func paused(of group: String) -> [Popup] {
        popups(of: group).filter { $0.phase == .paused }
    }

    /// Waiting and paused popups by priority; within one the paused first, the latest first, then by acceptance.
    func queue(of group: String) -> [Popup] {
        popups(of: group).filter { $0.phase == .waiting || $0.phase == .paused }.sorted(by: standsBefore)
    }

    func standsBefore(_ one: Popup, _ other: Popup) -> Bool {
        if agedPriority(one) != agedPriority(other) { return agedPriority(one) > agedPriority(other) }
        switch (one.place.pausedAt, other.place.pausedAt) {
        case (let mine?, let theirs?): return mine > theirs
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): return one.place.rank < other.place.rank
        }
    }

    /// All of a group in the order in which they are closed together: the highest first, the one in the slot before its
    /// equals.
    func closingOrder(of group: String) -> [Popup] {
        let rest = popups(of: group).filter { !$0.isInSlot }.sorted(by: standsBefore)
        guard let occupant = occupant(of: group) else { return rest }
        let higher = rest.prefix { agedPriority($0) > agedPriority(occupant) }
        return higher + [occupant] + rest.dropFirst(higher.count)
    }

    func bestEligible(of group: String) -> Popup? {
        queue(of: group).first(where: isEligible)
    }

    /// In the byte order of their names.
    var groupsInOrder: [String] {
        revisions.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
