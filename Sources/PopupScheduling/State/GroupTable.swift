/// The groups by name and in byte order of their names, with their queues, the counts of their caps, and the list of
/// idle groups.
struct GroupTable: ~Copyable {
    private var records = Slab<GroupRecord>()
    private var names: NameTable<GroupRecord.Index>
    private var order = GroupOrder()
    private var idle = IdleGroups()
    private var queues: WaitQueues
    private var candidates: CandidateTrees
    /// The counts of the groups' caps.
    var caps = CapCounts()
    /// The number of groups that hold something.
    private(set) var heldCount = 0
    /// The number of waiting popups of all groups, delayed ones included.
    private(set) var waitingCount = 0
    /// The number of paused popups of all groups.
    private(set) var pausedCount = 0
    /// The highest revision of the removed groups. New groups begin at it, so that no revision goes back.
    private(set) var forgottenRevision: UInt64
    /// The number of activations in all groups.
    private(set) var activations: UInt64

    /// Makes functions that read the table receive its address instead of a copy.
    private let pin = Pin()

    /// Creates an empty table with space for `capacity` groups. The seed determines only the shape of the queues'
    /// trees.
    init(capacity: Int = 0, seed: UInt64 = 0, forgottenRevision: UInt64 = 0, activations: UInt64 = 0) {
        queues = WaitQueues(seed: seed)
        candidates = CandidateTrees(seed: seed)
        names = NameTable(capacity: capacity)
        self.forgottenRevision = forgottenRevision
        self.activations = activations
    }

    var count: Int { records.count }

    /// The exclusive upper bound of all positions.
    var capacity: Int { records.capacity }

    /// All groups in the order of their positions. O(n).
    var indices: some Sequence<GroupRecord.Index> { records.indices }

    /// Returns the group at a position, if there is one.
    @inline(__always)
    func index(at number: Int) -> GroupRecord.Index? { records.index(at: number) }

    subscript(group: GroupRecord.Index) -> GroupRecord {
        @inline(__always) unsafeAddress { records.address(of: group) }
        @inline(__always) unsafeMutableAddress { records.mutableAddress(of: group) }
    }

    /// Returns the address of a group's record.
    @inline(__always)
    func address(of group: GroupRecord.Index) -> UnsafePointer<GroupRecord> { records.address(of: group) }

    /// Returns the address of a group's record, for changes.
    @inline(__always)
    func mutableAddress(of group: GroupRecord.Index) -> UnsafeMutablePointer<GroupRecord> {
        records.mutableAddress(of: group)
    }

    /// Returns the group of a name with this hash.
    @inline(__always)
    func find(_ name: UnsafeRawBufferPointer, hash: UInt32, in store: borrowing ByteStore) -> GroupRecord.Index? {
        names.find(hash) { store[records[$0].name].equals(name) }
    }

    /// Lets a sparse store move the texts of the group at a position, if there is one.
    mutating func compactTexts(at position: Int, in store: inout ByteStore) {
        guard let group = records.index(at: position) else { return }
        let name = records[group].name.block
        store.compact(&records[group].name)
        if records[group].name.block != name { caps.rename(group, to: records[group].name) }
        store.compact(&records[group].session)
    }

    /// Adds a group, not yet to the order of names. Its name must be new.
    mutating func add(_ record: GroupRecord, hash: UInt32) -> GroupRecord.Index {
        let group = records.insert(record)
        names.insert(group, hash: hash)
        return group
    }

    /// Removes a group that holds nothing. Its name is still in the store.
    mutating func remove(_ group: GroupRecord.Index, hash: UInt32, in store: borrowing ByteStore) {
        forgottenRevision = max(forgottenRevision, records[group].revision)
        withOrder(store) { order, name in order.remove(group, name) }
        names.remove(group, hash: hash)
        records.retire(group)
    }

    /// Returns the number of a new activation.
    @inline(__always)
    mutating func nextActivation() -> UInt64 {
        activations += 1
        return activations
    }

    // MARK: - Use of groups

    /// Marks a group as held by an account.
    @inline(__always)
    mutating func hold(_ group: GroupRecord.Index, by account: AccountRecord.Index?) {
        assert(!records[group].isHeld, "a group is held twice")
        records[group].isHeld = true
        records[group].account = account
        heldCount += 1
    }

