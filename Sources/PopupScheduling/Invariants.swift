// What always holds between steps. Tests check it after every step.
extension Scheduler {
    /// Returns a sentence for every broken invariant; none if all hold. O(n log n) in the number of popups and groups.
    public mutating func brokenInvariants() -> [String] {
        // While a command is performed in parts, groups that are not reached yet may break them.
        guard !hasWork else { return [] }
        var broken: [String] = []
        var live = 0
        var set = 0
        for group in orderedGroups() {
            let name = string(store[groups[group].name])
            broken += brokenInvariants(of: group).map { "group \(name): \($0)" }
            for popup in acceptanceOrder(of: group) {
                live += 1
                set += timersSet(for: popup)
            }
            let record = groups[group]
            set += [record.gap, record.minimumDisplay, record.hold, record.displayTimeout].count { $0 != nil }
            set += groups.caps[group].count { $0.timer != nil }
        }
        set += brokenFlows(&broken) + brokenRenderers(&broken) + policies.quietCount
        if live != popups.count { broken.append("\(popups.count) popups are live, \(live) are in acceptance orders") }
        broken += brokenAccounts()
        broken += popups.brokenInvariants(store, keyHash: { keyHash(of: $0) }, isSameKey: { hasSameKey($0, $1) })
        broken += groups.brokenQueues(
            popups, priority: { effectivePriority(of: $0) }, candidate: { candidate(for: $0) })
        broken += groups.brokenInvariants(store)
        broken += groups.caps.brokenInvariants(store)
        broken += pages.brokenInvariants { popups.relations.members(of: $0).count }
        if set != timers.count { broken.append("\(timers.count) timers are set, \(set) belong to something") }
        if let due = timers.nextDue, due < now { broken.append("a timer due at \(due) did not fire by \(now)") }
        if !timers.isInOrder { broken.append("the timers are out of order") }
        return broken
    }

    private func brokenInvariants(of group: GroupRecord.Index) -> [String] {
        var broken: [String] = []
        let record = groups[group]
        var counts = (active: 0, waiting: 0, paused: 0, delayed: 0)
        var last = UInt64.min
        for popup in acceptanceOrder(of: group) {
            let id = string(store[popups[popup].id])
            if popups[popup].group != group { broken.append("\(id) belongs to another group") }
            if popups[popup].acceptance <= last { broken.append("\(id) is out of order in the acceptance order") }
            last = popups[popup].acceptance
            switch popups[popup].phase {
            case .arriving: broken.append("\(id) is still arriving")
            case .delayed: counts.delayed += 1
            case .waiting: counts.waiting += 1
            case .active, .offered: counts.active += 1
            case .paused: counts.paused += 1
            }
            if popups[popup].holdsSlot != (record.active == popup) { broken.append("\(id) and the slot disagree") }
            if popups[popup].hasPlace != (popups[popup].isPaused || popups[popup].isWaiting) {
                broken.append("\(id) and the queue disagree")
            }
            // On a level nothing is searched: there the popups whose conditions hold wait, in an order that stays.
            if popups[popup].level != nil,
                record.ages || !meetsConditions(popup, caps: false) || positionOfCap(withKeyOf: popup) != nil
            {
                broken.append("\(id) is on a level and belongs into the tree")
            }
        }
        if record.minimumDisplay != nil {
            let marked = groups.queued(in: group, popups).filter { isMarked($0, for: record.activation) }
            if !Set(earlyAttempts.all(in: group)).isSuperset(of: marked) {
                broken.append("a popup that came too early is not listed")
            }
        } else if earlyAttempts.groups.contains(group) {
            broken.append("popups that came too early are listed, and no minimum display time runs")
        }
        if counts.active > 1 { broken.append("\(counts.active) popups are active") }
        if Int(record.waiting) != counts.waiting + counts.delayed { broken.append("waiting says \(record.waiting)") }
        if Int(record.paused) != counts.paused { broken.append("paused says \(record.paused)") }
        if Int(record.delayed) != counts.delayed { broken.append("delayed says \(record.delayed)") }
        if record.threshold != threshold(of: group) { broken.append("the threshold is wrong") }
        if (record.hold == nil) != (record.holder == nil) { broken.append("the hold and its flow disagree") }
        if record.hold != nil, record.active != nil {
            broken.append("a popup is shown while a flow holds the slot")
        }
        if let active = record.active, !mayStay(active) { broken.append("the active popup must not be shown") }
        if let popup = popupForIdleSlot(of: group) {
            broken.append("\(string(store[popups[popup].id])) could be shown and is not")
        }
        return broken
    }

