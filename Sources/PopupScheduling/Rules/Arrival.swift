// Arrival: a popup is accepted, arrives (at once, or when its delay ends), and is compared with what its group shows.

/// The outcome of a popup's arrival.
enum Arrival {
    /// All other popups close.
    case takeAll
    /// It replaces the popup with its collapse key.
    case replace(PopupRecord.Index)
    /// It takes the free slot.
    case show
    /// It takes the slot, and the active popup closes.
    case stop
    /// It takes the slot, and the active popup is paused.
    case pause
    /// It waits.
    case wait
    /// It waits, and tries again when the minimum display time of the active popup ends.
    case waitProtected
    /// It closes as rejected.
    case refuse
    /// It closes: the requirement of its flow cannot be met any more.
    case unmet
}

extension Scheduler {
    mutating func show(_ request: PopupRequest, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let (id, name) = (text[request.id], text[request.group])
        let (idHash, nameHash) = (store.hash(id), store.hash(name))
        guard let vacancy = popups.vacancy(for: id, hash: idHash, in: store) else { return nil }
        if let admissionError = admissionError(for: request, text) {
            return refuse(admissionError, group: name, popup: id)
        }
        let known = findGroup(name, hash: nameHash)
        if isShortOfGroups, let admissionError = admissionError(toUsing: known, by: request.producer) {
            return refuse(admissionError, group: name, popup: id)
        }
        guard let group = known ?? makeGroup(name, hash: nameHash) else {
            return refuse(.limit(.groups), group: name, popup: id)
        }

        if let active = preemptedInOnePass(by: request, in: group) {
            preempt(active, by: request, text, idHash: idHash, at: vacancy)
            return nil
        }
        return showInSteps(request, text, idHash: idHash, in: group, isNewGroup: known == nil)
    }

    /// Accepts a popup, lets it arrive, and gives it the slot if it is its turn. Not inlined: so the checks above,
    /// which every `show` passes, are one small function.
    @inline(never)
    private mutating func showInSteps(
        _ request: PopupRequest, _ text: UnsafeRawBufferPointer, idHash: UInt32, in group: GroupRecord.Index,
        isNewGroup: Bool
    ) -> Refusal? {
        let popup = accept(request, text, idHash: idHash, in: group)
        let arrival = judgeAcceptance(of: popup, request.delay)
        if hasToWait(arrival), let refusal = makeRoom(in: group, for: popup) {
            withdraw(popup)
            if isNewGroup { forget(group) }
            return refuse(refusal, group: text[request.group], popup: text[request.id])
        }
        if let arrival {
            setExpiry(of: popup, request.timeToLive)
            enact(arrival, popup, isNew: true)
        } else {
            delay(popup, request.delay)
            setExpiry(of: popup, request.timeToLive)
        }
        if hasNoFurtherEffect(popup, after: arrival) { return nil }
        fillSlot(group)
        return nil
    }

    /// Whether a newcomer that waits has no effect on others. Then no other popup has become eligible, and the queue
    /// need not be searched.
    @inline(__always)
    private func hasNoFurtherEffect(_ popup: PopupRecord.Index, after arrival: Arrival?) -> Bool {
        switch arrival {
        case nil, .wait:
            groups[popups[popup].group].gap == nil && groups[popups[popup].group].holder == nil
                && flow(of: popup) == nil && transaction.outcomes.isEmpty && transaction.changedFlows.isEmpty
        default: false
        }
    }

    /// Returns the outcome of an accepted popup's arrival; `nil` if it arrives later.
    private func judgeAcceptance(of popup: PopupRecord.Index, _ delay: UInt32) -> Arrival? {
        if let index = popups[popup].relations {
            if popups.relations[index].requirement == .failed { return .unmet }
            if gathers(index) { return nil }
        }
        return delay > 0 ? nil : judgeArrival(of: popup)
    }

    private mutating func delay(_ popup: PopupRecord.Index, _ delay: UInt32) {
        let group = popups[popup].group
        markChanged(group)
        groups[group].delayed += 1
        groups.count(waiting: 1, in: group)
        let arrival = delay == 0 ? nil : timers.set(.arrival(popup), due: now + Milliseconds(delay))
        popups[popup].phase = .delayed(arrival: arrival)
        registerDelay(of: popup)
        if let index = popups[popup].relations { gather(index) }
        emit(.queued, popup)
    }

