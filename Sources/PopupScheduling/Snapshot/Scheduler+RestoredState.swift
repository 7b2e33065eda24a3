// The other direction of `appendState`: what it writes is read in the same order, a file each for what has a file
// there. Tables, queues, counts and links follow from what is read.
//
// No bytes whatever make it trap, and what it accepts can be worked with: numbers stay so far below the largest of
// their type that no addition overflows, and what the rules rely on, such as that a popup is active where a timer
// protects it, is checked. Whether popups stand where the rules would have put them is not: for that there are
// checksums.
extension Scheduler {
    /// The scheduler whose state `appendState` wrote. The same commands and times give the same events from here on,
    /// and `appendState` the same bytes. O(n) in all that there is, and O(n log n) in the popups that wait in one
    /// group.
    ///
    /// `limits` may be lower than what is there: all of it is taken, and only newcomers are refused. The indices of
    /// groups are others than they were.
    ///
    /// - Throws: ``SnapshotError`` when the bytes are no state: they are damaged, or of another version.
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
        try restoreClients(&decoder)
        try restoreFlows(ofGroups: counts.groups, &decoder)
        try restoreGroups(counts.groups, &decoder)
        try restoreIdleGroups(&decoder)
        for _ in 0..<counts.closed { try restoreClosed(&decoder) }
        try checkGroupsInUse(decoder)
        linkBoundPopups()
        quietHoursRest = policies.patterns.contains { policies.place(ofPattern: $0).map(policies.rests) ?? false }
        timers.arrange()
        guard decoder.left == 0 else { throw decoder.damaged("something follows it") }
        guard (timers.count, popups.count, keys.count) == (counts.timers, counts.popups, counts.keys) else {
            throw decoder.damaged("it has another number of popups, keys or timers than it says")
        }
        guard relationsHold else {
            throw decoder.damaged("an account, a tree, a renderer or a flow is there for nothing")
        }
    }

    /// In ms: no time of a state is later, so that any of the scheduler's times may be added to it.
    static var lastTime: Milliseconds { 1 << 60 }

    /// No count of a state is higher, so that it can go on counting.
    static var lastNumber: UInt64 { 1 << 60 }

    private mutating func restoreNumbers(
        _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> (timers: Int, groups: Int, popups: Int, keys: Int, closed: Int) {
        now = try decoder.signed(in: 0...Self.lastTime)
        hashSeed = try decoder.number()
        generator = Generator(seed: try decoder.number())
        acceptances = try decoder.number(atMost: Self.lastNumber)
        pauses = try decoder.signed(in: 0...Int64(Self.lastNumber))
        activations = try decoder.number(atMost: Self.lastNumber)
        forgottenRevision = try decoder.number(atMost: Self.lastNumber)
        suspensions = SuspensionTable(latest: try decoder.number(atMost: Self.lastNumber))
        let settings = try decoder.number(atMost: Self.lastNumber)
        nextForgettingOfShowings = try decoder.signed(in: 0...Self.lastTime)
        let counts = (
            timers: try decoder.count(eachAtLeast: 2), groups: try decoder.count(eachAtLeast: 15),
            popups: try decoder.count(eachAtLeast: 27), keys: try decoder.count(eachAtLeast: 27),
            closed: try decoder.count(eachAtLeast: 7)
        )
        timers = TimerQueue(settings: settings)
        groupNames = NameTable(capacity: counts.groups)
        ids = NameTable(capacity: counts.popups + counts.closed)
        keys = NameTable(capacity: counts.keys)
        return counts
    }

    private mutating func restoreAccounts(_ decoder: inout StateDecoder) throws(SnapshotError) {
        guard decoder.version > 1 else {
            attended = now
            return
        }
        attended = try restoredTime(&decoder)
        if try decoder.flag() { forgottenEarly = try restoredTime(&decoder) }
        for _ in 0..<min(Accounts.most, try decoder.count(eachAtLeast: 2)) {
            guard let former = accounts.index(at: accounts.capacity - 1) else { return }
            let name = ProducerID(high: try decoder.number(), low: try decoder.number())
            let account = accounts.findOrMake(name, seed: hashSeed, limit: Accounts.most)
            guard account.number == former.number + 1, accounts.precedes(former, account) else {
                throw decoder.damaged("the accounts are out of order")
            }
        }
    }

    private mutating func restoreSuspensions(_ decoder: inout StateDecoder) throws(SnapshotError) {
        var tokens: Set<[UInt8]> = []
        for _ in 0..<(try decoder.count(eachAtLeast: 4)) {
            var record = SuspensionTable.Record(
                token: try decoder.array(), pattern: try decoder.array(), threshold: try decoder.signed(),
                number: try decoder.number(atMost: suspensions.latest))
            record.account = try restoredOwner(&decoder)
            if let account = record.account { accounts[account].tokens += 1 }
            guard tokens.insert(record.token).inserted else { throw decoder.damaged("a token comes twice") }
            suspensions.restore(record)
        }
    }

    private mutating func restoreIdleGroups(_ decoder: inout StateDecoder) throws(SnapshotError) {
        for _ in 0..<(try decoder.count(eachAtLeast: 1)) {
            let group = try restoredGroup(&decoder)
            guard !groups[group].isListedAsIdle else { throw decoder.damaged("a group is idle twice") }
            groups[group].isListedAsIdle = true
            idleGroups.append(group)
        }
    }

    /// A group that holds something counts as such.
    private mutating func checkGroupsInUse(_ decoder: StateDecoder) throws(SnapshotError) {
        for group in groups.indices where groups[group].isIdle == groups[group].isHeld {
            guard decoder.version < 3 else { throw decoder.damaged("what a group holds and whose it is disagree") }
            bringIntoUse(group, by: nil)
        }
        for flow in flows.indices {
            if let account = groups[flows[flow].group].account {
                accounts[account].bytes += ByteStore.blockBytes(for: Int(flows[flow].key.count))
            }
        }
    }

    private mutating func restoreClosed(_ decoder: inout StateDecoder) throws(SnapshotError) {
        let id = try decoder.text(atMost: Limits.nameBytes)
        let idHash = id.hash(seed: hashSeed)
        guard findID(id, hash: idHash) == nil else { throw decoder.damaged("an id comes twice") }
        let account = try restoredAccount(of: nil, &decoder)
        let group = try restoredGroup(&decoder)
        let bytes = store.usedBytes
        let record = ClosedPopups.Record(
            id: try keep(id, decoder), idHash: idHash, account: account, group: group,
            flow: try restoredFlow(of: group, &decoder), reason: try decoder.word(),
            detail: try keep(decoder.text(atMost: Limits.nameBytes), decoder),
            at: try restoredTime(&decoder), displayed: try decoder.signed(in: 0...Self.lastTime))
        ids.insert(.closed(closedPopups.append(record, &accounts[account].closed)), hash: idHash)
        charge(account, since: bytes)
        accounts.countRemembered(of: account)
        groups[group].references += 1
        if let flow = record.flow { flows[flow].remembered += 1 }
    }

    // MARK: - What many have

    /// Stores a text, if its size has room.
    mutating func keep(
        _ text: UnsafeRawBufferPointer, _ decoder: StateDecoder
    ) throws(SnapshotError) -> ByteReference {
        guard store.hasRoom(for: text.count) else { throw decoder.damaged("there are too many texts of one size") }
        return store.store(text)
    }

    /// A time that is past.
    func restoredTime(_ decoder: inout StateDecoder) throws(SnapshotError) -> Milliseconds {
        try decoder.signed(in: 0...now)
    }

    /// A group, all of which were read before.
    private func restoredGroup(_ decoder: inout StateDecoder) throws(SnapshotError) -> GroupRecord.Index {
        guard let group = groups.index(at: try decoder.signed()) else { throw decoder.damaged("a group is missing") }
        return group
    }

    /// The account of a popup; in version 1 that of its producer, if that is known.
    mutating func restoredAccount(
        of producer: ProducerID?, _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> AccountRecord.Index {
        guard decoder.version > 1 else {
            return accounts.findOrMake(producer, seed: hashSeed, limit: limits.accounts)
        }
        return try restoredAccount(&decoder)
    }

    /// The account to which something belongs; what older versions wrote says it of popups and ids alone.
    func restoredOwner(_ decoder: inout StateDecoder) throws(SnapshotError) -> AccountRecord.Index? {
        guard decoder.version > 2, try decoder.flag() else { return nil }
        return try restoredAccount(&decoder)
    }

    /// An account, all of which were read before.
    private func restoredAccount(_ decoder: inout StateDecoder) throws(SnapshotError) -> AccountRecord.Index {
        guard let account = accounts.index(at: try decoder.signed()) else {
            throw decoder.damaged("a number is out of its range")
        }
        return account
    }

    /// A flow of a group, if one is named.
    func restoredFlow(
        of group: GroupRecord.Index, _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> FlowRecord.Index? {
        guard try decoder.flag() else { return nil }
        guard let flow = flows.index(at: try decoder.signed()), flows[flow].group == group else {
            throw decoder.damaged("a flow is missing")
        }
        return flow
    }

    /// A timer, if one is set.
    mutating func restoreTimer(
        _ task: TimerTask, _ decoder: inout StateDecoder
    ) throws(SnapshotError) -> TimerQueue.Index? {
        guard try decoder.flag() else { return nil }
        let due = try decoder.signed(in: now...Self.lastTime)
        let order = try decoder.number(atMost: timers.settings)
        return timers.restore(task, due: due, order: order)
    }
}
