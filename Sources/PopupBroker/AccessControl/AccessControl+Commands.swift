import PopupAccess
import PopupProtocol
import PopupScheduling

// The rights that each kind of command needs.
extension AccessControl {
    /// Checks a valid command of the present user.
    ///
    /// - Throws: `PERMISSION_DENIED`, naming the missing right; `NOT_FOUND` for a popup that the user may not see.
    mutating func check(
        _ content: WireCommand.OneOf_Command, in scheduler: borrowing Scheduler, _ sessions: borrowing ProducerSessions
    ) throws(CommandRefusal) {
        switch content {
        case .show(let popup): try check(popup, in: scheduler)
        case .update(let update):
            let place = try place(of: update.id, in: update.group, needing: .update, scheduler)
            let priority = update.hasPriority ? update.priority : nil
            try require(.init(.update(isOwn: place.isOwn, priority: priority), in: place.group), popup: update.id)
        case .dismiss(let dismiss): try check(dismissing: dismiss.id, in: dismiss.group, by: dismiss.client, scheduler)
        case .advance(let advance): try control(advance.group)
        case .clear(let clear):
            var isOfOwn = false
            if let producer = ProducerName(clear.selector.producer), isOwn(producer, sessions) {
                isOfOwn = !scheduler.hasPopups(of: producer, ofOthersThan: user?.text ?? "")
            }
            try require(.init(.clear(isOwn: isOfOwn), in: pattern(ofSelector: clear.selector.group)))
        case .suspend(let suspend):
            try control(suspend.group)
            // The command replaces the suspension with the same token.
            try checkSuspension(suspend.token, in: scheduler)
        case .resume(let resume):
            guard !patterns(ofSuspension: resume.token, in: scheduler).isEmpty || access.isUnrestricted else {
                throw CommandRefusal(.notFound, "no suspension has the token")
            }
            try checkSuspension(resume.token, in: scheduler)
        case .setPolicy(let policy): try control(policy.group)
        case .unsetPolicy(let policy): try control(policy.group)
        case .setSession(let session): try control(session.group)
        case .report(let report):
            try checkName(ofClient: report.client)
            let place = try place(of: report.id, in: report.group, needing: .render, scheduler)
            try require(.init(.render, in: place.group), popup: report.id)
            try claim(client: report.client)
        case .answer(let answer):
            try checkName(ofClient: answer.client)
            let place = try place(of: answer.id, in: answer.group, needing: .render, scheduler)
            try require(.init(.render, in: place.group), popup: answer.id)
            try claim(client: answer.client)
        case .lease(let lease):
            try checkName(ofClient: lease.client)
            if lease.groups.isEmpty, !access.hasAnywhere(.render) {
                throw deny(
                    "needs the right render in some group; no role of the user gives it", right: .render, group: nil)
            }
            for group in lease.groups { try require(.init(.render, in: pattern(group))) }
            try claim(client: lease.client)
        // A tree belongs to no group, and popups of any group may be bound to it.
        case .page: try control("*")
        case .query(let query): try check(query)
        }
        recordPending(content, by: user)
    }

    /// Checks an ordinary `dismiss`, or another one. A user that renders the group may dismiss the popup that it shows.
    mutating func check(
        dismissing id: String, in group: String, by client: String, _ scheduler: borrowing Scheduler
    ) throws(CommandRefusal) {
        try checkName(ofClient: client)
        let place = try place(of: id, in: group, needing: .dismiss, scheduler)
        // A dismissal without a client is that of an administrator, for which no quorum counts.
        let isOnScreen = place.isShown && !client.isEmpty
        try require(.init(.dismiss(isOwn: place.isOwn, isShown: isOnScreen), in: place.group), popup: id)
        try claim(client: client)
    }

    /// Whether the present user may show a popup that replaces no other, without the reason why not.
    @inline(__always)
    func mayShow(in group: RawSpan, priority: Int32, exclusive: WirePopup.Exclusive) -> Bool {
        access.mayShow(in: group, priority: priority, exclusive: Grant.ExclusiveReach(exclusive))
    }

    /// Checks a `show`.
    mutating func check(
        showing id: String, in group: String, priority: Int32, exclusive: WirePopup.Exclusive,
        replacing replaced: AccessRequest.Replaced
    ) throws(CommandRefusal) {
        let action = AccessRequest.Action.show(
            priority: priority, exclusive: Grant.ExclusiveReach(exclusive), replaces: replaced)
        try require(.init(action, in: pattern(group)), popup: id)
    }

    // The requirements of a flow reveal nothing about another group: only its own members meet them.
    private mutating func check(_ popup: WirePopup, in scheduler: borrowing Scheduler) throws(CommandRefusal) {
        let isLater = popup.delayMs > 0 || popup.hasFlow
        try check(
            showing: popup.id, in: popup.group, priority: popup.priority, exclusive: popup.exclusive,
            replacing: replaced(by: popup.collapseKey, in: popup.group, isLater: isLater, scheduler))
    }

