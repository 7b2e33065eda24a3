import PopupAccess
import PopupProtocol

extension Security {
    /// Returns the lists as lines of a file, indented as members of the section `security`.
    func listing() -> [String] {
        let users = users.map { user in
            "    - {name: \(JSONText.quoted(user.name.text)), publicKey: \(JSONText.quoted("\(user.publicKey)"))"
                + (user.roles.map { ", roles: \(list($0))}" } ?? "}")
        }
        let roles = roles.sorted { $0.key < $1.key }.flatMap { name, grants in
            ["    \(JSONText.quoted(name)):"] + grants.map { "      - " + listing(of: $0) }
        }
        return (users.isEmpty ? ["  users: []"] : ["  users:"] + users)
            + (roles.isEmpty ? ["  roles: {}"] : ["  roles:"] + roles)
            + (anonymous.map { ["  anonymous: \(list($0))"] } ?? [])
    }

    private func listing(of grant: Grant) -> String {
        let rights =
            grant.rights == .all ? ["all"] : Right.allCases.filter { grant.rights.contains($0) }.map(\.rawValue)
        var fields = ["groups: \(list(grant.groups.map(\.text)))", "may: \(list(rights))"]
        if let priority = grant.maxPriority { fields.append("maxPriority: \(priority)") }
        fields.append("exclusive: \(grant.exclusive.rawValue)")
        if grant.ownPopupsOnly { fields.append("own: true") }
        return "{\(fields.joined(separator: ", "))}"
    }

    private func list(_ texts: [String]) -> String {
        "[" + texts.map { JSONText.quoted($0) }.joined(separator: ", ") + "]"
    }
}
