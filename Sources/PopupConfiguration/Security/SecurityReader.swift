import CurveKeys
import PopupAccess
import PopupProtocol
import Yams

/// The reader of the lists of the section `security`: users, roles, and the roles of clients without a key.
struct SecurityReader {
    /// The keys of the section that are lists; the others are settings.
    static let lists = ["users", "roles", "anonymous"]

    /// The file's name, for problems.
    let file: String

    /// Reads one of the lists.
    func read(_ name: String, _ node: Node, into security: inout Security, problems: inout [ConfigurationProblem]) {
        var reader = YAMLReader(file: file)
        defer { problems += reader.problems }
        let key = "security.\(name)"
        switch name {
        case "users":
            security.users = reader.elements(of: node, key, "each with `name` and `publicKey`")
                .compactMap { user(in: $0, &reader) }
            reportRepetitions(of: security.users, node, &reader)
        case "roles":
            for (role, grants) in reader.members(of: node, key) {
                let key = "\(key).\(role)"
                security.roles[role] = reader.elements(of: grants, key, "each with `groups` and `may`")
                    .compactMap { grant(in: $0, &reader) }
            }
        default:
            security.anonymous = reader.texts(of: node, key, "names of roles")
        }
    }

    /// Records roles that are named and not there.
    static func check(_ security: Security, file: String?, problems: inout [ConfigurationProblem]) {
        func reportUnknown(_ roles: [String], _ key: String) {
            for role in roles where security.roles[role] == nil {
                let known = security.roles.keys.sorted()
                let advice = known.isEmpty ? "define it in security.roles" : Suggestion.advice(for: role, among: known)
                problems.append(
                    ConfigurationProblem(
                        origin: file.map { .file($0, line: nil) } ?? .standard, key: key,
                        text: "there is no role `\(role)`; \(advice)"))
            }
        }
        for user in security.users { reportUnknown(user.roles ?? [], "security.users, user \(user.name)") }
        reportUnknown(security.anonymous ?? [], "security.anonymous")
    }

    private func user(in element: YAMLReader.Element, _ reader: inout YAMLReader) -> Security.User? {
        let fields = reader.fields(of: element, known: ["name", "publicKey", "roles"])
        let name = reader.required("name", of: fields, element) { UserName($0) }
        let demand = "must be 40 characters of Z85, as `popup-broker keys public FILE` prints them"
        let key = reader.required("publicKey", of: fields, element, demand) { CurvePublicKey($0) }
        let roles = fields["roles"].map { reader.texts(of: $0, "\(element.key).roles", "names of roles") }
        guard let name, let key else { return nil }
        return Security.User(name: name, publicKey: key, roles: roles)
    }

    /// Reports keys and names that two users have.
    private func reportRepetitions(of users: [Security.User], _ node: Node, _ reader: inout YAMLReader) {
        var names: Set<UserName> = []
        var keys: [CurvePublicKey: UserName] = [:]
        for user in users {
            if !names.insert(user.name).inserted {
                reader.report(node, "security.users", "has the user `\(user.name)` twice; join them")
            }
            if let other = keys.updateValue(user.name, forKey: user.publicKey), other != user.name {
                reader.report(
                    node, "security.users", "gives `\(other)` and `\(user.name)` one key; give each a key of its own")
            }
        }
    }

    private func grant(in element: YAMLReader.Element, _ reader: inout YAMLReader) -> Grant? {
        let before = reader.problems.count
        let fields = reader.fields(of: element, known: ["groups", "may", "maxPriority", "exclusive", "own"])
        var grant = Grant(groups: [], rights: [])
        for text in fields["groups"].map({ reader.texts(of: $0, "\(element.key).groups", "groups or patterns") }) ?? []
        {
            if let pattern = GroupPattern(text) {
                grant.groups.append(pattern)
            } else {
                reader.report(
                    fields["groups"] ?? element.node, "\(element.key).groups",
                    "\"\(text)\" is not a valid group name or pattern, such as lobby, store-12/* or *")
            }
        }
        let known = Right.allCases.map(\.rawValue) + ["all"]
        for text in fields["may"].map({ reader.texts(of: $0, "\(element.key).may", "rights") }) ?? [] {
            if let right = Right(rawValue: text) {
                grant.rights.formUnion(Rights(right))
            } else if text == "all" {
                grant.rights = .all
            } else {
                reader.report(
                    fields["may"] ?? element.node, "\(element.key).may",
                    "there is no right `\(text)`; \(Suggestion.advice(for: text, among: known))")
            }
        }
        grant.maxPriority = reader.optional(
            "maxPriority", of: fields, element, "must be a whole number from \(Int32.min) to \(Int32.max)"
        ) { Int32($0) }
        let reaches = Grant.ExclusiveReach.allCases.map(\.rawValue).joined(separator: ", ")
        let exclusive = reader.optional("exclusive", of: fields, element, "must be one of \(reaches)") {
            Grant.ExclusiveReach(rawValue: $0)
        }
        grant.ownPopupsOnly =
            reader.optional("own", of: fields, element, "must be true or false") { Bool($0) } ?? false
        // Who may do all may do this as well, unless the grant says how far.
        grant.exclusive = exclusive ?? (grant.isUnlimited ? .all : .none)
        if reader.problems.count == before, let mistake = grant.mistake {
            reader.report(element.node, element.key, mistake)
        }
        return grant
    }
}

extension Grant {
    /// Whether it gives every right in every group, without a limit of priority and to all popups.
    fileprivate var isUnlimited: Bool {
        rights == .all && groups.contains(.every) && maxPriority == nil && !ownPopupsOnly
    }
}
