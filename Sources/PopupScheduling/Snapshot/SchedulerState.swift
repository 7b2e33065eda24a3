// The encoding of the whole state that determines the scheduler's future: two schedulers with the same bytes produce
// the same events from then on. The bytes do not depend on the order of a hash table or on the position of a record in
// its table. Tables that follow from other data are left out.
//
//     version ─ numbers ─ users, accounts ─ policies ─ suspensions ─ pages ─ renderers ─ flows ─ groups with their popups ─ idle groups
//     ─ closed popups
//
// A record refers to others by their position in these lists, mostly to earlier ones. Each record is encoded and
// decoded in one file.
//
// No input makes the decoder trap, and a state that it accepts is safe to work with. Numbers are so far below the
// maximum of their type that no addition overflows. Invariants on which the rules depend are checked, for example that
// a popup is active while a timer protects it. Whether popups are where the rules would have put them is not checked:
// checksums are for that.
extension Scheduler {
    /// The version of the format, which is the first number of the bytes.
    public static let stateVersion: UInt64 = 8

    /// Appends the whole state. O(n) in the size of the state, plus O(g log g) in the number of groups that are new
    /// since the order of groups was last computed.
    ///
    /// Unfinished work of the last step is completed first, without its events: a state is between two commands, never
    /// within one.
    public mutating func appendState(to bytes: inout [UInt8]) {
        var untold = EventBuffer()
        while hasWork { _ = step(until: now, into: &untold) }
        let order = StateOrder(of: &self)
        bytes.reserveCapacity(bytes.count + stateBytes)
        var encoder = StateEncoder(appendingTo: &bytes)
        encoder.add(Self.stateVersion)
        encodeNumbers(&encoder)
        encodeAccounts(order, &encoder)
        encodePolicies(order, &encoder)
        encodeSuspensions(order, &encoder)
        encodePages(order, &encoder)
        encodeRenderers(order, &encoder)
        encodeFlows(order, &encoder)
        encodeGroups(order, &encoder)
        encodeIdleGroups(order, &encoder)
        popups.closed.forEach { encodeClosed($0, order, &encoder) }
        encoder.finish(&bytes)
    }

    /// Creates a scheduler from the bytes of `appendState`. The same commands and times result in the same events, and
    /// `appendState` in the same bytes. O(n) in the size of the state, plus O(n log n) in the number of popups that
    /// wait in one group.
    ///
    /// `limits` may be lower than the sizes of the tables: existing entries are kept, and only new ones are refused.
    /// The indices of groups change.
    ///
    /// - Throws: ``SnapshotError`` if the bytes are damaged, or of another version.
    public init(restoring state: RawSpan, limits: Limits) throws(SnapshotError) {
        self.init(limits: limits)
        try state.withUnsafeBytes { (bytes) throws(SnapshotError) in
            var decoder = StateDecoder(bytes)
            try restore(&decoder)
        }
    }

    private mutating func restore(_ decoder: inout StateDecoder) throws(SnapshotError) {
        let version = try decoder.number()
        guard 1...Self.stateVersion ~= version else { throw .version(version) }
        decoder.version = version
        let counts = try restoreNumbers(&decoder)
        try restoreAccounts(&decoder)
        try restorePolicies(&decoder)
        try restoreSuspensions(&decoder)
        try restorePages(&decoder)
        try restoreRenderers(&decoder)
        try restoreFlows(ofGroups: counts.groups, &decoder)
        try restoreGroups(counts.groups, &decoder)
        try restoreIdleGroups(&decoder)
        for _ in 0..<counts.closed { try restoreClosed(&decoder) }
        try checkGroupsInUse(decoder)
        linkBoundPopups()
        restoreEarlyAttempts()
        if version < 5 { adoptRules() }
        policies.quietWindowsStopped = policies.patterns.contains {
            policies.index(ofPattern: $0).map(policies.hasStopped) ?? false
        }
        timers.arrange()
        guard decoder.left == 0 else { throw decoder.damaged("more bytes follow its end") }
        guard (timers.count, popups.count, popups.keyCount) == (counts.timers, counts.popups, counts.keys) else {
            throw decoder.damaged("its numbers of popups, keys or timers are wrong")
        }
        guard relationsHold else {
            throw decoder.damaged("nothing refers to an account, tree, renderer or flow")
        }
        for group in groups.indices {
            if let active = groups[group].active, !mayStay(active) {
                throw decoder.damaged("a group shows a popup that must not be shown")
            }
            if popupForIdleSlot(of: group) != nil {
                throw decoder.damaged("a group shows no popup, although one may be shown")
            }
        }
    }

    /// The approximate size of the state in bytes, which is reserved to avoid copies.
    private var stateBytes: Int {
        store.usedBytes + 96 * popups.count + 48 * groups.count + 24 * popups.closed.count
    }

