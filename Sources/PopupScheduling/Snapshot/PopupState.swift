// The encoding of the live popups of a group. Each encoding function is above its decoding function. See `appendState`.
extension Scheduler {
    func encodePopup(_ popup: PopupRecord.Index, _ order: StateOrder, _ encoder: inout StateEncoder) {
        let (record, rareFields) = (popups[popup], popups.rareFields(of: popup))
        encoder.add(store[record.id])
        encoder.add(collapseKey(of: popup))
        encoder.add(surface(of: popup))
        encoder.add(content(of: popup))
        encoder.add(producer(of: popup)) { encoder, producer in
            encoder.add(producer.high)
            encoder.add(producer.low)
        }
        encoder.add(order.position(ofAccount: record.account))
        encoder.add(record.priority)
        encoder.add(record.duration)
        encoder.add(rareFields.minimumDisplay)
        encoder.add(record.interruptible)
        encoder.add(record.exclusive.rawValue)
        encoder.add(rareFields.exemptUpTo)
        encoder.add(record.holdsKey)
        encodePhase(record.phase, &encoder)
        encoder.add(record.acceptance)
        encoder.add(record.rank)
        encoder.add(popups.turn(of: popup))
        encoder.add(record.agesSince)
        encoder.add(rareFields.age)
        encoder.add(record.attempt)
        encodeTimer(record.expiry, &encoder)
        encoder.add(record.used)
        encoder.add(record.clockSince == PopupRecord.stopped ? nil : record.clockSince) { $0.add($1) }
        encoder.add(record.displayed)
        encoder.add(record.sinceRevision)
        encoder.add(rareFields.early) { $0.add($1.rawValue) }
        encoder.add(rareFields.earlyFor)
        encoder.add(record.relations) { encodeRelations($1, order, &$0) }
    }

