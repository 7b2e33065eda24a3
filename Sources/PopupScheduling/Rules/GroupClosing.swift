// What closes together in one group, in parts: of thousands of popups a bounded part a step. Until all are closed the group
// is not settled and no flow goes on, and nothing else is done, so that what comes of it is what one step would bring.

/// What is left to close of the popups of a group that close together.
struct GroupClosing {
    /// What the group does when all are closed.
    enum Sequel {
        /// It goes on; these may be shown only now.
        case goOn(freed: [PopupRecord.Index])
        /// This popup takes the slot, whatever the rules say.
        case takeSlot(PopupRecord.Index)
        /// Its gap begins, if one that was shown closed.
        case beginGap
    }

    var group: GroupRecord.Index
    /// In the order in which they close.
    var popups: [PopupRecord.Index]
    var reason: CloseReason
    /// Who is to blame.
    var detail: [UInt8]
    var sequel: Sequel
    var next = 0
    /// What the one that held the slot left behind.
    var departure: Departure?
}

extension Scheduler {
    /// Closes what is chosen of a group: at once as much as one step may, the rest in the next steps.
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

    /// Closes the next part of what closes together.
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