    /// Marks a group as holding nothing.
    mutating func release(_ group: GroupRecord.Index) {
        assert(records[group].isHeld, "a group is released that is not held")
        records[group].isHeld = false
        records[group].account = nil
        heldCount -= 1
    }

    /// Lists a group as idle. Has no effect if it is listed.
    @inline(__always)
    mutating func listAsIdle(_ group: GroupRecord.Index) {
        guard !records[group].isListedAsIdle else { return }
        records[group].isListedAsIdle = true
        idle.append(group)
    }

    /// The number of groups listed as idle. Some of them may hold something again.
    var idleCount: Int { idle.count }

    /// The groups listed as idle, in the order in which they were listed.
    var idleGroups: ArraySlice<GroupRecord.Index> { idle.waiting }

    /// Removes the first group from the list of idle ones, and returns it.
    mutating func takeIdle() -> GroupRecord.Index? {
        guard let group = idle.takeFirst() else { return nil }
        records[group].isListedAsIdle = false
        return group
    }

    // MARK: - Counts

    /// Adds to the number of waiting popups of a group.
    @inline(__always)
    mutating func count(waiting number: Int32, in group: GroupRecord.Index) {
        records[group].waiting += number
        waitingCount += Int(number)
    }

    /// Adds to the number of paused popups of a group.
    @inline(__always)
    mutating func count(paused number: Int32, in group: GroupRecord.Index) {
        records[group].paused += number
        pausedCount += Int(number)
    }

    // MARK: - Queues: levels, and trees of candidates

    /// Adds a popup to the levels of its group's queue, at the position of a priority and its rank. Returns `false` if
    /// it belongs far inside its level, and does not add it.
    mutating func enqueue(_ popup: PopupRecord.Index, priority: Int32, _ popups: inout PopupTable) -> Bool {
        queues.insert(popup, priority: priority, into: &records[popups[popup].group].queue, &popups)
    }

    /// Appends a popup to the levels of its group's queue. All others there must precede it.
    mutating func enqueueLast(_ popup: PopupRecord.Index, priority: Int32, _ popups: inout PopupTable) {
        queues.append(popup, priority: priority, to: &records[popups[popup].group].queue, &popups)
    }

    /// Adds a popup to the tree of its group's queue.
    mutating func enqueue(_ candidate: Candidate, _ popups: inout PopupTable) {
        candidates.insert(candidate, &popups)
        records[candidate.group].hasCandidates = true
    }

    /// Removes a popup from its group's queue. Has no effect if it is in none.
    mutating func dequeue(_ popup: PopupRecord.Index, _ popups: inout PopupTable) {
        if queues.remove(popup, from: &records[popups[popup].group].queue, &popups) { return }
        if let candidate = popups[popup].candidate { removeCandidate(candidate, of: popups[popup].group, &popups) }
    }

    @inline(never)
    private mutating func removeCandidate(
        _ candidate: Candidate.Index, of group: GroupRecord.Index, _ popups: inout PopupTable
    ) {
        candidates.remove(candidate, &popups)
        records[group].hasCandidates = !candidates.isEmpty(group)
    }

    /// Sets whether a popup in a tree is open.
    mutating func setOpen(_ isOpen: Bool, _ candidate: Candidate.Index) { candidates.setOpen(isOpen, candidate) }

    /// Returns the first popup on the levels of a group's queue.
    @inline(__always)
    func firstListed(in group: GroupRecord.Index) -> PopupRecord.Index? { queues.first(of: records[group].queue) }

    /// Returns the popup that follows another one on the levels of its queue.
    func nextListed(after popup: PopupRecord.Index, _ popups: borrowing PopupTable) -> PopupRecord.Index? {
        queues.next(after: popup, popups)
    }

    /// Returns the first popup of a lower level than that of another one.
    func firstListed(below popup: PopupRecord.Index, _ popups: borrowing PopupTable) -> PopupRecord.Index? {
        queues.first(below: popup, popups)
    }

