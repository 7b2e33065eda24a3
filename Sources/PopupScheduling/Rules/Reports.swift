// Reports: what renderers report about the active popup. They start and stop the clock of display times that count only
// visible time, and show whether any renderer displays the popup.
extension Scheduler {
    mutating func report(_ report: Report, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let (id, client) = (text[report.id], text[report.client])
        let group = text[report.group]
        switch findLive(id, in: group) {
        case .failure(.popupClosed):
            transaction.output.lateReports += 1
            return nil
        case .failure(let refusal):
            return refuse(refusal, popup: id, in: group)
        case .success(let popup):
            guard client.count <= Limits.nameBytes else { return refuse(.tooLong, popup: id) }
            guard popups[popup].isActive else {
                transaction.output.lateReports += 1
                return nil
            }
            if case .hidden = report.kind {
                let rendering = findClient(client).flatMap { findRendering(of: popup, by: $0) }
                if let rendering, renderers[rendering].isVisible { hide(popup, rendering) }
                return nil
            }
            switch makeRendering(of: popup, by: client) {
            case .failure(let refusal): return refuse(refusal, popup: id)
            case .success(let rendering): display(popup, rendering, isVisible: report.kind == .visible)
            }
            return nil
        }
    }

    private mutating func display(_ popup: PopupRecord.Index, _ rendering: Rendering.Index, isVisible: Bool) {
        let (group, index) = (popups[popup].group, popups.makeRelations(of: popup))
        timers.cancel(groups[group].displayTimeout)
        groups[group].displayTimeout = nil
        renderers.setDisplayed(true, rendering, on: &popups.relations[index])
        guard isVisible, !renderers[rendering].isVisible else { return }
        renderers.setVisible(true, rendering, on: &popups.relations[index])
        startClock(of: popup)
    }

    /// Records that the popup is no longer visible on a renderer.
    mutating func hide(_ popup: PopupRecord.Index, _ rendering: Rendering.Index) {
        if let index = popups[popup].relations { renderers.setVisible(false, rendering, on: &popups.relations[index]) }
        if !isSeen(popup) { stopClock(of: popup) }
    }

    // MARK: - Popups that no renderer displays

    mutating func displayTimeoutIsOver(in group: GroupRecord.Index) {
        groups[group].displayTimeout = nil
        guard let active = groups[group].active else { return }
        switch policies[groups[group].policy].undisplayed {
        case .hold: break
        case .skip: sendBack(active, .undisplayed, toEnd: true)
        case .close: leave(active, .undisplayed)
        }
    }

    /// Returns the active popup to the queue with its whole display time. Closes it if it was shown the maximum number
    /// of times.
    mutating func sendBack(
        _ popup: PopupRecord.Index, _ reason: CloseReason, toEnd: Bool, detail: UnsafeRawBufferPointer = nothing
    ) {
        let group = popups[popup].group
        let most = min(policies[groups[group].policy].maxAttempts, Limits.maxAttempts)
        guard popups[popup].attempt < most else {
            return leave(popup, reason, detail: detail)
        }
        let departure = vacate(popup)
        popups[popup].used = 0
        if toEnd { putLast(popup) } else { popups[popup].rank = popups.turn(of: popup) }
        backIntoQueue(popup)
        proceed(in: group, after: departure.withoutHold)
    }
}
