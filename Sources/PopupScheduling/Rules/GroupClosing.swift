// Popups of one group that close together, at most `mostOfWorkAtOnce` of them per step. Until all of them are closed,
// no flow continues, no slot is filled and no other command or timer is handled, so that the result is that of a single
// step.

/// The unfinished part of closing popups of a group together.
struct GroupClosing {
    /// The continuation of the group when all popups are closed.
    enum Sequel {
        /// The group continues. The given popups may have become eligible.
        case goOn(freed: [PopupRecord.Index])
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
    var sequel: Sequel
    var next = 0
    /// The departure of the popup that had the slot.
    var departure: Departure?
}

extension Scheduler {
    /// Closes the chosen popups of a group: as many as a step may close now, the others in the following steps.
    mutating func close(
        _ chosen: [PopupRecord.Index], _ reason: CloseReason, detail: UnsafeRawBufferPointer,
        in group: GroupRecord.Index,
        then sequel: GroupClosing.Sequel
    ) {
        guard chosen.count <= Self.mostOfWorkAtOnce else {
            transaction.closing = GroupClosing(
                group: group, popups: chosen, reason: reason, detail: Array(detail), sequel: sequel)
            return goOnClosing()
        }
        var departure: Departure?
        for popup in chosen { departure = close(popup, reason, detail: detail) ?? departure }
        go(on: sequel, in: group, after: departure)
    }

    /// Closes the next part of the popups that close together.
    mutating func goOnClosing() {
        guard var rest = transaction.closing.take() else { return }
        let end = min(rest.next + Self.mostOfWorkAtOnce, rest.popups.count)
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
            go(on: rest.sequel, in: rest.group, after: rest.departure)
        }
    }

    private mutating func go(on sequel: GroupClosing.Sequel, in group: GroupRecord.Index, after departure: Departure?) {
        switch sequel {
        case .goOn(let freed):
            if let departure { proceed(in: group, after: departure.ofMany) } else { reconsider(group, freed: freed) }
        case .takeSlot(let popup): activate(popup, exempt: true, offering: false)
        case .beginGap: if departure?.wasShown == true { beginGap(in: group) }
        }
    }
}