    /// Returns the eligible popup that waits although the slot is free, no gap runs and no flow holds the slot; `nil` if
    /// there is none, which is always so between steps. A gap does not delay a paused popup.
    func popupForIdleSlot(of group: GroupRecord.Index) -> PopupRecord.Index? {
        guard groups[group].active == nil else { return nil }
        guard let popup = firstForSlot(of: group), groups[group].gap == nil || popups[popup].isPaused else {
            return nil
        }
        return popup
    }

    private func timersSet(for popup: PopupRecord.Index) -> Int {
        let retry = popups[popup].relations.flatMap { popups.relations[$0].retry } == nil ? 0 : 1
        let expiry = popups[popup].expiry == nil ? 0 : 1
        switch popups[popup].phase {
        case .delayed(let timer), .offered(let timer), .active(_, let timer):
            return expiry + retry + (timer == nil ? 0 : 1)
        case .arriving, .waiting, .paused: return expiry + retry
        }
    }

    // MARK: - Consistency between tables

    /// The tables divided into shares, besides that of popups.
    private static var sharedTables: [Limits.Name] {
        [.groups, .suspensions, .policies, .pageTrees, .renderers, .cappedShowings, .contentBytes]
    }

    /// Accounts count what they hold, and users what their accounts do; the account with the most ids is first, and an
    /// account that holds nothing is removed.
    mutating func brokenAccounts() -> [String] {
        var broken = accounts.brokenInvariants()
        var live = [Int32](repeating: 0, count: accounts.capacity)
        var remembered = live
        for group in groups.indices {
            for popup in acceptanceOrder(of: group) { live[popups[popup].account.number] += 1 }
        }
        popups.closed.forEach { remembered[$0.account.number] += 1 }
        let held = heldByOthers()
        for account in accounts.indices {
            let record = accounts[account]
            for table in Self.sharedTables {
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

    /// Returns what each account holds of tables and of texts, computed from the records that name their account.
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
            guard let tree = pages.index(of: name) else { continue }
            add(pages[tree].account, .pageTrees, texts: [], bytes: pages[tree].bytes)
        }
        for pattern in policies.patterns {
            guard let index = policies.index(ofPattern: pattern) else { continue }
            add(policies[account: index], .policies, texts: [])
        }
        for record in policies.suspensions.records { add(record.account, .suspensions, texts: []) }
        for (account, showings) in groups.caps.showingsByAccount {
            held[account, default: [:]][.cappedShowings] = showings
        }
        return held
    }

    /// Flows know their members, and no flow is stuck. Returns the number of flows that gather.
    func brokenFlows(_ broken: inout [String]) -> Int {
        var gathering = 0
        for flow in flows.indices {
            let record = flows[flow]
            let key = string(store[record.key])
            let members = members(of: flow)
            if record.gathering != nil { gathering += 1 }
            if members.count != Int(record.live) { broken.append("flow \(key) has \(members.count) members") }
            if members.contains(where: { popups.relations[$0].flow != flow }) {
                broken.append("flow \(key) has a member of another flow")
            }
            if record.live == 0, record.remembered == 0, groups[record.group].holder != flow {
                broken.append("flow \(key) has nothing left")
            }
            if members.count(where: { popups[popups.relations[$0].popup].holdsSlot }) > 1 {
                broken.append("flow \(key) is shown twice")
            }
            if isStuck(flow) { broken.append("flow \(key) is stuck") }
        }
        return gathering
    }

    /// Checks that popups count the reports of renderers, and that only active popups are displayed. Returns the number
    /// of leases that end without a command.
    func brokenRenderers(_ broken: inout [String]) -> Int {
        broken += renderers.brokenInvariants(store)
        for popup in popups.indices {
            guard let index = popups[popup].relations else { continue }
            broken += renderers.brokenInvariants(ofRenderings: popups.relations[index])
            if popups.relations[index].displays > 0, !popups[popup].isActive {
                broken.append("a popup is displayed that is not active")
            }
        }
        return renderers.indices.count { renderers[$0].lease != nil }
    }
}
