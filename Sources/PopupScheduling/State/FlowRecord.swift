/// A flow: the popups of one group with one flow key. It exists while a member is live or remembered.
struct FlowRecord: MarkedRecord {
    typealias Index = TableIndex<FlowRecord>

    var key: ByteReference
    var keyHash: UInt32
    var group: GroupRecord.Index
    /// Its live members in order of acceptance.
    var members = List<FlowMembers>()
    var live: Int32 = 0
    var remembered: Int32 = 0
    /// The timer at which its gathered members arrive.
    @Packed var gathering: TimerQueue.Index?
    /// The time until which it keeps the slot for further members, when no member is shown.
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

    /// Creates an empty table with space for `capacity` flows.
    init(capacity: Int = 0) {
        names = NameTable(capacity: capacity)
    }

    /// The exclusive upper bound of all positions.
    var capacity: Int { records.capacity }

    /// All flows in the order of their positions. O(n).
    var indices: some Sequence<FlowRecord.Index> { records.indices }

    /// Whether a flow still exists.
    func contains(_ flow: FlowRecord.Index) -> Bool { records.contains(flow) }

    /// Returns the flow at a position, if there is one.
    func index(at number: Int) -> FlowRecord.Index? { records.index(at: number) }

    subscript(flow: FlowRecord.Index) -> FlowRecord {
        unsafeAddress { records.address(of: flow) }
        unsafeMutableAddress { records.mutableAddress(of: flow) }
    }

    /// Returns the flow of a group whose key satisfies `matches`.
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
    /// Returns the flow of a popup, if it is in one.
    @inline(__always)
    func flow(of popup: PopupRecord.Index) -> FlowRecord.Index? {
        guard let index = popups[popup].relations else { return nil }
        return popups.relations[index].flow
    }

    func findFlow(_ key: UnsafeRawBufferPointer, in group: GroupRecord.Index) -> FlowRecord.Index? {
        flows.find(keyHash(key, in: group), in: group) { store[$0].equals(key) }
    }

    /// Adds an accepted popup to the flow with its key, which is created if needed.
    mutating func join(_ membership: FlowMembership, _ index: RelationFields.Index, _ text: UnsafeRawBufferPointer) {
        let popup = popups.relations[index].popup
        let group = popups[popup].group
        let key = text[membership.key]
        let flow = findFlow(key, in: group) ?? makeFlow(key, in: group)
        let bytes = store.usedBytes
        linkToFlow(index, flow)
        popups.relations[index].stage = membership.stage
        popups.relations[index].hold = membership.hold
        popups.relations[index].required = store.store(text[membership.requires])
        popups.relations[index].requiredAction = store.store(text[membership.requiredAction])
        charge(popups[popup].account, since: bytes)
        popups.relations[index].requirement = requirement(of: index)
    }

    /// Appends a popup to the members of a flow.
    mutating func linkToFlow(_ index: RelationFields.Index, _ flow: FlowRecord.Index) {
        popups.relations[index].flow = flow
        popups.relations.append(index, to: &flows[flow].members)
        flows[flow].live += 1
    }

    /// Removes a live popup from its flow.
    mutating func leaveFlow(_ index: RelationFields.Index) {
        guard let flow = popups.relations[index].flow else { return }
        popups.relations.remove(index, from: &flows[flow].members)
        flows[flow].live -= 1
        popups.relations[index].flow = nil
        forgetFlowIfEmpty(flow)
    }

    /// Removes a flow without live and remembered members.
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

    /// Returns the live members of a flow in order of acceptance.
    func members(of flow: FlowRecord.Index) -> [RelationFields.Index] {
        transaction.meter.count += Int(flows[flow].live)
        return popups.relations.members(of: flows[flow].members)
    }

    /// Returns the live members of a flow in the order in which they would be shown: by stage, then in the order of the
    /// queue.
    func membersByStage(of flow: FlowRecord.Index) -> [RelationFields.Index] {
        members(of: flow).sorted { comesBefore($0, $1) }
    }

    /// Whether a member of a flow precedes another one.
    func comesBefore(_ member: RelationFields.Index, _ other: RelationFields.Index) -> Bool {
        let (mine, theirs) = (popups.relations[member].stage, popups.relations[other].stage)
        return mine != theirs
            ? mine < theirs : precedesInQueue(popups.relations[member].popup, popups.relations[other].popup)
    }

    /// Creates a flow. The account that holds its group is charged for its key.
    private mutating func makeFlow(_ key: UnsafeRawBufferPointer, in group: GroupRecord.Index) -> FlowRecord.Index {
        let bytes = store.usedBytes
        let flow = addFlow(store.store(key), hash: keyHash(key, in: group), in: group)
        charge(groups[group].account, since: bytes)
        return flow
    }

    /// Creates a flow with a key that is already stored.
    mutating func addFlow(_ key: ByteReference, hash: UInt32, in group: GroupRecord.Index) -> FlowRecord.Index {
        flows.add(FlowRecord(key: key, keyHash: hash, group: group))
    }

    /// Returns what is known about a member's requirement when it is accepted.
    private func requirement(of index: RelationFields.Index) -> RelationFields.Requirement {
        let member = popups.relations[index]
        guard !member.required.isEmpty else { return .none }
        guard case .closed(let closed) = findID(store[member.required]), popups.closed[closed].flow == member.flow
        else { return .unknown }
        return isMet(index, by: popups.closed[closed]) ? .met : .failed
    }

    /// Whether a member's requirement is met by the way in which a popup closed.
    func isMet(_ index: RelationFields.Index, by closed: ClosedPopups.Record) -> Bool {
        let action = popups.relations[index].requiredAction
        guard !action.isEmpty else { return closed.reason != .unmet }
        return closed.reason == .dismissed && store[closed.detail].equals(store[action])
    }
}
