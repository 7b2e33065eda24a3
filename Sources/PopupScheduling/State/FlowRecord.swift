/// Popups of one group with one key: remembered while one of them lives or is remembered.
struct FlowRecord: BitwiseCopyable {
    var key: ByteReference
    var keyHash: UInt32
    var group: Int32
    /// Its live members in order of acceptance.
    var oldest = nobody
    var youngest = nobody
    var live: Int32 = 0
    var remembered: Int32 = 0
    /// Its members arrive when it falls due.
    var gathering = nobody
    /// Until when it keeps the slot for members to come, when none is shown.
    var heldUntil = Milliseconds.min
    var isInUse = true
}

extension Scheduler {
    /// The flow of a popup, or `nobody`.
    @inline(__always)
    func flow(of popup: Int32) -> Int32 {
        let place = popups[popup].relations
        return place == nobody ? nobody : relations[place].flow
    }

    func findFlow(_ key: UnsafeRawBufferPointer, in group: Int32) -> Int32? {
        flowNames.find(keyHash(key, in: group)) { flows[$0].group == group && store[flows[$0].key].equals(key) }
    }

    /// Makes an accepted popup a member, of a new flow if there is none with its key.
    mutating func join(_ membership: FlowMembership, _ popup: Int32, _ text: UnsafeRawBufferPointer) {
        let group = popups[popup].group
        let place = popups[popup].relations
        let key = text[membership.key]
        let flow = findFlow(key, in: group) ?? makeFlow(key, in: group)
        let bytes = store.usedBytes
        linkToFlow(popup, flow)
        relations[place].stage = membership.stage
        relations[place].hold = membership.hold
        relations[place].required = store.store(text[membership.requires])
        relations[place].requiredAction = store.store(text[membership.requiredAction])
        charge(popups[popup].account, since: bytes)
        relations[place].requirement = requirement(of: place)
    }

    /// Makes a popup the youngest member of a flow.
    mutating func linkToFlow(_ popup: Int32, _ flow: Int32) {
        let place = popups[popup].relations
        let youngest = flows[flow].youngest
        relations[place].flow = flow
        relations[place].olderMember = youngest
        if youngest == nobody {
            flows[flow].oldest = popup
        } else {
            relations[popups[youngest].relations].youngerMember = popup
        }
        flows[flow].youngest = popup
        flows[flow].live += 1
    }

    /// Takes a live popup out of its flow.
    mutating func leaveFlow(_ popup: Int32) {
        let place = popups[popup].relations
        let flow = relations[place].flow
        guard flow != nobody else { return }
        let (older, younger) = (relations[place].olderMember, relations[place].youngerMember)
        if older == nobody {
            flows[flow].oldest = younger
        } else {
            relations[popups[older].relations].youngerMember = younger
        }
        if younger == nobody {
            flows[flow].youngest = older
        } else {
            relations[popups[younger].relations].olderMember = older
        }
        flows[flow].live -= 1
        relations[place].flow = nobody
        forgetFlowIfEmpty(flow)
    }

    /// Forgets a flow of which nothing lives, and nothing is remembered.
    mutating func forgetFlowIfEmpty(_ flow: Int32) {
        let record = flows[flow]
        guard record.isInUse, record.live == 0, record.remembered == 0, groups[record.group].holder != flow else {
            return
        }
        timers.cancel(record.gathering)
        flowNames.remove(flow, hash: record.keyHash)
        let bytes = store.usedBytes
        store.release(record.key)
        charge(groups[record.group].account, since: bytes)
        flows[flow].isInUse = false
        flows.remove(flow)
    }

    /// The flow's live members in order of acceptance.
    func members(of flow: Int32) -> [Int32] {
        var members: [Int32] = []
        var member = flows[flow].oldest
        while member != nobody {
            members.append(member)
            member = relations[popups[member].relations].youngerMember
        }
        return members
    }

    /// The flow's live members in the order in which they would come: by stage, then as the queue has them.
    func membersByStage(of flow: Int32) -> [Int32] {
        members(of: flow).sorted { comesBefore($0, $1) }
    }

    /// Whether a member of a flow comes before another one.
    func comesBefore(_ member: Int32, _ other: Int32) -> Bool {
        let mine = relations[popups[member].relations].stage
        let theirs = relations[popups[other].relations].stage
        return mine != theirs ? mine < theirs : precedesInQueue(member, other)
    }

    /// A new flow. Its key is charged to whoever brought its group into use.
    private mutating func makeFlow(_ key: UnsafeRawBufferPointer, in group: Int32) -> Int32 {
        let bytes = store.usedBytes
        let flow = addFlow(store.store(key), hash: keyHash(key, in: group), in: group)
        charge(groups[group].account, since: bytes)
        return flow
    }

    /// A flow with the key that is stored already.
    mutating func addFlow(_ key: ByteReference, hash: UInt32, in group: Int32) -> Int32 {
        let flow = flows.insert(FlowRecord(key: key, keyHash: hash, group: group))
        flowNames.insert(flow, hash: hash)
        return flow
    }

    /// What is known of a member's requirement when it is accepted.
    private func requirement(of place: Int32) -> RelationFields.Requirement {
        let member = relations[place]
        guard !member.required.isEmpty else { return .none }
        guard let index = findID(store[member.required]), ClosedPopups.isHandle(index),
            closedPopups[index].flow == member.flow
        else { return .unknown }
        return isMet(place, by: closedPopups[index]) ? .met : .failed
    }

    /// Whether the way in which a popup closed is the one that a member requires.
    func isMet(_ place: Int32, by closed: ClosedPopups.Record) -> Bool {
        let action = relations[place].requiredAction
        guard !action.isEmpty else { return closed.reason != .unmet }
        return closed.reason == .dismissed && store[closed.detail].equals(store[action])
    }
}