    mutating func restorePopup(
        in group: GroupRecord.Index, _ lastRendered: inout [PopupRecord.Index?], _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> PopupRecord.Index {
        let (popup, bytes) = (popups.nextIndex, store.usedBytes)
        var rareFields = RareFields()
        let record = try restoreRecord(of: popup, in: group, &rareFields, &decoder)
        guard record.acceptance > (groups[group].accepted.last.map { popups[$0].acceptance } ?? 0) else {
            throw decoder.damaged("popups are not in the order of their acceptance")
        }
        _ = popups.add(record)
        if !rareFields.isEmpty { popups.changeRareFields(of: popup) { $0 = rareFields } }
        groups[group].references += 1
        popups.append(popup, to: &groups[group].accepted)
        if record.holdsKey { try restoreKey(of: popup, decoder) }
        try place(popup, decoder)
        if try decoder.flag() { try restoreRelations(of: popup, &lastRendered, &decoder) }
        charge(record.account, since: bytes)
        if case .delayed(arrival: nil) = record.phase {
            guard let flow = flow(of: popup), flows[flow].gathering != nil else {
                throw decoder.damaged("a delayed popup has no timer")
            }
        }
        return popup
    }

    private mutating func restoreRecord(
        of popup: PopupRecord.Index, in group: GroupRecord.Index, _ rareFields: inout RareFields,
        _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> PopupRecord {
        let id = try decoder.text(atMost: Limits.nameBytes)
        let idHash = store.hash(id)
        guard findID(id, hash: idHash) == nil else { throw decoder.damaged("an id comes twice") }
        let (key, surface) = (try decoder.text(atMost: Limits.nameBytes), try decoder.text(atMost: Limits.nameBytes))
        let content = try decoder.text(atMost: Limits.largestContent)
        guard store.hasRoom(for: MemoryLayout<ProducerID>.size + key.count + surface.count + content.count) else {
            throw decoder.damaged("there are too many texts of one size")
        }
        var producer: ProducerID?
        if try decoder.flag() { producer = ProducerID(high: try decoder.number(), low: try decoder.number()) }
        let account = try restoredAccount(of: producer, &decoder)
        accounts[account].live += 1
        let (priority, duration): (Int32, UInt32) = (try decoder.signed(), try decoder.unsigned())
        rareFields.minimumDisplay = try decoder.unsigned()
        let (interruptible, exclusive): (Bool, PopupRequest.Exclusivity) = (try decoder.flag(), try decoder.word())
        rareFields.exemptUpTo = try decoder.number(atMost: policies.suspensions.latest)
        let holdsKey = try decoder.flag()
        let phase = try restorePhase(of: popup, &decoder)
        var record = PopupRecord(
            id: try keep(id, decoder), idHash: idHash, body: storeBody(producer, key, surface, content),
            keyCount: key.count, surfaceCount: surface.count, hasProducer: producer != nil,
            account: account, group: group, priority: priority, duration: duration, interruptible: interruptible,
            exclusive: exclusive,
            acceptance: try decoder.number(atMost: popups.acceptances))
        record.holdsKey = holdsKey
        record.phase = phase
        record.rank = try decoder.signed(in: -popups.pauses...Int64(popups.acceptances))
        let turn = try decoder.signed(in: 0...Int64(popups.acceptances))
        rareFields.turn = turn == Int64(record.acceptance) ? nil : turn
        record.agesSince = try restoredTime(&decoder)
        rareFields.age = try decoder.signed(in: 0...Self.lastTime)
        record.attempt = UInt32(truncatingIfNeeded: try decoder.number(atMost: UInt64(UInt16.max)))
        record.expiry = try restoreTimer(.expiry(popup), &decoder)
        record.used = try decoder.signed(in: 0...Self.lastTime)
        if try decoder.flag() {
            let since = try restoredTime(&decoder)
            guard record.isActive else { throw decoder.damaged("the clock of an inactive popup runs") }
            record.clockSince = since
        }
        record.displayed = try decoder.signed(in: 0...Self.lastTime)
        record.sinceRevision = try decoder.number(atMost: groups[group].revision)
        if try decoder.flag() { rareFields.early = try decoder.word() }
        rareFields.earlyFor = try decoder.number(atMost: groups.activations)
        return record
    }

    private func encodePhase(_ phase: PopupRecord.Phase, _ encoder: inout StateEncoder) {
        switch phase {
        case .delayed(let timer):
            encoder.add(Phase.delayed.rawValue)
            encodeTimer(timer, &encoder)
        case .arriving, .waiting:
            encoder.add(Phase.waiting.rawValue)
        case .offered(let timer):
            encoder.add(Phase.offered.rawValue)
            encodeTimer(timer, &encoder)
        case .active(let since, let timer):
            encoder.add(Phase.active.rawValue)
            encoder.add(since)
            encodeTimer(timer, &encoder)
        case .paused:
            encoder.add(Phase.paused.rawValue)
        }
    }

    private mutating func restorePhase(
        of popup: PopupRecord.Index, _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> PopupRecord.Phase {
        switch try decoder.word() as Phase {
        case .delayed: return .delayed(arrival: try restoreTimer(.arrival(popup), &decoder))
        case .waiting: return .waiting
        case .offered: return .offered(timer: try restoreTimer(.offer(popup), &decoder))
        case .active:
            return .active(since: try restoredTime(&decoder), timer: try restoreTimer(.display(popup), &decoder))
        case .paused: return .paused
        case .closed: throw decoder.damaged("a live popup is marked as closed")
        }
    }

    /// Adds a popup to the counts of its group, or puts it into the slot, by its phase.
    private mutating func place(_ popup: PopupRecord.Index, _ decoder: StateDecoder) throws(SnapshotError) {
        let group = popups[popup].group
        switch popups[popup].phase {
        case .arriving: break
        case .waiting: groups.count(waiting: 1, in: group)
        case .paused: groups.count(paused: 1, in: group)
        case .delayed:
            groups.count(waiting: 1, in: group)
            groups[group].delayed += 1
            registerDelay(of: popup)
        case .offered, .active:
            guard groups[group].active == nil else { throw decoder.damaged("a group shows two popups") }
            groups[group].active = popup
        }
    }

    private mutating func restoreKey(of popup: PopupRecord.Index, _ decoder: StateDecoder) throws(SnapshotError) {
        let record = popups[popup]
        popups[popup].holdsKey = false
        let key = collapseKey(of: popup)
        let others = popups.keyHolder(keyHash(key, in: record.group)) {
            popups[$0].group == record.group && collapseKey(of: $0).equals(key)
        }
        guard !key.isEmpty, others == nil, !record.isDelayed else {
            throw decoder.damaged("a popup holds a key that it cannot hold")
        }
        registerKey(of: popup)
    }

    // MARK: - Fields that only some popups have

    private func encodeRelations(_ index: RelationFields.Index, _ order: StateOrder, _ encoder: inout StateEncoder) {
        let record = popups.relations[index]
        encodeMembership(record, order, &encoder)
        encoder.add(order.position(ofTree: record.tree)) { encoder, tree in
            encoder.add(tree)
            encoder.add(store[record.page])
            encoder.add(record.scope.rawValue)
        }
        encoder.add(store[record.session])
        encoder.add(store[record.capKey])
        encoder.add(record.offer)
        encodeTimer(record.retry, &encoder)
        encoder.add(record.quorum)
        encoder.add(record.quorumAll)
        encoder.add(store[record.lastAction])
        encodeRenderings(record, order, &encoder)
    }

    private mutating func restoreRelations(
        of popup: PopupRecord.Index, _ lastRendered: inout [PopupRecord.Index?], _ decoder: inout StateDecoder
    ) throws(SnapshotError) {
        let index = popups.makeRelations(of: popup)
        try restoreMembership(of: index, &decoder)
        if try decoder.flag() {
            let tree: Int = try decoder.signed()
            guard tree >= 0, tree < pages.count else { throw decoder.damaged("a tree is missing") }
            popups.relations[index].tree = PageTree.Index(number: tree)
            popups.relations[index].page = try keep(decoder.text(atMost: Limits.nameBytes), decoder)
            popups.relations[index].scope = try decoder.word()
        }
        popups.relations[index].session = try keep(decoder.text(atMost: Limits.nameBytes), decoder)
        popups.relations[index].capKey = try keep(decoder.text(atMost: Limits.nameBytes), decoder)
        popups.relations[index].offer = try decoder.unsigned()
        popups.relations[index].retry = try restoreTimer(.retry(popup), &decoder)
        popups.relations[index].quorum = try decoder.unsigned()
        popups.relations[index].quorumAll = try decoder.flag()
        popups.relations[index].lastAction = try keep(decoder.text(atMost: Limits.nameBytes), decoder)
        try restoreRenderings(of: popup, index, &lastRendered, &decoder)
    }

    private func encodeMembership(_ record: RelationFields, _ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(order.position(ofFlow: record.flow)) { encoder, flow in
            encoder.add(flow)
            encoder.add(record.stage)
            encoder.add(record.hold)
            encoder.add(record.requirement.rawValue)
            encoder.add(store[record.required])
            encoder.add(store[record.requiredAction])
        }
    }

    private mutating func restoreMembership(
        of index: RelationFields.Index, _ decoder: inout StateDecoder
    ) throws(SnapshotError) {
        guard let flow = try restoredFlow(of: popups[popups.relations[index].popup].group, &decoder) else { return }
        popups.relations[index].stage = try decoder.unsigned()
        popups.relations[index].hold = try decoder.unsigned()
        popups.relations[index].requirement = try decoder.word()
        popups.relations[index].required = try keep(decoder.text(atMost: Limits.nameBytes), decoder)
        popups.relations[index].requiredAction = try keep(decoder.text(atMost: Limits.nameBytes), decoder)
        linkToFlow(index, flow)
    }

    private func encodeRenderings(_ record: RelationFields, _ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(renderers.renderings(of: record)) { encoder, rendering in
            encoder.add(order.position(ofRenderer: renderers[rendering].client))
            encoder.add(renderers[rendering].hasDisplayed)
            encoder.add(renderers[rendering].isVisible)
            encoder.add(renderers[rendering].hasDismissed)
        }
    }

    /// Restores the renderings of a popup, the latest first.
    private mutating func restoreRenderings(
        of popup: PopupRecord.Index, _ index: RelationFields.Index, _ lastRendered: inout [PopupRecord.Index?],
        _ decoder: inout StateDecoder
    ) throws(SnapshotError) {
        var read: [Rendering] = []
        for _ in 0..<(try decoder.count(eachAtLeast: 4)) {
            guard let client = renderers.index(at: try decoder.signed()), lastRendered[client.number] != popup else {
                throw decoder.damaged("a renderer is missing, or has two renderings of a popup")
            }
            lastRendered[client.number] = popup
            let rendering = Rendering(
                popup: popup, client: client, hasDisplayed: try decoder.flag(), isVisible: try decoder.flag(),
                hasDismissed: try decoder.flag())
            let isPossible =
                rendering.hasDisplayed ? popups[popup].isActive : rendering.hasDismissed && !rendering.isVisible
            guard isPossible else { throw decoder.damaged("a rendering contradicts the phase of its popup") }
            read.append(rendering)
        }
        guard !read.isEmpty else { return }
        for rendering in read.reversed() {
            let added = renderers.addRendering(of: &popups.relations[index], by: rendering.client)
            renderers.setDisplayed(rendering.hasDisplayed, added, on: &popups.relations[index])
            renderers.setVisible(rendering.isVisible, added, on: &popups.relations[index])
            renderers.setDismissed(rendering.hasDismissed, added, on: &popups.relations[index])
        }
    }
}
