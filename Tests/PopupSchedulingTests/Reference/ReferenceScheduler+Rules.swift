import PopupScheduling

/// Who gives way to whom.
extension ReferenceScheduler {
    /// What comes of a popup that would like to have the slot of the active one.
    enum Verdict {
        case stop
        case pause
        case wait
        case tooEarly
        case never
    }

    /// A newcomer meets the active popup by the whole table; one that is there already, only if it is strictly higher.
    func verdict(on popup: Popup, against active: Popup, isNewcomer: Bool) -> Verdict {
        let policy = policy(of: popup.group)
        let mine = effectivePriority(popup)
        let theirs = effectivePriority(active)
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
            if !active.interruptible { return .wait }
            if active.isProtected { return .tooEarly }
            return word == .stop ? .stop : .pause
        }
    }

    // MARK: - Policies

    /// The exact name wins, then the pattern with most segments, then `*`.
    func policy(of group: String) -> Policy {
        if let exact = policies[group] { return exact }
        let patterns = policies.keys.filter { $0.hasSuffix("*") && matches(group, $0) }
        let longest = patterns.max { $0.split(separator: "/").count < $1.split(separator: "/").count }
        return longest.map { policies[$0]! } ?? Policy()
    }

    func matches(_ group: String, _ pattern: String) -> Bool {
        if pattern == "*" { return true }
        if pattern.hasSuffix("/*") { return group.hasPrefix(pattern.dropLast()) }
        return group == pattern
    }

    func effectivePriority(_ popup: Popup) -> Int32 {
        policy(of: popup.group).ignorePriority ? 0 : popup.priority
    }

    /// In ms, 0: until dismissed.
    func displayTime(_ popup: Popup) -> Milliseconds {
        let policy = policy(of: popup.group)
        let wanted = Milliseconds(popup.duration == 0 ? policy.defaultDuration : popup.duration)
        let most = Milliseconds(policy.maximumDuration)
        if most == 0 { return wanted }
        return wanted == 0 ? most : min(wanted, most)
    }

    // MARK: - The line

    func active(of group: String) -> Popup? {
        popups.values.first { $0.group == group && $0.phase == .active }
    }

    /// Delayed ones included.
    func waiting(of group: String) -> [Popup] {
        popups.values.filter { $0.group == group && ($0.phase == .waiting || $0.phase == .delayed) }
    }

    func paused(of group: String) -> [Popup] {
        popups.values.filter { $0.group == group && $0.phase == .paused }
    }

    /// Waiting and paused popups by priority; within one the paused first, the latest first, then by acceptance.
    func line(of group: String) -> [Popup] {
        popups.values.filter { $0.group == group && ($0.phase == .waiting || $0.phase == .paused) }
            .sorted(by: standsBefore)
    }

    func standsBefore(_ one: Popup, _ other: Popup) -> Bool {
        if effectivePriority(one) != effectivePriority(other) {
            return effectivePriority(one) > effectivePriority(other)
        }
        if one.place.isPaused != other.place.isPaused { return one.place.isPaused }
        return one.place.isPaused ? one.place.number > other.place.number : one.place.number < other.place.number
    }

    /// All of a group in the order in which they are closed together: the highest first, the active one before its equals.
    func closingOrder(of group: String) -> [Popup] {
        let rest = popups.values.filter { $0.group == group && $0.phase != .active }.sorted(by: standsBefore)
        guard let active = active(of: group) else { return rest }
        let higher = rest.prefix { effectivePriority($0) > effectivePriority(active) }
        return higher + [active] + rest.dropFirst(higher.count)
    }

    func bestEligible(of group: String) -> Popup? {
        line(of: group).first(where: isEligible)
    }

    func isEligible(_ popup: Popup) -> Bool {
        popup.phase != .delayed && suspensions(against: popup).isEmpty
    }

    /// The suspensions that hold it back, by its own priority.
    func suspensions(against popup: Popup) -> [StandingSuspension] {
        suspensions.filter { matches(popup.group, $0.pattern) && isBelow(popup, $0.minimumPriority) }
    }

    func isBelow(_ popup: Popup, _ minimum: Int32?) -> Bool {
        minimum.map { popup.priority < $0 } ?? true
    }

    /// In the byte order of their names.
    var groupsInOrder: [String] {
        revisions.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