    private func encodeNumbers(_ encoder: inout StateEncoder) {
        encoder.add(now)
        encoder.add(store.hashSeed)
        encoder.add(policies.gaps.state)
        encoder.add(popups.acceptances)
        encoder.add(popups.pauses)
        encoder.add(groups.activations)
        encoder.add(groups.forgottenRevision)
        encoder.add(policies.suspensions.latest)
        encoder.add(timers.settings)
        for count in [timers.count, groups.count, popups.count, popups.keyCount, popups.closed.count] {
            encoder.add(UInt64(count))
        }
    }

    private mutating func restoreNumbers(
        _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> (timers: Int, groups: Int, popups: Int, keys: Int, closed: Int) {
        clock = Clock(now: try decoder.signed(in: 0...Self.lastTime))
        store = ByteStore(hashSeed: try decoder.number())
        let gaps = Generator(seed: try decoder.number())
        let acceptances = try decoder.number(atMost: Self.lastNumber)
        let pauses: Int64 = try decoder.signed(in: 0...Int64(Self.lastNumber))
        let activations = try decoder.number(atMost: Self.lastNumber)
        let forgottenRevision = try decoder.number(atMost: Self.lastNumber)
        let suspensions = SuspensionTable(latest: try decoder.number(atMost: Self.lastNumber))
        policies = PolicyTable(suspensions: suspensions, gaps: gaps)
        let settings = try decoder.number(atMost: Self.lastNumber)
        if decoder.version < 7 {
            // The time of the next search for showings that left the windows of their caps.
            _ = try decoder.signed(in: 0...Self.lastTime) as Milliseconds
        }
        let counts = (
            timers: try decoder.count(eachAtLeast: 2), groups: try decoder.count(eachAtLeast: 15),
            popups: try decoder.count(eachAtLeast: 27), keys: try decoder.count(eachAtLeast: 27),
            closed: try decoder.count(eachAtLeast: 7)
        )
        timers = TimerQueue(settings: settings)
        groups = GroupTable(
            capacity: counts.groups, seed: store.hashSeed, forgottenRevision: forgottenRevision,
            activations: activations)
        popups = PopupTable(
            idCapacity: counts.popups + counts.closed, keyCapacity: counts.keys, acceptances: acceptances,
            pauses: pauses)
        return counts
    }

    /// The latest time in ms that a state may contain, so that adding any duration does not overflow.
    static var lastTime: Milliseconds { 1 << 60 }

    /// The highest count that a state may contain, so that counting further does not overflow.
    static var lastNumber: UInt64 { 1 << 60 }

    // MARK: - Data that follows from the restored records

    /// Applies the current rules to a state of a version before 5: a hold that a member has ended is cleared, and
    /// paused popups age from now on.
    private mutating func adoptRules() {
        for flow in flows.indices where groups[flows[flow].group].holder != flow { flows[flow].heldUntil = .min }
        for popup in popups.indices where popups[popup].isPaused {
            dequeue(popup)
            ageFromPause(popup)
            enqueue(popup)
        }
    }

    /// Checks that exactly the groups that hold something are marked as held.
    private mutating func checkGroupsInUse(_ decoder: StateDecoder) throws(SnapshotError) {
        for group in groups.indices where groups[group].isIdle == groups[group].isHeld {
            guard decoder.version < 3 else { throw decoder.damaged("a group is wrongly marked as in use or idle") }
            bringIntoUse(group, by: nil)
        }
        for flow in flows.indices {
            if let account = groups[flows[flow].group].account {
                accounts[account].bytes += ByteStore.blockBytes(for: Int(flows[flow].key.count))
            }
        }
    }

    /// Lists the popups that tried to take the slot during the minimum display time of the active popup.
    private mutating func restoreEarlyAttempts() {
        for group in groups.indices where groups[group].minimumDisplay != nil {
            let activation = groups[group].activation
            let marked = groups.queued(in: group, popups).filter { isMarked($0, for: activation) }
            if !marked.isEmpty { earlyAttempts.set(marked, in: group) }
        }
    }

    /// Links the popups to the trees to which they are bound, in order of acceptance.
    private mutating func linkBoundPopups() {
        guard pages.count > 0 else { return }
        var bound = popups.relations.indicesOfAll.filter { popups.relations[$0].tree != nil }
        bound.sort { popups[popups.relations[$0].popup].acceptance < popups[popups.relations[$1].popup].acceptance }
        for index in bound {
            if let tree = popups.relations[index].tree { link(index, to: tree) }
        }
    }

    /// Whether every object that exists only while others refer to it has such a reference.
    private var relationsHold: Bool {
        accounts.indices.allSatisfy { $0 == Accounts.shared || !accounts[$0].isEmpty }
            && pages.names.allSatisfy { name in
                guard let tree = pages.index(of: name) else { return false }
                return !pages[tree].pages.isEmpty || !pages[tree].bound.isEmpty
            }
            && renderers.indices.allSatisfy { !renderers[$0].isIdle }
            && flows.indices.allSatisfy { flow in
                flows[flow].live > 0 || flows[flow].remembered > 0 || groups[flows[flow].group].holder == flow
            }
    }
}
