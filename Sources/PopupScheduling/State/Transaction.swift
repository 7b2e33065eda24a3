/// What one step, a command or a due timer, has touched so far.
struct Transaction: ~Copyable {
    struct Changed: BitwiseCopyable {
        var group: Int32
        var waiting: Int32
        var paused: Int32
        var slotChanged = false
    }

    var changed = Buffer<Changed>()
    var firstEvent = 0
    /// The producer that told the command, if it named itself.
    var sender: ProducerID?
    /// The live popup that an update changed: what answers an older revision than the one after the step is stale.
    var updated = nobody
    /// Members of flows that closed, by the handles of what is remembered of them, whose dependants were not told yet.
    var outcomes = Buffer<Int32>()
    /// Flows of which something came or went, so that the rest may wait in vain.
    var unsettledFlows = Buffer<Int32>()
}

// A group's revision goes up once a step, and only if what is broadcast of it changed: the active popup, or the number
// of those waiting or paused. All events of the step carry the revision after it; they are stamped at its end.
extension Scheduler {
    @inline(__always)
    mutating func begin(at time: Milliseconds) {
        now = max(now, time)
        transaction.changed.removeAll()
        transaction.firstEvent = output.events.count
        transaction.updated = nobody
    }

    /// Notes a group before its counts or its slot change.
    @inline(__always)
    mutating func markChanged(_ group: Int32, slot: Bool = false) {
        if groups[group].changed == nobody {
            groups[group].changed = Int32(transaction.changed.count)
            transaction.changed.append(
                .init(group: group, waiting: groups[group].waiting, paused: groups[group].paused))
        }
        if slot { transaction.changed[Int(groups[group].changed)].slotChanged = true }
    }

    /// The revision that a change of the group's slot in this step will have.
    @inline(__always)
    func upcomingRevision(of group: Int32) -> UInt64 { groups[group].revision + 1 }

    mutating func finish() {
        settleFlows()
        for index in 0..<transaction.changed.count {
            let changed = transaction.changed[index]
            let group = groups.mutableAddress(of: changed.group)
            let hasChanged =
                changed.slotChanged || group.pointee.waiting != changed.waiting
                || group.pointee.paused != changed.paused
            guard hasChanged else {
                group.pointee.changed = nobody
                continue
            }
            group.pointee.revision += 1
            group.pointee.changed = Int32(output.changes.count)
            output.changes.append(
                GroupChange(
                    group: GroupIndex(rawValue: changed.group), revision: group.pointee.revision, cause: nil))
        }
        output.stamp(since: transaction.firstEvent, by: groups)
        if transaction.updated != nobody {
            popups[transaction.updated].sinceRevision = groups[popups[transaction.updated].group].revision
        }
        for index in 0..<transaction.changed.count {
            let group = transaction.changed[index].group
            groups[group].changed = nobody
            noteIfIdle(group)
        }
    }

    /// Tells what happened to a popup.
    mutating func emit(_ kind: Event.Kind, _ popup: Int32) {
        let group = popups[popup].group
        let index = GroupIndex(rawValue: group)
        let id = store[popups[popup].id]
        // Most steps touch one group: its name stands in the buffer already from the second event on.
        if let name = output.nameInLastEvent(of: index, since: transaction.firstEvent) {
            output.append(kind, at: now, group: name, popup: output.add(id), index: index)
        } else {
            let (name, id) = output.add(store[groups[group].name], id)
            output.append(kind, at: now, group: name, popup: id, index: index)
        }
        if groups[group].tellsPath { tellPath(under: groups[group].policy) }
    }

    /// Tells that a command was refused.
    mutating func refuse(
        _ refusal: Refusal, group: UnsafeRawBufferPointer, popup: UnsafeRawBufferPointer
    ) -> Refusal {
        output.append(.refused(refusal), at: now, group: output.add(group), popup: output.add(popup), index: nil)
        if !group.isEmpty { tellPath(under: findGroup(group).map { groups[$0].policy } ?? policies.place(for: group)) }
        return refusal
    }
}