    mutating func delayIsOver(_ popup: PopupRecord.Index) {
        popups[popup].phase = .delayed(arrival: nil)
        if let flow = flow(of: popup), flows[flow].gathering != nil { return }
        let group = popups[popup].group
        endDelay(of: popup)
        enact(judgeArrival(of: popup), popup, isNew: false)
        fillSlot(group)
    }

    /// Ends the delay of a popup, which arrives.
    mutating func endDelay(of popup: PopupRecord.Index) {
        guard case .delayed(let arrival) = popups[popup].phase else { return }
        let group = popups[popup].group
        markChanged(group)
        timers.cancel(arrival)
        releaseDelay(of: popup)
        groups[group].delayed -= 1
        groups.count(waiting: -1, in: group)
        popups[popup].phase = .arriving
        popups[popup].agesSince = now
    }

    /// Returns the outcome of a popup's arrival: by exclusivity, by collapse key, or else by the policy.
    @inline(__always)
    func judgeArrival(of popup: PopupRecord.Index) -> Arrival {
        if isUnsatisfiable(popup) { return .unmet }
        if popups[popup].exclusive != .none, meetsConditions(popup) { return .takeAll }
        if popups[popup].keyCount > 0,
            let holder = keyHolder(in: popups[popup].group, collapseKey(of: popup), besides: popup)
        {
            return .replace(holder)
        }
        return judgeByTable(popup)
    }

    @inline(__always)
    func judgeByTable(_ popup: PopupRecord.Index) -> Arrival {
        let group = popups[popup].group
        guard isEligible(popup) else { return .wait }
        guard let active = groups[group].active else { return isFree(group, for: popup) ? .show : .wait }
        switch interruption(by: popup, of: active) {
        case .never: return .refuse
        case .defer: return .wait
        case .stop: return protects(active) ? .waitProtected : .stop
        case .pause: return protects(active) ? .waitProtected : .pause
        }
    }

    /// Returns the outcome by the policy when a popup meets the active one. A member of a flow never preempts another
    /// one.
    @inline(__always)
    func interruption(by popup: PopupRecord.Index, of active: PopupRecord.Index) -> Policy.Interruption {
        guard !isSameFlow(popup, active) else { return .defer }
        let rule = policies.interruption(
            by: comparedPriority(of: popup), of: comparedPriority(of: active),
            under: groups[popups[active].group].policy)
        let interrupts = rule == .stop || rule == .pause
        return interrupts && !popups[active].interruptible ? .defer : rule
    }

    /// Applies the outcome to a popup that arrives, or that has gathered and waits.
    mutating func enact(_ arrival: Arrival, _ popup: PopupRecord.Index, isNew: Bool) {
        let group = popups[popup].group
        if case .replace(let holder) = arrival { return replace(holder, by: popup, isNew: isNew) }
        registerKey(of: popup)
        if let flow = flow(of: popup) { transaction.changedFlows.append(flow) }
        switch arrival {
        case .takeAll: takeAll(popup)
        case .replace: break
        case .show: activate(popup)
        case .stop:
            closeActive(of: group, .preempted, by: popup)
            activate(popup)
        case .pause:
            pauseActive(of: group)
            activate(popup)
        case .wait: wait(popup, isNew: isNew)
        case .waitProtected:
            mark(popup, .arrival)
            wait(popup, isNew: isNew)
        case .refuse: close(popup, .rejected, detail: groups[group].active.map { store[popups[$0].id] } ?? nothing)
        case .unmet: close(popup, .unmet, detail: requiredPopup(of: popup))
        }
    }

    /// Adds an arriving popup to the queue. Its rank is that of its acceptance, unless it has taken the rank of another
    /// popup.
    mutating func wait(_ popup: PopupRecord.Index, isNew: Bool) {
        guard !popups[popup].isWaiting else { return }
        let group = popups[popup].group
        markChanged(group)
        groups.count(waiting: 1, in: group)
        popups[popup].phase = .waiting
        enqueue(popup)
        if isNew { emit(.queued, popup) }
    }
}
