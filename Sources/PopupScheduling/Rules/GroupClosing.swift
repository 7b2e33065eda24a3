// Popups of one group that close together, at most `maxWorkPerStep` of them per step. Until all of them are closed,
// no flow continues, no slot is filled and no other command or timer is handled, so that the result is that of a single
// step.

/// The unfinished part of closing popups of a group together.
struct GroupClosing {
    /// The continuation of the group when all popups are closed.
    enum Continuation {
        /// The group continues. The given popups may have become eligible.
        case proceed(freed: [PopupRecord.Index])
        /// The popup takes the slot, whatever the rules.
        case takeSlot(PopupRecord.Index)
        /// The gap of the group begins, if a closed popup was shown.
        case beginGap
    }

    var group: GroupRecord.Index
    /// The popups in the order in which they close.
    var popups: [PopupRecord.Index]
    var reason: CloseReason
    /// The text of the closed popups' records, as in `close`.
    var detail: [UInt8]
    var continuation: Continuation
    var next = 0
    /// The departure of the popup that had the slot.
    var departure: Departure?
}

extension Scheduler {
    /// Closes the chosen popups of a group: as many as a step may close now, the others in the following steps.
    mutating func close(
        _ chosen: [PopupRecord.Index], _ reason: CloseReason, detail: UnsafeRawBufferPointer,
        in group: GroupRecord.Index,
        then continuation: GroupClosing.Continuation
    ) {
        guard chosen.count <= Self.maxWorkPerStep else {
            transaction.closing = GroupClosing(
                group: group, popups: chosen, reason: reason, detail: Array(detail), continuation: continuation)
            return continueClosing()
        }
        var departure: Departure?
        for popup in chosen { departure = close(popup, reason, detail: detail) ?? departure }
        finish(continuation, in: group, after: departure)
    }

    /// Closes the next part of the popups that close together.
    mutating func continueClosing() {
        guard var rest = transaction.closing.take() else { return }
        let end = min(rest.next + Self.maxWorkPerStep, rest.popups.count)
        transaction.meter.count += end - rest.next
        rest.detail.withUnsafeBytes { detail in
            for popup in rest.popups[rest.next..<end] {
                rest.departure = close(popup, rest.reason, detail: detail) ?? rest.departure
            }
        }
        rest.next = end
        if end < rest.popups.count {
            transaction.closing = rest
        } else {
            finish(rest.continuation, in: rest.group, after: rest.departure)
        }
    }

    private mutating func finish(
        _ continuation: GroupClosing.Continuation, in group: GroupRecord.Index, after departure: Departure?
    ) {
        switch continuation {
        case .proceed(let freed):
            if let departure { proceed(in: group, after: departure.ofMany) } else { reconsider(group, freed: freed) }
        case .takeSlot(let popup): activate(popup, exempt: true, offering: false)
        case .beginGap: if departure?.wasShown == true { beginGap(in: group) }
        }
    }
}