    /// Returns the last popup on the levels of a group's queue for which `holds` is true.
    func lastListed(
        in group: GroupRecord.Index, _ popups: borrowing PopupTable, where holds: (PopupRecord.Index) -> Bool
    ) -> PopupRecord.Index? {
        queues.last(of: records[group].queue, popups, where: holds)
    }

    /// Returns the last waiting popup in the tree of a group's queue, at a time.
    func lastWaitingCandidate(in group: GroupRecord.Index, at time: AgingTime) -> PopupRecord.Index? {
        candidates.lastWaiting(in: group, at: time)
    }

    /// Returns a search for the open popups in the tree of a group's queue, in its order at a time, that are in these
    /// lanes and have no own priority below the threshold.
    func candidateSearch(
        in group: GroupRecord.Index, at time: AgingTime, threshold: Int64, lanes: Candidate.Lanes
    ) -> CandidateTrees.Search {
        candidates.search(in: group, at: time, threshold: threshold, lanes: lanes)
    }

    /// Returns the next popup of a search.
    func next(in search: inout CandidateTrees.Search) -> PopupRecord.Index? { search.next(in: candidates) }

    /// Calls `visit` for each popup in the tree of a group's queue. O(n).
    func forEachCandidate(in group: GroupRecord.Index, _ visit: (PopupRecord.Index) -> Void) {
        candidates.forEach(in: group, visit)
    }

    /// Returns the popups of a group's queue: those on levels in their order, then those of the tree. O(n).
    func queued(in group: GroupRecord.Index, _ popups: borrowing PopupTable) -> [PopupRecord.Index] {
        var members = queues.members(of: records[group].queue, popups)
        forEachCandidate(in: group) { members.append($0) }
        return members
    }

    #if DEBUG
        /// The number of accesses to popups in the trees of queues, for tests that count work.
        var candidateAccesses: Int { candidates.accesses }
    #endif

    /// Returns the broken invariants of the queues, whose popups should have these priorities, and be as `candidate`
    /// says where they are in trees.
    func brokenQueues(
        _ popups: borrowing PopupTable, priority: (PopupRecord.Index) -> Int32,
        candidate: (PopupRecord.Index) -> Candidate
    ) -> [String] {
        var (broken, levels, inTrees): ([String], Int, Int) = ([], 0, 0)
        for group in records.indices {
            let record = records[group]
            broken += queues.brokenInvariants(
                of: record.queue, popups, countingLevels: &levels, priority: priority)
            broken += candidates.brokenInvariants(of: group, popups, expected: candidate)
            if record.hasCandidates == candidates.isEmpty(group) { broken.append("a group and its tree disagree") }
            let members = queued(in: group, popups)
            inTrees += members.count { popups[$0].candidate != nil }
            if members.count != Int(record.waiting - record.delayed + record.paused) {
                broken.append("a queue has \(members.count) popups")
            }
            if members.contains(where: { popups[$0].group != group }) { broken.append("a queue has another's popup") }
        }
        if levels != queues.levelCount { broken.append("\(queues.levelCount) levels, \(levels) are of groups") }
        if inTrees != candidates.count { broken.append("\(candidates.count) popups in trees, \(inTrees) in queues") }
        return broken
    }

    // MARK: - The order of names

    /// Adds a new group to the order of names.
    mutating func enterInOrder(_ group: GroupRecord.Index, _ store: borrowing ByteStore) {
        withOrder(store) { order, name in order.insert(group, name) }
    }

    /// Lets new groups wait for their place in the order of names until it is needed, or until `arrangeDeferred`.
    mutating func deferArranging() {
        order.deferArranging()
    }

    /// Puts the groups that wait for it in the order of names.
    mutating func arrangeDeferred(_ store: borrowing ByteStore) {
        withOrder(store) { order, name in order.arrangeDeferred(name) }
    }

    /// Adds all groups to the order of names. They must have been added in that order.
    mutating func enterAllInOrder() {
        order = GroupOrder(ordered: records.indicesOfAll)
    }

    /// Returns all groups in byte order of their names. O(n).
    mutating func inOrder(_ store: borrowing ByteStore) -> [GroupRecord.Index] {
        withOrder(store) { order, name in order.all(name) }
    }

