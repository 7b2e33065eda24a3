// Groups: created by the first command that needs them, counted for the account that brings them into use, and removed
// when they hold nothing and the table is full.
extension Scheduler {
    func findGroup(_ name: UnsafeRawBufferPointer) -> GroupRecord.Index? {
        findGroup(name, hash: store.hash(name))
    }

    func findGroup(_ name: UnsafeRawBufferPointer, hash: UInt32) -> GroupRecord.Index? {
        groups.find(name, hash: hash, in: store)
    }

    /// Returns the group of a name, creating it if needed; `nil` if the table is full of groups in use.
    mutating func findOrMakeGroup(_ name: UnsafeRawBufferPointer) -> GroupRecord.Index? {
        let hash = store.hash(name)
        return findGroup(name, hash: hash) ?? makeGroup(name, hash: hash)
    }

    /// Creates a group; `nil` if the table is full of groups in use.
    mutating func makeGroup(_ name: UnsafeRawBufferPointer, hash: UInt32) -> GroupRecord.Index? {
        if groups.count >= limits.groups, !forgetIdleGroup() { return nil }
        let group = addGroup(
            store.store(name), hash: hash, policy: policies.index(for: name), revision: groups.forgottenRevision)
        groups.enterInOrder(group, store)
        return group
    }

    /// Creates a group without adding it to the order of groups.
    mutating func addGroup(_ name: ByteReference, hash: UInt32, policy: PolicyTable.Index, revision: UInt64)
        -> GroupRecord.Index
    {
        let group = groups.add(GroupRecord(name: name, policy: policy, revision: revision), hash: hash)
        updatePolicyFields(of: group)
        groups[group].threshold = threshold(of: group)
        return group
    }

    /// Lists a group as idle if it holds nothing, so that it may be removed.
    @inline(__always)
    mutating func listIfIdle(_ group: GroupRecord.Index) {
        guard groups[group].isIdle else { return }
        if groups[group].isHeld { endUse(of: group) }
        groups.listAsIdle(group)
    }

    /// Removes a group that holds nothing. Revisions never go back: a new group of any name begins at the revision of
    /// the removed one.
    mutating func forget(_ group: GroupRecord.Index) {
        if groups[group].isHeld { endUse(of: group) }
        forgetCaps(of: group)
        let name = groups[group].name
        groups.remove(group, hash: store.hash(store[name]), in: store)
        store.release(name)
    }

    /// The maximum number of idle groups that one command checks.
    private static var maxIdleChecksPerCommand: Int { 1024 }

    /// Removes the group that has been idle for the longest time, except those whose caps still count showings. Returns
    /// whether there was one.
    mutating func forgetIdleGroup() -> Bool {
        for _ in 0..<min(groups.idleCount, Self.maxIdleChecksPerCommand) {
            guard let group = groups.takeIdle() else { return false }
            guard groups[group].isIdle else { continue }
            if capsCount(in: group) {
                listIfIdle(group)
            } else {
                forget(group)
                return true
            }
        }
        return false
    }

    // MARK: - Accounts of groups

    /// Whether so many groups are in use that an account may exceed its share.
    @inline(__always)
    var isShortOfGroups: Bool { Share.isShort(groups.heldCount, free: limits.groups - groups.heldCount) }

    /// Returns the refusal if a group is not in use and the producer may not bring another one into use.
    mutating func admissionError(toUsing group: GroupRecord.Index?, by producer: ProducerID?) -> Refusal? {
        if let group, groups[group].isHeld { return nil }
        return admissionError(in: .groups, used: groups.heldCount, of: limits.groups, for: producer)
    }

    /// Counts a group for the account that brings it into use, if it is not in use yet.
    @inline(__always)
    mutating func bringIntoUse(_ group: GroupRecord.Index, by account: AccountRecord.Index?) {
        guard !groups[group].isHeld else { return }
        groups.hold(group, by: account)
        guard let account else { return }
        accounts[account].groups += 1
        accounts[account].bytes += ByteStore.blockBytes(for: Int(groups[group].name.count))
    }

    /// Ends the use of a group that holds nothing any more.
    @inline(never)
    mutating func endUse(of group: GroupRecord.Index) {
        let bytes = ByteStore.blockBytes(for: Int(groups[group].name.count))
        count(of: groups[group].account) {
            $0.groups -= 1
            $0.bytes -= bytes
        }
        groups.release(group)
    }

    // MARK: - Groups by name

    /// Returns the groups of a pattern in byte order of their names.
    mutating func groups(matching text: UnsafeRawBufferPointer) -> [GroupRecord.Index] {
        switch Pattern(text) {
        case .name(let name): findGroup(name).map { [$0] } ?? []
        case .below(let prefix): orderedGroups(withPrefix: prefix)
        case .all: orderedGroups()
        }
    }

    /// Returns all groups in byte order of their names.
    mutating func orderedGroups() -> [GroupRecord.Index] { groups.inOrder(store) }

    /// Returns at most `limit` groups whose name begins with `prefix`, in byte order.
    mutating func orderedGroups(withPrefix prefix: UnsafeRawBufferPointer, limit: Int = .max) -> [GroupRecord.Index] {
        groups.inOrder(withPrefix: prefix, limit: limit, store)
    }
}
