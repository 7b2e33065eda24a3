extension Security {
    /// Its users as lines of a file, indented as members of the section `security`.
    func listing() -> [String] {
        guard !users.isEmpty else { return ["  users: []"] }
        return ["  users:"]
            + users.map { user in
                "    - {name: \(quoted("\(user.name)")), publicKey: \(quoted("\(user.publicKey)"))}"
            }
    }
}
