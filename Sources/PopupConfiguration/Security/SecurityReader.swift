import PopupAccess
import Yams
import ZeroMQ

/// Reads the list of the section `security`: its users.
struct SecurityReader {
    /// The key of the section that is a list; the others are settings.
    static let list = "users"

    /// The file's name, for problems.
    let file: String

    /// Reads the users.
    func read(_ node: Node, into security: inout Security, problems: inout [ConfigurationProblem]) {
        var reader = YAMLReader(file: file)
        security.users = reader.elements(of: node, "security.users", "each with `name` and `publicKey`")
            .compactMap { user(in: $0, &reader) }
        reportRepetitions(of: security.users, node, &reader)
        problems += reader.problems
    }

    private func user(in element: YAMLReader.Element, _ reader: inout YAMLReader) -> Security.User? {
        let fields = reader.fields(of: element, known: ["name", "publicKey"])
        let name = reader.required("name", of: fields, element) { UserName($0) }
        let demand = "must be 40 characters of Z85, as `popup-broker keys public FILE` prints them"
        let key = reader.required("publicKey", of: fields, element, demand) { CurvePublicKey($0) }
        guard let name, let key else { return nil }
        return Security.User(name: name, publicKey: key)
    }

    /// A key or a name that two users have.
    private func reportRepetitions(of users: [Security.User], _ node: Node, _ reader: inout YAMLReader) {
        var names: Set<UserName> = []
        var keys: [CurvePublicKey: UserName] = [:]
        for user in users {
            if !names.insert(user.name).inserted {
                reader.note(node, "security.users", "has the user `\(user.name)` twice; join them")
            }
            if let other = keys.updateValue(user.name, forKey: user.publicKey), other != user.name {
                reader.note(
                    node, "security.users", "gives `\(other)` and `\(user.name)` one key; give each a key of its own")
            }
        }
    }
}
