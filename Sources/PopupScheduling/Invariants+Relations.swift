// What is always true of what popups refer to: flows, pages, renderers.
extension Scheduler {
    /// Accounts count what is theirs, the one with most ids is at hand, and none is there for nothing.
    func brokenAccounts() -> [String] {
        var broken = accounts.isInOrder ? [] : ["the accounts are out of order"]
        var live = [Int32](repeating: 0, count: Int(accounts.capacity))
        var remembered = live
        for group in 0..<groups.capacity where groups[group].isInUse {
            for popup in acceptanceOrder(of: group) { live[Int(popups[popup].account)] += 1 }
        }
        closedPopups.forEach { remembered[Int($0.account)] += 1 }
        let held = heldByOthers()
        for account in 0..<accounts.capacity where accounts[account].isInUse {
            let record = accounts[account]
            for table in [Limits.Name.groups, .suspensions, .policies, .pageTrees, .renderers, .contentBytes] {
                let counted = record.held(of: table)
                let found = held[account]?[table] ?? 0
                guard counted != found else { continue }
                broken.append("account \(account) counts \(counted) of \(table), and has \(found)")
            }
            if record.live != live[Int(account)] { broken.append("account \(account) counts \(record.live) popups") }
            if record.remembered != remembered[Int(account)] {
                broken.append("account \(account) counts \(record.remembered) ids")
            }
            if account != Accounts.shared, record.isEmpty { broken.append("account \(account) holds nothing") }
        }
        let inUse = (0..<groups.capacity).count { groups[$0].isInUse && groups[$0].isHeld }
        if inUse != groupsInUse { broken.append("\(groupsInUse) groups are in use, \(inUse) say so") }
        for group in 0..<groups.capacity where groups[group].isInUse && groups[group].isIdle == groups[group].isHeld {
            broken.append("group \(string(store[groups[group].name])) is idle and in use, or neither")
        }
        return broken
    }

    /// What each account has of tables and of texts, gathered from what says whose it is.
    private func heldByOthers() -> [Int32: [Limits.Name: Int]] {
        var held: [Int32: [Limits.Name: Int]] = [:]
        func add(_ account: Int32, _ table: Limits.Name?, texts: [ByteReference], bytes: Int = 0) {
            guard account != nobody else { return }
            if let table { held[account, default: [:]][table, default: 0] += 1 }
            let stored = texts.reduce(bytes) { $0 + ByteStore.blockBytes(for: Int($1.count)) }
            held[account, default: [:]][.contentBytes, default: 0] += stored
        }
        for group in 0..<groups.capacity where groups[group].isInUse {
            let record = groups[group]
            if record.isHeld { add(record.account, .groups, texts: [record.name, record.session]) }
            for popup in acceptanceOrder(of: group) {
                let place = popups[popup].relations
                let others = place == nobody ? [] : relations[place].texts
                add(popups[popup].account, nil, texts: [popups[popup].id, popups[popup].body] + others)
            }
        }
        closedPopups.forEach { add($0.account, nil, texts: [$0.id, $0.detail]) }
        for flow in 0..<flows.capacity where flows[flow].isInUse {
            add(groups[flows[flow].group].account, nil, texts: [flows[flow].key])
        }
        for client in 0..<clients.records.capacity where clients.records[client].isInUse {
            let record = clients.records[client]
            add(record.account, .renderers, texts: [record.name, record.patterns])
        }
        for name in pages.names {
            guard let place = pages.place(of: name) else { continue }
            add(pages[place].account, .pageTrees, texts: [], bytes: pages[place].bytes)
        }
        for pattern in policies.patterns {
            guard let place = policies.place(ofPattern: pattern) else { continue }
            add(policies[account: place], .policies, texts: [])
        }
        for record in suspensions.records { add(record.account, .suspensions, texts: []) }
        return held
    }

    /// Flows know their members, and none of them waits in vain. Returns how many flows gather.
    func brokenFlows(_ broken: inout [String]) -> Int {
        var gathering = 0
        for flow in 0..<flows.capacity where flows[flow].isInUse {
            let record = flows[flow]
            let key = string(store[record.key])
            let members = members(of: flow)
            if record.gathering != nobody { gathering += 1 }
            if members.count != Int(record.live) { broken.append("flow \(key) has \(members.count) members") }
            if members.contains(where: { self.flow(of: $0) != flow }) { broken.append("flow \(key) has a stranger") }
            if record.live == 0, record.remembered == 0, groups[record.group].holder != flow {
                broken.append("flow \(key) has nothing left")
            }
            if members.count(where: { popups[$0].holdsSlot }) > 1 { broken.append("flow \(key) is shown twice") }
            if isStuck(flow) { broken.append("flow \(key) waits in vain") }
        }
        return gathering
    }

    /// Renderers know their notes, and popups count them. Returns how many leases run out by themselves.
    func brokenClients(_ broken: inout [String]) -> Int {
        var leases = 0
        var noted = 0
        for client in 0..<clients.records.capacity where clients.records[client].isInUse {
            let record = clients.records[client]
            let name = string(store[record.name])
            if record.lease != nobody { leases += 1 }
            if record.lease != nobody, !record.hasLease { broken.append("renderer \(name) loses what it has not") }
            if !record.hasLease, record.notes == nobody { broken.append("renderer \(name) has nothing left") }
            var note = record.notes
            while note != nobody {
                noted += 1
                if notes[note].client != client { broken.append("a note of \(name) is another's") }
                if !isCounted(note) { broken.append("a note of \(name) is not counted") }
                note = notes[note].nextOfClient
            }
        }
        if noted != notes.count { broken.append("\(notes.count) notes, \(noted) belong to renderers") }
        return leases
    }

    /// Whether the popup of a note says of its notes what they say.
    private func isCounted(_ note: Int32) -> Bool {
        let popup = notes[note].popup
        let record = relations[popups[popup].relations]
        var counts = (all: Int32(0), displays: Int32(0), views: Int32(0), dismissals: Int32(0))
        var other = record.notes
        while other != nobody {
            counts.all += 1
            if notes[other].hasDisplayed { counts.displays += 1 }
            if notes[other].isVisible { counts.views += 1 }
            if notes[other].hasDismissed { counts.dismissals += 1 }
            other = notes[other].nextOfPopup
        }
        return counts == (record.noteCount, record.displays, record.views, record.dismissals)
            && (popups[popup].isActive || counts.displays == 0)
    }
}
