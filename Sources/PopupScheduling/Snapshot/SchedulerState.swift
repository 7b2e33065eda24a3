// All that a scheduler's future depends on, as bytes: two schedulers with the same bytes give the same events from then
// on. Nothing in them depends on the order of a hash table or on where in a table a record lies; tables follow from
// names and numbers, and are left out.
//
//     version ─ numbers ─ accounts ─ policies ─ suspensions ─ pages ─ renderers ─ flows ─ groups with their popups ─ idle groups
//     ─ closed popups
//
// What one of them names stands before it, and is named by its place. A record is written and read in one file.
//
// No bytes whatever make it trap, and what it accepts can be worked with: numbers stay so far below the largest of
// their type that no addition overflows, and what the rules rely on, such as that a popup is active where a timer
// protects it, is checked. Whether popups stand where the rules would have put them is not: for that there are
// checksums.
extension Scheduler {
    /// The version of the state's format, which is the first number of its bytes.
    public static let stateVersion: UInt64 = 5

    /// Appends the whole state. O(n) in all that there is, and O(g log g) in groups that are new since it was last made.
    ///
    /// What the last step has left to do is done first, and not told: a state stands between commands, not within one.
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
        try restoreRenderers(&decoder)
        try restoreFlows(ofGroups: counts.groups, &decoder)
        try restoreGroups(counts.groups, &decoder)
        try restoreIdleGroups(&decoder)
        for _ in 0..<counts.closed { try restoreClosed(&decoder) }
        try checkGroupsInUse(decoder)
        linkBoundPopups()
        if version < 5 { adoptRules() }
        policies.quietHoursRest = policies.patterns.contains {
            policies.place(ofPattern: $0).map(policies.rests) ?? false
        }
        timers.arrange()
        guard decoder.left == 0 else { throw decoder.damaged("something follows it") }
        guard (timers.count, popups.count, popups.keyCount) == (counts.timers, counts.popups, counts.keys) else {
            throw decoder.damaged("it has another number of popups, keys or timers than it says")
        }
        guard relationsHold else {
            throw decoder.damaged("an account, a tree, a renderer or a flow is there for nothing")
        }
    }

    /// About how many bytes the state takes: so much is reserved that it needn't be moved while it grows.
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
        encoder.add(groups.caps.nextForgetting)
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
        let nextForgetting: Milliseconds = try decoder.signed(in: 0...Self.lastTime)
        let counts = (
            timers: try decoder.count(eachAtLeast: 2), groups: try decoder.count(eachAtLeast: 15),
            popups: try decoder.count(eachAtLeast: 27), keys: try decoder.count(eachAtLeast: 27),
            closed: try decoder.count(eachAtLeast: 7)
        )
        timers = TimerQueue(settings: settings)
        groups = GroupTable(
            capacity: counts.groups, seed: store.hashSeed, forgottenRevision: forgottenRevision,
            activations: activations)
        groups.caps.nextForgetting = nextForgetting
        popups = PopupTable(
            idCapacity: counts.popups + counts.closed, keyCapacity: counts.keys, acceptances: acceptances,
            pauses: pauses)
        return counts
    }

    /// In ms: no time of a state is later, so that any of the scheduler's times may be added to it.
    static var lastTime: Milliseconds { 1 << 60 }

    /// No count of a state is higher, so that it can go on counting.
    static var lastNumber: UInt64 { 1 << 60 }

    // MARK: - What follows from what was read

    /// Brings what versions before 5 wrote under today's rules: no flow keeps in mind a hold that a member has ended, and
    /// a popup that is paused ages from here on.
    private mutating func adoptRules() {
        for flow in flows.indices where groups[flows[flow].group].holder != flow { flows[flow].heldUntil = .min }
        for popup in popups.indices where popups[popup].isPaused { ageFromPause(popup) }
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

    /// Lets the trees know the popups that are bound to them, in the order of their acceptance.
    private mutating func linkBoundPopups() {
        guard pages.count > 0 else { return }
        var bound = popups.relations.indicesOfAll.filter { popups.relations[$0].tree != nil }
        bound.sort { popups[popups.relations[$0].popup].acceptance < popups[popups.relations[$1].popup].acceptance }
        for place in bound {
            if let tree = popups.relations[place].tree { link(place, to: tree) }
        }
    }

    /// Whether all that lives by what refers to it is referred to.
    private var relationsHold: Bool {
        accounts.indices.allSatisfy { $0 == Accounts.shared || !accounts[$0].isEmpty }
            && pages.names.allSatisfy { name in
                guard let place = pages.place(of: name) else { return false }
                return !pages[place].pages.isEmpty || !pages[place].bound.isEmpty
            }
            && renderers.indices.allSatisfy { !renderers[$0].isIdle }
            && flows.indices.allSatisfy { flow in
                flows[flow].live > 0 || flows[flow].remembered > 0 || groups[flows[flow].group].holder == flow
            }
    }
}