    /// Returns at most `limit` groups whose name begins with `prefix`. O(log n) plus the number of results, if no group
    /// is new.
    mutating func inOrder(
        withPrefix prefix: UnsafeRawBufferPointer, limit: Int, _ store: borrowing ByteStore
    ) -> [GroupRecord.Index] {
        withOrder(store) { order, name in order.groups(withPrefix: prefix, limit: limit, name) }
    }

    /// Returns the groups in byte order of their names, without duplicates.
    func inOrder(_ groups: [GroupRecord.Index], _ store: borrowing ByteStore) -> [GroupRecord.Index] {
        var once = Array(Set(groups))
        once.sort(byName: { store[records[$0].name] })
        return once
    }

    /// Returns at most `limit` groups whose name begins with `prefix` and comes after `name`. O(log n) plus the number
    /// of results, if no group is new.
    mutating func inOrder(
        withPrefix prefix: UnsafeRawBufferPointer, after name: UnsafeRawBufferPointer, limit: Int,
        _ store: borrowing ByteStore
    ) -> [GroupRecord.Index] {
        withOrder(store) { order, nameOf in order.groups(withPrefix: prefix, after: name, limit: limit, nameOf) }
    }

    /// Calls `work` with the order of names. It is moved out of the table meanwhile, since it reads the names of the
    /// groups.
    private mutating func withOrder<Result>(
        _ store: borrowing ByteStore, _ work: (inout GroupOrder, GroupOrder.Name) -> Result
    ) -> Result {
        var order = GroupOrder()
        swap(&order, &self.order)
        defer { swap(&order, &self.order) }
        return work(&order) { store[records[$0].name] }
    }

    // MARK: - Invariants

    /// Returns the broken invariants of the table.
    mutating func brokenInvariants(_ store: borrowing ByteStore) -> [String] {
        var broken: [String] = []
        var (held, listed) = (0, 0)
        for group in records.indices {
            let name = store[records[group].name]
            let text = String(decoding: name, as: UTF8.self)
            if find(name, hash: store.hash(name), in: store) != group { broken.append("group \(text) is not found") }
            if records[group].isHeld { held += 1 }
            if records[group].isListedAsIdle { listed += 1 }
            if records[group].isIdle == records[group].isHeld {
                broken.append("group \(text) is idle and in use, or neither")
            }
        }
        if names.count != records.count { broken.append("\(records.count) groups have \(names.count) names") }
        if held != heldCount { broken.append("\(heldCount) groups are in use, \(held) say so") }
        let (waiting, paused) = records.indices.reduce((0, 0)) {
            ($0.0 + Int(records[$1].waiting), $0.1 + Int(records[$1].paused))
        }
        if waiting != waitingCount { broken.append("\(waitingCount) popups wait, \(waiting) wait in groups") }
        if paused != pausedCount { broken.append("\(pausedCount) popups are paused, \(paused) are in groups") }
        if listed != idle.count { broken.append("\(idle.count) groups are listed as idle, \(listed) say so") }
        let ordered = inOrder(store)
        if ordered.count != records.count { broken.append("\(ordered.count) of \(records.count) groups are in order") }
        for (group, next) in zip(ordered, ordered.dropFirst())
        where !store[records[group].name].precedes(store[records[next].name]) {
            broken.append("group \(String(decoding: store[records[group].name], as: UTF8.self)) is out of order")
        }
        return broken
    }
}

/// The idle groups, in the order in which they became idle. They are removed when the table of groups is full.
private struct IdleGroups {
    private var queue: [GroupRecord.Index] = []
    private var taken = 0

    var count: Int { queue.count - taken }

    /// The listed groups, the one that has been idle for the longest time first.
    var waiting: ArraySlice<GroupRecord.Index> { queue[taken...] }

    mutating func append(_ group: GroupRecord.Index) {
        queue.append(group)
    }

    mutating func takeFirst() -> GroupRecord.Index? {
        guard taken < queue.count else { return nil }
        let group = queue[taken]
        taken += 1
        if taken * 2 > queue.count {
            queue.removeFirst(taken)
            taken = 0
        }
        return group
    }
}
