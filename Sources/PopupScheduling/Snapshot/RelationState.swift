// The encoding of the objects to which popups refer: pages, renderers, flows. Each encoding function is above its
// decoding function. See `appendState`.
extension Scheduler {
    func encodePages(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(order.trees) { encoder, name in
            guard let tree = pages.index(of: name) else { return }
            encoder.add(name)
            encodeOwner(pages[tree].account, order, &encoder)
            encoder.add(pages[tree].current?.number ?? 0)
            encoder.add(pages[tree].pages) { encoder, page in
                encoder.add(page.node)
                encoder.add(page.value)
                encoder.add(page.parent) { $0.add($1.number) }
            }
        }
    }

    mutating func restorePages(_ decoder: inout StateDecoder) throws(SnapshotError) {
        var last: [UInt8]?
        for _ in 0..<(try decoder.count(eachAtLeast: 3)) {
            let name = try decoder.array()
            guard last.map({ $0.lexicographicallyPrecedes(name) }) ?? true else {
                throw decoder.damaged("the trees are out of order")
            }
            last = name
            let account = try restoredOwner(&decoder)
            let tree = name.withUnsafeBytes { makeTree($0, of: account) }
            let current = try decoder.signed(in: 0...Int(Int32.max))
            for index in 0..<(try decoder.count(eachAtLeast: 3)) {
                let (node, value) = (try decoder.array(), try decoder.array())
                let parent: Int? = try decoder.flag() ? try decoder.signed(in: 0...Int(Int32.max)) : nil
                guard parent.map({ $0 < index }) ?? (index == 0) else {
                    throw decoder.damaged("a page comes before its parent")
                }
                let page = Page(node: node, value: value, parent: parent.map { Page.Index(number: $0) })
                pages[tree].open(page)
                store.countBytes(page.bytes)
                if let account { accounts[account].bytes += page.bytes }
            }
            guard current < max(1, pages[tree].pages.count) else {
                throw decoder.damaged("a tree's current page is missing")
            }
            if !pages[tree].pages.isEmpty { pages[tree].enter(Page.Index(number: current)) }
        }
    }

    func encodeRenderers(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(order.renderers) { encoder, client in
            encoder.add(store[renderers[client].name])
            encoder.add(store[renderers[client].patterns])
            encoder.add(renderers[client].hasLease)
            encodeTimer(renderers[client].lease, &encoder)
            encodeOwner(renderers[client].account, order, &encoder)
        }
    }

    mutating func restoreRenderers(_ decoder: inout StateDecoder) throws(SnapshotError) {
        let count = try decoder.count(eachAtLeast: 4)
        renderers = RendererTable(capacity: count)
        var last: UnsafeRawBufferPointer?
        for _ in 0..<count {
            let name = try decoder.text(atMost: Limits.nameBytes)
            guard last.map({ $0.precedes(name) }) ?? true else { throw decoder.damaged("renderers are out of order") }
            last = name
            let hash = store.hash(name)
            let bytes = store.usedBytes
            let client = renderers.add(
                RendererRecord(name: try keep(name, decoder), nameHash: hash, account: nil))
            renderers[client].patterns = try keep(decoder.text(atMost: Limits.largestContent), decoder)
            let patterns = store[renderers[client].patterns]
            store.countBytes(LeaseHolders.bytes(for: patterns))
            if try decoder.flag() { renderers.beginLease(of: client, for: patterns) }
            renderers[client].lease = try restoreTimer(.lease(client), &decoder)
            let account = try restoredOwner(&decoder)
            renderers[client].account = account
            charge(account, since: bytes)
            if let account { accounts[account].renderers += 1 }
            guard renderers[client].hasLease || renderers[client].lease == nil else {
                throw decoder.damaged("a renderer without a lease has a timer for it")
            }
        }
    }

    func encodeFlows(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(order.flows) { encoder, flow in
            let record = flows[flow]
            encoder.add(order.position(ofGroup: record.group))
            encoder.add(store[record.key])
            encodeTimer(record.gathering, &encoder)
            encoder.add(record.heldUntil == .min ? nil : record.heldUntil) { $0.add($1) }
        }
    }

    /// Restores the flows. Their groups follow later in the state, in their order.
    mutating func restoreFlows(ofGroups groupCount: Int, _ decoder: inout StateDecoder) throws(SnapshotError) {
        let count = try decoder.count(eachAtLeast: 4)
        flows = FlowTable(capacity: count)
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
}