    private mutating func check(_ query: WireQuery) throws(CommandRefusal) {
        var use = NameOwners<ClientToken>.Use.command
        if case .whoami = query.query { use = .asking }
        try checkName(ofClient: query.client, by: use)
        switch query.query {
        case .list(let list): try require(.init(.query, in: pattern(ofSelector: list.selector.group)))
        case .count(let count): try require(.init(.query, in: pattern(ofSelector: count.selector.group)))
        case .peek(let peek): try require(.init(.query, in: pattern(peek.group)))
        case .path, .producers: try require(.init(.query, in: .every))
        case .history(let history): try require(.init(.query, in: pattern(ofSelector: history.group)))
        case .groups(let groups): try require(.init(.query, in: pattern(ofSelector: groups.group)))
        case .suspensions(let suspensions): try require(.init(.query, in: pattern(ofSelector: suspensions.group)))
        case .renderers(let renderers): try require(.init(.query, in: pattern(ofSelector: renderers.group)))
        case .policies(let policies): try require(.init(.query, in: pattern(ofSelector: policies.group)))
        // A popup that may not be seen is reported as unknown: see `hides`.
        case .explain, .stats:
            guard !access.hasAnywhere(.query) else { break }
            throw deny("needs the right query in some group; no role of the user gives it", right: .query, group: nil)
        case .whoami, nil: break
        }
        try claim(client: query.client, by: use)
    }

    /// Whether the present user may not know of a popup, even if it exists.
    func hides(popup id: String, in scheduler: borrowing Scheduler) -> Bool {
        guard !isOpen, !access.isUnrestricted else { return false }
        guard let place = scheduler.place(ofPopup: id), let group = GroupPattern(place.group) else { return true }
        return !access.has(.query, in: group)
    }

    // MARK: - The group of a command

    /// The popup of a command: its group, and how the present user is related to it.
    private struct Place {
        var group: GroupPattern
        var isOwn = false
        var isShown = false
    }

    /// Returns the popup of a command. If the command names a group, the rights are decided before the popup is looked
    /// up.
    ///
    /// - Throws: `NOT_FOUND` for a popup that does not exist, or is in another group, or in one that the user may not
    ///   see.
    private mutating func place(
        of id: String, in named: String, needing right: Right, _ scheduler: borrowing Scheduler
    ) throws(CommandRefusal) -> Place {
        if access.isUnrestricted { return Place(group: .every, isOwn: true) }
        if !named.isEmpty, !mayDo(right, in: named) {
            throw deny(
                Denial(.right, of: right, in: pattern(named)).description, right: right, group: GroupName(named),
                popup: id)
        }
        let found = scheduler.place(ofPopup: id)
        guard let found, named.isEmpty || found.group == named, maySee(found.group) || mayDo(right, in: found.group)
        else {
            // A popup that was requested in an earlier batch, or in the same one, does not exist yet.
            if found == nil, let group = group(ofPendingPopup: id), named.isEmpty || named == group {
                return Place(group: pattern(group), isOwn: true)
            }
            // A popup of another user may exist by then; the scheduler looks for it in the named group.
            if found == nil, !named.isEmpty, mayDoToOthers(right, in: named) { return Place(group: pattern(named)) }
            throw CommandRefusal(
                .notFound, PopupScheduling.Refusal.unknownPopup.description, group: GroupName(named), popup: id)
        }
        return Place(
            group: pattern(found.group), isOwn: user != nil && found.user == user?.text, isShown: found.isShown)
    }

    /// Whether the user may know of a popup in this group.
    private func maySee(_ group: String) -> Bool {
        let rights: [Right] = [.watch, .events, .query]
        return rights.contains { access.has($0, in: pattern(group)) }
    }

    /// Whether the user has the right, or another one that includes it.
    private func mayDo(_ right: Right, in group: String) -> Bool {
        access.has(right, in: pattern(group)) || right == .dismiss && access.has(.render, in: pattern(group))
    }

    private func mayDoToOthers(_ right: Right, in group: String) -> Bool {
        access.grants.contains { $0.rights.contains(right) && !$0.ownPopupsOnly && $0.covers(pattern(group)) }
    }

    private mutating func control(_ groups: String) throws(CommandRefusal) {
        try require(.init(.control, in: pattern(groups)))
    }

    /// Checks that the suspensions with this token, if there are any, are in groups that the user controls.
    private mutating func checkSuspension(
        _ token: String, in scheduler: borrowing Scheduler
    ) throws(CommandRefusal) {
        guard !access.isUnrestricted,
            patterns(ofSuspension: token, in: scheduler).contains(where: {
                access.denial(of: .init(.control, in: pattern($0))) != nil
            })
        else { return }
        throw deny(
            "needs the right control in all groups that the token suspends; choose another token", right: .control,
            group: nil)
    }

    /// Returns the groups of a selector: all, if it names none.
    private func pattern(ofSelector groups: String) -> GroupPattern { groups.isEmpty ? .every : pattern(groups) }

    /// Returns the group or pattern of a valid command.
    private func pattern(_ groups: String) -> GroupPattern { GroupPattern(groups) ?? .every }
}

extension Grant.ExclusiveReach {
    /// Creates the reach of a popup's `exclusive`.
    @inline(__always)
    fileprivate init(_ exclusive: WirePopup.Exclusive) {
        self =
            switch exclusive {
            case .all: .all
            case .group: .group
            case .none, .UNRECOGNIZED: .none
            }
    }
}
