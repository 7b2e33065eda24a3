// Groups: made when something is first told of them, held by the account that brought them into use, and forgotten when
// they hold nothing and the table is full.
extension Scheduler {
    func findGroup(_ name: UnsafeRawBufferPointer) -> GroupRecord.Index? {
        findGroup(name, hash: store.hash(name))
    }

    func findGroup(_ name: UnsafeRawBufferPointer, hash: UInt32) -> GroupRecord.Index? {
        groups.find(name, hash: hash, in: store)
    }

    /// The group of a name, made if there is none; `nil` when the table is full of groups in use.
    mutating func findOrMakeGroup(_ name: UnsafeRawBufferPointer) -> GroupRecord.Index? {
        let hash = store.hash(name)
        return findGroup(name, hash: hash) ?? makeGroup(name, hash: hash)
    }

    /// A new group; `nil` when the table is full of groups in use.
    mutating func makeGroup(_ name: UnsafeRawBufferPointer, hash: UInt32) -> GroupRecord.Index? {
        if groups.count >= limits.groups, !forgetIdleGroup() { return nil }
        let group = addGroup(
            store.store(name), hash: hash, policy: policies.place(for: name), revision: groups.forgottenRevision)
        groups.enterInOrder(group, store)
        return group
    }

    /// A new group, not yet in the order of groups.
    mutating func addGroup(_ name: ByteReference, hash: UInt32, policy: PolicyTable.Index, revision: UInt64)
        -> GroupRecord.Index
    {
        let group = groups.add(GroupRecord(name: name, policy: policy, revision: revision), hash: hash)
        takePolicy(in: group)
        groups[group].threshold = threshold(of: group)
        return group
    }

    /// Notes a group that may be forgotten from now on.
    @inline(__always)
    mutating func noteIfIdle(_ group: GroupRecord.Index) {
        guard groups[group].isIdle else { return }
        if groups[group].isHeld { giveBack(group) }
        groups.listAsIdle(group)
    }

    /// Forgets a group that holds nothing. A revision never goes back: whoever comes after it under whatever name begins
    /// where it ended.
    mutating func forget(_ group: GroupRecord.Index) {
        if groups[group].isHeld { giveBack(group) }
        forgetCaps(of: group)
        let name = groups[group].name
        groups.remove(group, hash: store.hash(store[name]), in: store)
        store.release(name)
    }

    /// How many groups one command looks at for one that may be forgotten.
    private static var mostIdleAtOnce: Int { 1024 }

    /// Forgets the group that is idle for longest, if there is one. One whose caps still count showings is no such.
    mutating func forgetIdleGroup() -> Bool {
        for _ in 0..<min(groups.idleCount, Self.mostIdleAtOnce) {
            guard let group = groups.takeIdle() else { return false }
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

    // MARK: - Who brought them into use

    /// Whether so many groups are in use that some account may hold more than its share.
    @inline(__always)
    var isShortOfGroups: Bool { Share.isShort(groups.heldCount, free: limits.groups - groups.heldCount) }

    /// Why a producer may not bring a group into use, if it isn't.
    mutating func admissionError(toUsing group: GroupRecord.Index?, by producer: ProducerID?) -> Refusal? {
        if let group, groups[group].isHeld { return nil }
        return admissionError(in: .groups, used: groups.heldCount, of: limits.groups, for: producer)
    }

    /// Counts a group as that of the account that brings it into use, if it holds nothing yet.
    @inline(__always)
    mutating func bringIntoUse(_ group: GroupRecord.Index, by account: AccountRecord.Index?) {
        guard !groups[group].isHeld else { return }
        groups.hold(group, by: account)
        guard let account else { return }
        accounts[account].groups += 1
        accounts[account].bytes += ByteStore.blockBytes(for: Int(groups[group].name.count))
    }

    /// Gives a group that holds nothing any more back.
    @inline(never)
    mutating func giveBack(_ group: GroupRecord.Index) {
        let bytes = ByteStore.blockBytes(for: Int(groups[group].name.count))
        count(of: groups[group].account) {
            $0.groups -= 1
            $0.bytes -= bytes
        }
        groups.release(group)
    }

    // MARK: - Groups by name

    /// The groups of a pattern in byte order of their names.
    mutating func groups(matching text: UnsafeRawBufferPointer) -> [GroupRecord.Index] {
        switch Pattern(text) {
        case .name(let name): findGroup(name).map { [$0] } ?? []
        case .below(let prefix): orderedGroups(withPrefix: prefix)
        case .all: orderedGroups()
        }
    }

    /// All groups in byte order of their names.
    mutating func orderedGroups() -> [GroupRecord.Index] { groups.inOrder(store) }

    /// Those whose name begins with `prefix`, at most `limit`.
    mutating func orderedGroups(withPrefix prefix: UnsafeRawBufferPointer, limit: Int = .max) -> [GroupRecord.Index] {
        groups.inOrder(withPrefix: prefix, limit: limit, store)
    }
}
