// What is always true of what popups refer to: flows, pages, renderers.
extension Scheduler {
    /// Accounts count what is theirs, the one with most ids is at hand, and none is there for nothing.
    func brokenAccounts() -> [String] {
        var broken = accounts.isInOrder ? [] : ["the accounts are out of order"]
        var live = [Int32](repeating: 0, count: accounts.capacity)
        var remembered = live
        for group in groups.indices {
            for popup in acceptanceOrder(of: group) { live[popups[popup].account.number] += 1 }
        }
        popups.closed.forEach { remembered[$0.account.number] += 1 }
        let held = heldByOthers()
        for account in accounts.indices {
            let record = accounts[account]
            for table in [Limits.Name.groups, .suspensions, .policies, .pageTrees, .renderers, .contentBytes] {
                let counted = record.held(of: table)
                let found = held[account]?[table] ?? 0
                guard counted != found else { continue }
                broken.append("account \(account) counts \(counted) of \(table), and has \(found)")
            }
            if record.live != live[account.number] { broken.append("account \(account) counts \(record.live) popups") }
            if record.remembered != remembered[account.number] {
                broken.append("account \(account) counts \(record.remembered) ids")
            }
            if account != Accounts.shared, record.isEmpty { broken.append("account \(account) holds nothing") }
        }
        return broken
    }

    /// What each account has of tables and of texts, gathered from what says whose it is.
    private func heldByOthers() -> [AccountRecord.Index: [Limits.Name: Int]] {
        var held: [AccountRecord.Index: [Limits.Name: Int]] = [:]
        func add(_ account: AccountRecord.Index?, _ table: Limits.Name?, texts: [ByteReference], bytes: Int = 0) {
            guard let account else { return }
            if let table { held[account, default: [:]][table, default: 0] += 1 }
            let stored = texts.reduce(bytes) { $0 + ByteStore.blockBytes(for: Int($1.count)) }
            held[account, default: [:]][.contentBytes, default: 0] += stored
        }
        for group in groups.indices {
            let record = groups[group]
            if record.isHeld { add(record.account, .groups, texts: [record.name, record.session]) }
            for popup in acceptanceOrder(of: group) {
                let others = popups[popup].relations.map { popups.relations[$0].texts } ?? []
                add(popups[popup].account, nil, texts: [popups[popup].id, popups[popup].body] + others)
            }
        }
        popups.closed.forEach { add($0.account, nil, texts: [$0.id, $0.detail]) }
        for flow in flows.indices {
            add(groups[flows[flow].group].account, nil, texts: [flows[flow].key])
        }
        for client in renderers.indices {
            let record = renderers[client]
            add(
                record.account, .renderers, texts: [record.name, record.patterns],
                bytes: LeaseHolders.bytes(for: store[record.patterns]))
        }
        for name in pages.names {
            guard let place = pages.place(of: name) else { continue }
            add(pages[place].account, .pageTrees, texts: [], bytes: pages[place].bytes)
        }
        for pattern in policies.patterns {
            guard let place = policies.place(ofPattern: pattern) else { continue }
            add(policies[account: place], .policies, texts: [])
        }
        for record in policies.suspensions.records { add(record.account, .suspensions, texts: []) }
        return held
    }

    /// Flows know their members, and none of them waits in vain. Returns how many flows gather.
    func brokenFlows(_ broken: inout [String]) -> Int {
        var gathering = 0
        for flow in flows.indices {
            let record = flows[flow]
            let key = string(store[record.key])
            let members = members(of: flow)
            if record.gathering != nil { gathering += 1 }
            if members.count != Int(record.live) { broken.append("flow \(key) has \(members.count) members") }
            if members.contains(where: { popups.relations[$0].flow != flow }) {
                broken.append("flow \(key) has a stranger")
            }
            if record.live == 0, record.remembered == 0, groups[record.group].holder != flow {
                broken.append("flow \(key) has nothing left")
            }
            if members.count(where: { popups[popups.relations[$0].popup].holdsSlot }) > 1 {
                broken.append("flow \(key) is shown twice")
            }
            if isStuck(flow) { broken.append("flow \(key) waits in vain") }
        }
        return gathering
    }

    /// Popups count what renderers said of them, and only active ones are displayed. Returns how many leases run out by
    /// themselves.
    func brokenRenderers(_ broken: inout [String]) -> Int {
        broken += renderers.brokenInvariants(store)
        for popup in popups.indices {
            guard let place = popups[popup].relations else { continue }
            broken += renderers.brokenInvariants(ofNotesOn: popups.relations[place])
            if popups.relations[place].displays > 0, !popups[popup].isActive {
                broken.append("a popup is displayed that is not active")
            }
        }
        return renderers.indices.count { renderers[$0].lease != nil }
    }
}
