import PopupScheduling

/// Who holds what.
extension ReferenceScheduler {
    /// Producers have an account each, as long as they hold something and there are not too many of them. Where users
    /// count, each has its own for the producers that it names.
    func account(for producer: ProducerID?) -> Account {
        let user = limits.usersHaveShares ? user : ""
        let account = Account(user: user, producer: producer)
        let known = Set(
            popups.values.map(\.account) + closed.values.map(\.account) + owners.values.map(\.account)
        ).union(accountsWithShowings).filter { $0.producer != nil }
        return known.contains(account) || known.count < limits.accounts ? account : Account(user: user, producer: nil)
    }

    /// Beyond the limit the oldest closed ids are forgotten, of the user who has most, and there of the account that has
    /// most: among equals of those without a name, then by the order of names. At most 64 at once.
    func forgetEarly() {
        for _ in 0..<64 where popups.count + closed.count > limits.maxIDs && !closed.isEmpty {
            let users = Dictionary(grouping: closed) { $0.value.account.user }
            let mostOfUsers = users.values.map(\.count).max()!
            let user = users.filter { $0.value.count == mostOfUsers }.map(\.key)
                .min { $0.utf8.lexicographicallyPrecedes($1.utf8) }!
            let accounts = Dictionary(grouping: users[user]!) { $0.value.account.producer }
            let most = accounts.values.map(\.count).max()!
            let payer = accounts.filter { $0.value.count == most }.map(\.key).min(by: precedes)!
            let oldest = accounts[payer]!.min { $0.value.number < $1.value.number }!
            closed[oldest.key] = nil
        }
    }

    // MARK: - What isn't popups and ids

    /// Something new belongs to an account as long as it is there; what is there stays whose it is.
    func own(_ holding: Holding, by account: Account) {
        if owners[holding] == nil { owners[holding] = Owner(account: account) }
    }

    /// What is not there any more belongs to nobody.
    func giveBack() {
        owners = owners.filter { holding, _ in
            switch holding {
            case .group(let group): isInUse(group)
            case .token(let token): suspensions.contains { $0.token == token }
            case .policy(let pattern): policies[pattern] != nil
            case .tree(let tree): hasTree(tree)
            case .client(let client): knownClients.contains(client)
            }
        }
    }

    /// Whether a group holds something.
    func isInUse(_ group: String) -> Bool {
        popups.values.contains { $0.group == group } || closed.values.contains { $0.group == group }
            || gaps[group] != nil || holds[group] != nil || !sessions[group, default: ""].isEmpty
    }

    /// Whether a tree has a page, or a popup is bound to it.
    func hasTree(_ tree: String) -> Bool {
        trees[tree] != nil || popups.values.contains { $0.request.page?.tree == tree }
    }

    /// The renderers with a lease, and those that popups remember.
    var knownClients: Set<String> { popups.values.reduce(into: Set(leases.keys)) { $0.formUnion($1.renderers) } }

    /// Why a producer may add nothing to a table: it is full, or the producer has more than eight times what is free.
    func admissionError(
        in table: Limits.Name, of limit: Int, for producer: ProducerID?, _ isOfTable: (Holding) -> Bool
    ) -> Refusal.Cause? {
        let held = owners.filter { isOfTable($0.key) }.map(\.value.account)
        return admissionError(in: table, used: held.count, of: limit, held: held, for: account(for: producer))
    }

    /// Where users count, all that one has counts too, whatever the names of its producers.
    func admissionError(
        in table: Limits.Name, used: Int, of limit: Int, held: [Account], for account: Account
    ) -> Refusal.Cause? {
        if used >= limit { return .limit(table) }
        let most = 8 * (limit - used)
        if held.count(where: { $0 == account }) > most { return .share(table) }
        let isShort = limits.usersHaveShares && held.count(where: { $0.user == account.user }) > most
        return isShort ? .userShare(table) : nil
    }

    func admissionErrorOfUsing(_ group: String, by producer: ProducerID?) -> Refusal.Cause? {
        if isInUse(group) { return nil }
        return admissionError(in: .groups, of: limits.groups, for: producer) {
            if case .group = $0 { true } else { false }
        }
    }

    func admissionErrorOfTree(_ tree: String, of producer: ProducerID?) -> Refusal.Cause? {
        if hasTree(tree) { return nil }
        return admissionError(in: .pageTrees, of: limits.pageTrees, for: producer) {
            if case .tree = $0 { true } else { false }
        }
    }

    private func precedes(_ one: ProducerID?, _ other: ProducerID?) -> Bool {
        guard let one, let other else { return one == nil && other != nil }
        return (one.high, one.low) < (other.high, other.low)
    }
}
