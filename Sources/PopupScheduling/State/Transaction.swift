/// The changes and events of one step, which is a command or a timer, and the work that it leaves to the next steps.
struct Transaction: ~Copyable {
    struct Changed: BitwiseCopyable {
        var group: GroupRecord.Index
        var waiting: Int32
        var paused: Int32
        var slotChanged = false
        /// The change that the step publishes; `nil` if the broadcast state of the group is as before.
        @Packed var change: TableIndex<GroupChange>?
    }

    typealias Index = TableIndex<Changed>

    /// The events of the step.
    var output = EventBuffer()
    var changed = Buffer<Changed>()
    var firstEvent = 0
    /// The producer that sent the command, if it is known.
    var sender: ProducerID?
    /// The live popup that an update changed. After the step, answers to an older revision are stale.
    var updated: PopupRecord.Index?
    /// The closed members of flows whose dependants are not resolved yet.
    var outcomes = Buffer<ClosedPopups.Index>()
    /// The flows with added or removed members, whose remaining members may be stuck.
    var changedFlows = Buffer<FlowRecord.Index>()

    // The unfinished work of the last command or timer. It comes before anything else.

    /// The popups that close together in one group. They come before the work in other groups.
    var closing: GroupClosing?
    /// The work in many groups.
    var work: GroupWork?

    /// The times in ms from the arrival of popups to their first showing. Not part of a snapshot.
    var waitingTimes = Histogram()

    /// The amount of work of all steps.
    let meter = VisitMeter()
    /// Keeps the scheduler, which contains the transaction, at its address.
    private let pin = Pin()
}

// The revision of a group rises once per step, and only if its broadcast state changed: the active popup, or the number
// of waiting or paused popups. All events of the step have the revision after it, which is set at its end.
extension Scheduler {
    @inline(__always)
    mutating func begin(at time: Milliseconds) {
        clock.advance(to: time)
        if accounts.hadUsers { accounts.beginStep() }
        transaction.changed.removeAll()
        transaction.firstEvent = transaction.output.events.count
        transaction.updated = nil
    }

    /// Records a group before its counts or its slot change.
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

    /// Returns the revision that a change of the group's slot in this step will have.
    @inline(__always)
    func upcomingRevision(of group: GroupRecord.Index) -> UInt64 { groups[group].revision + 1 }

    mutating func finish() {
        resolveFlows()
        for index in 0..<transaction.changed.count {
            let changed = transaction.changed[index]
            let group = groups.mutableAddress(of: changed.group)
            let hasChanged =
                changed.slotChanged || group.pointee.waiting != changed.waiting
                || group.pointee.paused != changed.paused
            guard hasChanged else { continue }
            group.pointee.revision += 1
            transaction.changed[index].change = TableIndex(number: transaction.output.changes.count)
            transaction.output.changes.append(
                GroupChange(
                    group: GroupIndex(changed.group), revision: group.pointee.revision, cause: nil))
        }
        transaction.output.stamp(since: transaction.firstEvent, by: groups, transaction.changed)
        if let updated = transaction.updated {
            popups[updated].sinceRevision = groups[popups[updated].group].revision
        }
        for index in 0..<transaction.changed.count {
            let group = transaction.changed[index].group
            groups[group].changed = nil
            listIfIdle(group)
        }
    }

    /// Emits an event of a popup.
    mutating func emit(_ kind: Event.Kind, _ popup: PopupRecord.Index) {
        let group = popups[popup].group
        let index = GroupIndex(group)
        let id = store[popups[popup].id]
        // Most steps change one group, whose name is already in the buffer for all events but the first.
        if let name = transaction.output.nameInLastEvent(of: index, since: transaction.firstEvent) {
            transaction.output.append(kind, at: wallTime, group: name, popup: transaction.output.add(id), index: index)
        } else {
            let (name, id) = transaction.output.add(store[groups[group].name], id)
            transaction.output.append(kind, at: wallTime, group: name, popup: id, index: index)
        }
        if groups[group].publishesPath { addPath(under: groups[group].policy) }
    }

    /// Emits the refusal of a command, and returns it.
    mutating func refuse(
        _ refusal: Refusal, group: UnsafeRawBufferPointer, popup: UnsafeRawBufferPointer
    ) -> Refusal {
        transaction.output.append(
            .refused(refusal), at: wallTime, group: transaction.output.add(group), popup: transaction.output.add(popup),
            index: nil)
        if !group.isEmpty { addPath(under: findGroup(group).map { groups[$0].policy } ?? policies.index(for: group)) }
        return refusal
    }
}

/// A counter of the records that rules visit: popups of long queues, groups of commands for many groups. The caller
/// limits the work of a turn by it.
///
/// It is a class so that functions which only read can count. No decision of the scheduler depends on it.
final class VisitMeter {
    var count = 0
}
