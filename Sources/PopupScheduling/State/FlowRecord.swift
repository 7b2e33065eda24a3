/// Popups of one group with one key: remembered while one of them lives or is remembered.
struct FlowRecord: MarkedRecord {
    typealias Index = TableIndex<FlowRecord>

    var key: ByteReference
    var keyHash: UInt32
    var group: GroupRecord.Index
    /// Its live members in order of acceptance.
    var members = List<FlowMembers>()
    var live: Int32 = 0
    var remembered: Int32 = 0
    /// Its members arrive when it falls due.
    @Packed var gathering: TimerQueue.Index?
    /// Until when it keeps the slot for members to come, when none is shown.
    var heldUntil = Milliseconds.min
    var isInUse = true

    init(key: ByteReference, keyHash: UInt32, group: GroupRecord.Index) {
        self.key = key
        self.keyHash = keyHash
        self.group = group
    }
}

/// The flows by group and key.
struct FlowTable: ~Copyable {
    private var records = Slab<FlowRecord>()
    private var names: NameTable<FlowRecord.Index>

    /// An empty table that doesn't grow before it has `capacity` flows.
    init(capacity: Int = 0) {
        names = NameTable(capacity: capacity)
    }

    /// All indices are at places below it.
    var capacity: Int { records.capacity }

    /// All flows in the order of their places. O(n).
    var indices: some Sequence<FlowRecord.Index> { records.indices }

    /// Whether a flow was not forgotten since.
    func contains(_ flow: FlowRecord.Index) -> Bool { records.contains(flow) }

    /// The flow at a place, if there is one.
    func index(at number: Int) -> FlowRecord.Index? { records.index(at: number) }

    subscript(flow: FlowRecord.Index) -> FlowRecord {
        unsafeAddress { records.address(of: flow) }
        unsafeMutableAddress { records.mutableAddress(of: flow) }
    }

    /// The flow of a group with the key that `matches` knows.
    func find(_ hash: UInt32, in group: GroupRecord.Index, matches: (ByteReference) -> Bool) -> FlowRecord.Index? {
        names.find(hash) { records[$0].group == group && matches(records[$0].key) }
    }

    mutating func add(_ record: FlowRecord) -> FlowRecord.Index {
        let flow = records.insert(record)
        names.insert(flow, hash: record.keyHash)
        return flow
    }

    mutating func remove(_ flow: FlowRecord.Index) {
        names.remove(flow, hash: records[flow].keyHash)
        records.retire(flow)
    }
}

extension Scheduler {
    /// The flow of a popup, if it is in one.
    @inline(__always)
    func flow(of popup: PopupRecord.Index) -> FlowRecord.Index? {
        guard let place = popups[popup].relations else { return nil }
        return popups.relations[place].flow
    }

    func findFlow(_ key: UnsafeRawBufferPointer, in group: GroupRecord.Index) -> FlowRecord.Index? {
        flows.find(keyHash(key, in: group), in: group) { store[$0].equals(key) }
    }

    /// Makes an accepted popup a member, of a new flow if there is none with its key.
    mutating func join(_ membership: FlowMembership, _ place: RelationFields.Index, _ text: UnsafeRawBufferPointer) {
        let popup = popups.relations[place].popup
        let group = popups[popup].group
        let key = text[membership.key]
        let flow = findFlow(key, in: group) ?? makeFlow(key, in: group)
        let bytes = store.usedBytes
        linkToFlow(place, flow)
        popups.relations[place].stage = membership.stage
        popups.relations[place].hold = membership.hold
        popups.relations[place].required = store.store(text[membership.requires])
        popups.relations[place].requiredAction = store.store(text[membership.requiredAction])
        charge(popups[popup].account, since: bytes)
        popups.relations[place].requirement = requirement(of: place)
    }

    /// Makes a popup the youngest member of a flow.
    mutating func linkToFlow(_ place: RelationFields.Index, _ flow: FlowRecord.Index) {
        popups.relations[place].flow = flow
        popups.relations.append(place, to: &flows[flow].members)
        flows[flow].live += 1
    }

    /// Takes a live popup out of its flow.
    mutating func leaveFlow(_ place: RelationFields.Index) {
        guard let flow = popups.relations[place].flow else { return }
        popups.relations.remove(place, from: &flows[flow].members)
        flows[flow].live -= 1
        popups.relations[place].flow = nil
        forgetFlowIfEmpty(flow)
    }

    /// Forgets a flow of which nothing lives, and nothing is remembered.
    mutating func forgetFlowIfEmpty(_ flow: FlowRecord.Index) {
        guard flows.contains(flow) else { return }
        let record = flows[flow]
        guard record.live == 0, record.remembered == 0, groups[record.group].holder != flow else {
            return
        }
        timers.cancel(record.gathering)
        let bytes = store.usedBytes
        store.release(record.key)
        charge(groups[record.group].account, since: bytes)
        flows.remove(flow)
    }

    /// The flow's live members in order of acceptance.
    func members(of flow: FlowRecord.Index) -> [RelationFields.Index] {
        popups.relations.members(of: flows[flow].members)
    }

    /// The flow's live members in the order in which they would come: by stage, then as the queue has them.
    func membersByStage(of flow: FlowRecord.Index) -> [RelationFields.Index] {
        members(of: flow).sorted { comesBefore($0, $1) }
    }

    /// Whether a member of a flow comes before another one.
    func comesBefore(_ member: RelationFields.Index, _ other: RelationFields.Index) -> Bool {
        let (mine, theirs) = (popups.relations[member].stage, popups.relations[other].stage)
        return mine != theirs
            ? mine < theirs : precedesInQueue(popups.relations[member].popup, popups.relations[other].popup)
    }

    /// A new flow. Its key is charged to whoever brought its group into use.
    private mutating func makeFlow(_ key: UnsafeRawBufferPointer, in group: GroupRecord.Index) -> FlowRecord.Index {
        let bytes = store.usedBytes
        let flow = addFlow(store.store(key), hash: keyHash(key, in: group), in: group)
        charge(groups[group].account, since: bytes)
        return flow
    }

    /// A flow with the key that is stored already.
    mutating func addFlow(_ key: ByteReference, hash: UInt32, in group: GroupRecord.Index) -> FlowRecord.Index {
        flows.add(FlowRecord(key: key, keyHash: hash, group: group))
    }

    /// What is known of a member's requirement when it is accepted.
    private func requirement(of place: RelationFields.Index) -> RelationFields.Requirement {
        let member = popups.relations[place]
        guard !member.required.isEmpty else { return .none }
        guard case .closed(let index) = findID(store[member.required]), popups.closed[index].flow == member.flow
        else { return .unknown }
        return isMet(place, by: popups.closed[index]) ? .met : .failed
    }

    /// Whether the way in which a popup closed is the one that a member requires.
    func isMet(_ place: RelationFields.Index, by closed: ClosedPopups.Record) -> Bool {
        let action = popups.relations[place].requiredAction
        guard !action.isEmpty else { return closed.reason != .unmet }
        return closed.reason == .dismissed && store[closed.detail].equals(store[action])
    }
}
