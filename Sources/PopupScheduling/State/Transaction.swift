/// What one step, a command or a due timer, has touched and told so far, and what it leaves to the next.
struct Transaction: ~Copyable {
    struct Changed: BitwiseCopyable {
        var group: GroupRecord.Index
        var waiting: Int32
        var paused: Int32
        var slotChanged = false
    }

    typealias Index = TableIndex<Changed>

    /// What the step tells.
    var output = EventBuffer()
    var changed = Buffer<Changed>()
    var firstEvent = 0
    /// The producer that told the command, if it named itself.
    var sender: ProducerID?
    /// The live popup that an update changed: what answers an older revision than the one after the step is stale.
    var updated: PopupRecord.Index?
    /// Members of flows that closed, as they are remembered, whose dependants were not told yet.
    var outcomes = Buffer<ClosedPopups.Index>()
    /// Flows of which something came or went, so that the rest may wait in vain.
    var unsettledFlows = Buffer<FlowRecord.Index>()

    // What is left to do of the last command or timer, before anything else.

    /// What closes together in one group, before the other groups.
    var closing: GroupClosing?
    /// What is to be done in many groups.
    var work: GroupWork?

    /// How much the steps went through.
    let meter = VisitMeter()
    /// The scheduler, which has the transaction, stays where it is.
    private let pin = Pin()
}

// A group's revision goes up once a step, and only if what is broadcast of it changed: the active popup, or the number
// of those waiting or paused. All events of the step carry the revision after it; they are stamped at its end.
extension Scheduler {
    @inline(__always)
    mutating func begin(at time: Milliseconds) {
        clock.advance(to: time)
        transaction.changed.removeAll()
        transaction.firstEvent = transaction.output.events.count
        transaction.updated = nil
    }

    /// Notes a group before its counts or its slot change.
    @inline(__always)
    mutating func markChanged(_ group: GroupRecord.Index, slot: Bool = false) {
        if let changed = groups[group].changed {
            if slot { transaction.changed[changed.number].slotChanged = true }
        } else {
            groups[group].changed = Transaction.Index(number: transaction.changed.count)
            transaction.changed.append(
                .init(
                    group: group, waiting: groups[group].waiting, paused: groups[group].paused, slotChanged: slot))
        }
    }

    /// The revision that a change of the group's slot in this step will have.
    @inline(__always)
    func upcomingRevision(of group: GroupRecord.Index) -> UInt64 { groups[group].revision + 1 }

    mutating func finish() {
        settleFlows()
        for index in 0..<transaction.changed.count {
            let changed = transaction.changed[index]
            let group = groups.mutableAddress(of: changed.group)
            let hasChanged =
                changed.slotChanged || group.pointee.waiting != changed.waiting
                || group.pointee.paused != changed.paused
            guard hasChanged else {
                group.pointee.changed = nil
                continue
            }
            group.pointee.revision += 1
            group.pointee.changed = Transaction.Index(number: transaction.output.changes.count)
            transaction.output.changes.append(
                GroupChange(
                    group: GroupIndex(changed.group), revision: group.pointee.revision, cause: nil))
        }
        transaction.output.stamp(since: transaction.firstEvent, by: groups)
        if let updated = transaction.updated {
            popups[updated].sinceRevision = groups[popups[updated].group].revision
        }
        for index in 0..<transaction.changed.count {
            let group = transaction.changed[index].group
            groups[group].changed = nil
            noteIfIdle(group)
        }
    }

    /// Tells what happened to a popup.
    mutating func emit(_ kind: Event.Kind, _ popup: PopupRecord.Index) {
        let group = popups[popup].group
        let index = GroupIndex(group)
        let id = store[popups[popup].id]
        // Most steps touch one group: its name stands in the buffer already from the second event on.
        if let name = transaction.output.nameInLastEvent(of: index, since: transaction.firstEvent) {
            transaction.output.append(kind, at: wallTime, group: name, popup: transaction.output.add(id), index: index)
        } else {
            let (name, id) = transaction.output.add(store[groups[group].name], id)
            transaction.output.append(kind, at: wallTime, group: name, popup: id, index: index)
        }
        if groups[group].tellsPath { tellPath(under: groups[group].policy) }
    }

    /// Tells that a command was refused.
    mutating func refuse(
        _ refusal: Refusal, group: UnsafeRawBufferPointer, popup: UnsafeRawBufferPointer
    ) -> Refusal {
        transaction.output.append(
            .refused(refusal), at: wallTime, group: transaction.output.add(group), popup: transaction.output.add(popup),
            index: nil)
        if !group.isEmpty { tellPath(under: findGroup(group).map { groups[$0].policy } ?? policies.place(for: group)) }
        return refusal
    }
}

/// Counts what rules go through: popups of long queues, groups of wide commands. Whoever calls bounds by it what is
/// done at once.
///
/// A reference, so that a rule that only looks can count, too. Nothing that is decided depends on it.
final class VisitMeter {
    var count = 0
}
