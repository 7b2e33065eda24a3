// What popups refer to, from bytes: see `init(restoring:limits:)`.
extension Scheduler {
    mutating func restorePages(_ decoder: inout StateDecoder) throws(SnapshotError) {
        var last: [UInt8]?
        for _ in 0..<(try decoder.count(eachAtLeast: 3)) {
            let name = try decoder.array()
            guard last.map({ $0.lexicographicallyPrecedes(name) }) ?? true else {
                throw decoder.damaged("the trees are out of order")
            }
            last = name
            let account = try restoredOwner(&decoder)
            let place = name.withUnsafeBytes { makeTree($0, of: account) }
            pages[place].current = try decoder.signed(in: 0...Int(Int32.max))
            for index in 0..<(try decoder.count(eachAtLeast: 3)) {
                let (node, value) = (try decoder.array(), try decoder.array())
                let parent: Int? = try decoder.flag() ? try decoder.signed(in: 0...Int(Int32.max)) : nil
                guard parent.map({ $0 < index }) ?? (index == 0) else {
                    throw decoder.damaged("a page comes before its parent")
                }
                let page = Page(node: node, value: value, parent: parent)
                pages[place].pages.append(page)
                store.countBytes(page.bytes)
                if let account { accounts[account].bytes += page.bytes }
            }
            guard pages[place].current < max(1, pages[place].pages.count) else {
                throw decoder.damaged("a tree's current page is missing")
            }
            pages[place].noteCurrentPath()
        }
    }

    mutating func restoreClients(_ decoder: inout StateDecoder) throws(SnapshotError) {
        let count = try decoder.count(eachAtLeast: 4)
        clients.names = NameTable(capacity: count)
        var last: UnsafeRawBufferPointer?
        for _ in 0..<count {
            let name = try decoder.text(atMost: Limits.nameBytes)
            guard last.map({ $0.precedes(name) }) ?? true else { throw decoder.damaged("renderers are out of order") }
            last = name
            let hash = name.hash(seed: hashSeed)
            let bytes = store.usedBytes
            let client = clients.records.insert(
                ClientRecord(name: try keep(name, decoder), nameHash: hash, account: nil))
            clients.records[client].patterns = try keep(decoder.text(atMost: Limits.largestContent), decoder)
            clients.records[client].hasLease = try decoder.flag()
            clients.records[client].lease = try restoreTimer(.lease(client), &decoder)
            let account = try restoredOwner(&decoder)
            clients.records[client].account = account
            charge(account, since: bytes)
            if let account { accounts[account].clients += 1 }
            guard clients.records[client].hasLease || clients.records[client].lease == nil else {
                throw decoder.damaged("a lease ends that a renderer has not")
            }
            clients.names.insert(client, hash: hash)
        }
    }

    /// The flows, whose groups will follow in their order.
    mutating func restoreFlows(ofGroups groupCount: Int, _ decoder: inout StateDecoder) throws(SnapshotError) {
        let count = try decoder.count(eachAtLeast: 4)
        flowNames = NameTable(capacity: count)
        for _ in 0..<count {
            let number: Int = try decoder.signed()
            guard number >= 0, number < groupCount else { throw decoder.damaged("a flow's group is missing") }
            let group = GroupRecord.Index(number: number)
            let key = try decoder.text(atMost: Limits.nameBytes)
            if let former = flows.index(at: flows.capacity - 1) {
                let isBehind =
                    flows[former].group == group
                    ? store[flows[former].key].precedes(key) : flows[former].group.number < number
                guard isBehind else { throw decoder.damaged("the flows are out of order") }
            }
            let flow = addFlow(try keep(key, decoder), hash: keyHash(key, in: group), in: group)
            flows[flow].gathering = try restoreTimer(.gathering(flow), &decoder)
            if try decoder.flag() { flows[flow].heldUntil = try decoder.signed(in: 0...Self.lastTime) }
        }
    }

    /// Lets the trees know the popups that are bound to them, in the order of their acceptance.
    mutating func linkBoundPopups() {
        guard pages.count > 0 else { return }
        var bound = relations.indicesOfAll.filter { relations[$0].tree != nil }
        bound.sort { popups[relations[$0].popup].acceptance < popups[relations[$1].popup].acceptance }
        for place in bound {
            if let tree = relations[place].tree { link(place, to: tree) }
        }
    }

    /// Whether all that lives by what refers to it is referred to.
    var relationsHold: Bool {
        accounts.indices.allSatisfy { $0 == Accounts.shared || !accounts[$0].isEmpty }
            && pages.names.allSatisfy { name in
                guard let place = pages.place(of: name) else { return false }
                return !pages[place].pages.isEmpty || !pages[place].bound.isEmpty
            }
            && clients.records.indices.allSatisfy { client in
                clients.records[client].hasLease || !clients.records[client].notes.isEmpty
            }
            && flows.indices.allSatisfy { flow in
                flows[flow].live > 0 || flows[flow].remembered > 0 || groups[flows[flow].group].holder == flow
            }
    }
}
