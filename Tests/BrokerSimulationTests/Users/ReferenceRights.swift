import PopupAccess
import PopupProtocol

/// What users may do, decided anew in the plainest way, by the text of patterns and without the code that it checks.
struct ReferenceRights {
    /// The grants of each user; "" is a client without a key. Whoever is not here may do everything.
    var grants: [String: [Grant]]

    private static func matches(_ pattern: String, _ group: String) -> Bool {
        pattern == "*" || pattern == group || pattern.hasSuffix("/*") && group.hasPrefix(pattern.dropLast())
    }

    /// Whether a grant of the user gives a right in a group, as far as `isWideEnough` says so.
    func allows(
        _ user: String, _ right: Right, in group: String, _ isWideEnough: (Grant) -> Bool = { _ in true }
    ) -> Bool {
        guard let grants = grants[user] else { return true }
        return grants.contains { grant in
            grant.rights.contains(right) && isWideEnough(grant)
                && grant.groups.contains { Self.matches($0.text, group) }
        }
    }

    /// Whether the user has any right in a group.
    func knows(_ user: String, _ group: String) -> Bool {
        Right.allCases.contains { allows(user, $0, in: group) }
    }

    /// Whether the user may show a popup that replaces none.
    func mayShow(_ user: String, _ popup: WirePopup) -> Bool {
        allows(user, .show, in: popup.group) { grant in
            let reaches: Grant.ExclusiveReach =
                switch popup.exclusive {
                case .all: .all
                case .group: .group
                default: .none
                }
            return popup.priority <= grant.maxPriority ?? .max && reaches <= grant.exclusive
        }
    }

    /// Whether a popup of `owner` may be changed or closed by the user's command that an event tells of.
    func mayCause(_ event: WireEvent, of owner: String) -> Bool {
        let user = event.by
        let isOwn = user == owner
        func may(_ right: Right, _ isWideEnough: (Grant) -> Bool = { _ in true }) -> Bool {
            allows(user, right, in: event.group) { (!$0.ownPopupsOnly || isOwn) && isWideEnough($0) }
        }
        switch event.event {
        case .updated: return may(.update)
        case .closed(let closed):
            switch closed.reason {
            case .dismissed: return may(.dismiss) || allows(user, .render, in: event.group)
            case .cleared: return may(.control)
            case .advanced, .sessionEnded, .pageClosed:
                return allows(user, .control, in: event.group) { !$0.ownPopupsOnly }
            case .replaced: return may(.show)
            case .superseded:
                return allows(user, .show, in: event.group) { $0.exclusive != .none }
                    || grants[user]?.contains { $0.exclusive == .all } ?? true
            default: return true
            }
        default: return true
        }
    }

    /// Whether the user may read a topic that is nobody's own. What is read of a group is read of those below it.
    func mayRead(_ user: String, _ topic: String) -> Bool {
        guard let grants = grants[user] else { return true }
        guard let slash = topic.firstIndex(of: "/") else { return false }
        let name = String(topic[topic.index(after: slash)...].dropLast())
        func reads(_ right: Right) -> Bool {
            grants.contains { grant in
                grant.rights.contains(right)
                    && grant.groups.contains { Self.matches($0.text, name) || name.hasPrefix("\($0.text)/") }
            }
        }
        switch topic[..<slash] {
        case "state", "state+json", "state+frame": return reads(.watch)
        case "events", "events+json": return reads(.events)
        case "feed": return grants.contains { $0.rights.contains(.watch) && $0.groups.contains { $0.text == "*" } }
        case "heartbeat":
            return grants.contains { grant in [.watch, .events, .render].contains { grant.rights.contains($0) } }
        default: return true
        }
    }
}
