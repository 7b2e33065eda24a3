import PopupAccess
import PopupProtocol

/// Frames and subscriptions of users with limited rights into the broker's core, as lines; `@ann` and `@bob` begin what
/// they do. Besides what holds for all frames, nobody reads what it may not.
enum RightsEntry {
    static func run(_ input: [UInt8]) throws -> Bool {
        try FramesEntry.run(lines: input, ofUsers: rules()).isAccepted
    }

    private static func rules() throws -> AccessRules {
        func grant(_ rights: [Right], _ groups: String...) -> Grant {
            Grant(groups: groups.compactMap { GroupPattern($0) }, rights: Rights(rights))
        }
        var own = grant([.show, .update, .dismiss, .watch, .query, .control], "g", "a/*")
        own.maxPriority = 3
        own.exclusive = .group
        own.ownPopupsOnly = true
        return try AccessRules(
            roles: ["ann": [own], "bob": [grant([.watch, .events, .render], "g/x"), grant([.query], "*")]],
            users: ["ann", "bob"].compactMap { name in UserName(name).map { .init(name: $0, roles: [name]) } },
            anonymous: nil)
    }

    /// Whether a user may read a topic, decided by its text.
    static func mayRead(_ user: UserName, _ topic: String) -> Bool {
        let groups = user.text == "ann" ? ["g/", "a/"] : ["g/x/"]
        guard let slash = topic.firstIndex(of: "/") else { return false }
        let name = topic[topic.index(after: slash)...]
        switch topic[..<slash] {
        case "state", "state+json", "state+frame": return groups.contains(where: name.hasPrefix)
        case "events", "events+json": return user.text == "bob" && groups.contains(where: name.hasPrefix)
        case "feed": return false
        default: return true
        }
    }
}
