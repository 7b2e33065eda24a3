/// Groups that hold nothing, the one idle for longest first: they make place when the table of groups is full.
struct IdleGroups {
    private var queue: [GroupRecord.Index] = []
    private var taken = 0

    init() {}

    var count: Int { queue.count - taken }

    /// The one idle for longest first.
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

extension Scheduler {
    func findGroup(_ name: UnsafeRawBufferPointer) -> GroupRecord.Index? {
        findGroup(name, hash: name.hash(seed: hashSeed))
    }

    func findGroup(_ name: UnsafeRawBufferPointer, hash: UInt32) -> GroupRecord.Index? {
        groupNames.find(hash) { store[groups[$0].name].equals(name) }
    }

    /// The group of a name, made if there is none; `nil` when the table is full of groups in use.
    mutating func findOrMakeGroup(_ name: UnsafeRawBufferPointer) -> GroupRecord.Index? {
        let hash = name.hash(seed: hashSeed)
        return findGroup(name, hash: hash) ?? makeGroup(name, hash: hash)
    }

    /// A new group; `nil` when the table is full of groups in use.
    mutating func makeGroup(_ name: UnsafeRawBufferPointer, hash: UInt32) -> GroupRecord.Index? {
        if groups.count >= limits.groups, !forgetIdleGroup() { return nil }
        let group = addGroup(
            store.store(name), hash: hash, policy: policies.place(for: name), revision: forgottenRevision)
        withOrder { order, name in order.insert(group, name) }
        return group
    }

    /// A new group, not yet in the order of groups.
    mutating func addGroup(_ name: ByteReference, hash: UInt32, policy: PolicyTable.Index, revision: UInt64)
        -> GroupRecord.Index
    {
        let group = groups.insert(GroupRecord(name: name, policy: policy, revision: revision))
        takePolicy(in: group)
        groups[group].threshold = threshold(of: group)
        groupNames.insert(group, hash: hash)
        return group
    }

    /// Notes a group that may be forgotten from now on.
    @inline(__always)
    mutating func noteIfIdle(_ group: GroupRecord.Index) {
        guard groups[group].isIdle else { return }
        if groups[group].isHeld { giveBack(group) }
        guard !groups[group].isListedAsIdle else { return }
        groups[group].isListedAsIdle = true
        idleGroups.append(group)
    }

    /// Forgets a group that holds nothing. A revision never goes back: whoever comes after it under whatever name begins
    /// where it ended.
    mutating func forget(_ group: GroupRecord.Index) {
        if groups[group].isHeld { giveBack(group) }
        forgottenRevision = max(forgottenRevision, groups[group].revision)
        withOrder { order, name in order.remove(group, name) }
        groupNames.remove(group, hash: store[groups[group].name].hash(seed: hashSeed))
        forgetCaps(of: group)
        store.release(groups[group].name)
        groups.retire(group)
    }

    /// How many groups one command looks at for one that may be forgotten.
    private static var mostIdleAtOnce: Int { 1024 }

    /// Forgets the group that is idle for longest, if there is one. One whose caps still count showings is no such.
    mutating func forgetIdleGroup() -> Bool {
        for _ in 0..<min(idleGroups.count, Self.mostIdleAtOnce) {
            guard let group = idleGroups.takeFirst() else { return false }
            groups[group].isListedAsIdle = false
            guard groups[group].isIdle else { continue }
            if capsCount(in: group) {
                noteIfIdle(group)
            } else {
                forget(group)
                return true
            }
        }
        return false
    }
}
