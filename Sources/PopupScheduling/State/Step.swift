/// What one step, a command or a due timer, has touched so far.
struct Step: ~Copyable {
    struct Touched: BitwiseCopyable {
        var group: Int32
        var waiting: Int32
        var paused: Int32
        var slotChanged = false
    }

    var touched = Buffer<Touched>()
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
        step.touched.removeAll()
        step.firstEvent = output.events.count
        step.updated = nobody
    }

    /// Notes a group before its counts or its slot change.
    @inline(__always)
    mutating func touch(_ group: Int32, slot: Bool = false) {
        if groups[group].touched == nobody {
            groups[group].touched = Int32(step.touched.count)
            step.touched.append(
                .init(group: group, waiting: groups[group].waiting, paused: groups[group].paused))
        }
        if slot { step.touched[Int(groups[group].touched)].slotChanged = true }
    }

    /// The revision that a change of the group's slot in this step will have.
    @inline(__always)
    func upcomingRevision(of group: Int32) -> UInt64 { groups[group].revision + 1 }

    mutating func finish() {
        settleFlows()
        for index in 0..<step.touched.count {
            let touched = step.touched[index]
            let group = groups.mutableAddress(of: touched.group)
            let hasChanged =
                touched.slotChanged || group.pointee.waiting != touched.waiting
                || group.pointee.paused != touched.paused
            guard hasChanged else {
                group.pointee.touched = nobody
                continue
            }
            group.pointee.revision += 1
            group.pointee.touched = Int32(output.changes.count)
            output.changes.append(
                GroupChange(
                    group: GroupIndex(rawValue: touched.group), revision: group.pointee.revision, cause: nil))
        }
        output.stamp(since: step.firstEvent, by: groups)
        if step.updated != nobody {
            popups[step.updated].sinceRevision = groups[popups[step.updated].group].revision
        }
        for index in 0..<step.touched.count {
            let group = step.touched[index].group
            groups[group].touched = nobody
            noteIfIdle(group)
        }
    }

    /// Tells what happened to a popup.
    mutating func emit(_ kind: Event.Kind, _ popup: Int32) {
        let group = popups[popup].group
        let index = GroupIndex(rawValue: group)
        let id = store[popups[popup].id]
        // Most steps touch one group: its name stands in the buffer already from the second event on.
        if let name = output.nameInLastEvent(of: index, since: step.firstEvent) {
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
