// How a popup comes: it is accepted, it arrives (at once, or when its delay is over), and its arrival is judged against
// what the group shows.

/// What becomes of a popup that arrives.
enum Arrival {
    /// Everything else gives way.
    case takeAll
    /// It takes the place of the popup with its collapse key.
    case replace(Int32)
    /// The slot is free.
    case show
    /// The active popup closes.
    case stop
    /// The active popup is paused.
    case pause
    /// It waits.
    case wait
    /// It waits, and tries again when the active popup is no longer protected.
    case waitProtected
    /// It closes.
    case refuse
}

extension Scheduler {
    mutating func show(_ request: PopupRequest, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let (id, name) = (text[request.id], text[request.group])
        guard findID(id) == nil else { return nil }
        if let obstacle = obstacle(to: request) { return refuse(obstacle, group: name, popup: id) }
        let isKnown = findGroup(name) != nil
        guard let group = findOrMakeGroup(name) else { return refuse(.limit(.groups), group: name, popup: id) }

        let key = text[request.collapseKey]
        let arrival =
            request.delay > 0
            ? nil : judgeArrival(in: group, request.priority, request.exclusive, holder: keyHolder(in: group, key))
        if hasToWait(arrival), let refusal = makeRoom(in: group, for: request) {
            if !isKnown { forget(group) }
            return refuse(refusal, group: name, popup: id)
        }

        let popup = accept(request, text, in: group)
        if let arrival {
            setExpiry(of: popup, request.timeToLive)
            enact(arrival, popup, isNew: true)
        } else {
            delay(popup, request.delay)
            setExpiry(of: popup, request.timeToLive)
        }
        settle(group)
        return nil
    }

    mutating func delayIsOver(_ popup: Int32) {
        let group = popups[popup].group
        touch(group)
        groups[group].delayed -= 1
        groups[group].waiting -= 1
        popups[popup].stage = .arriving
        enact(judgeArrival(of: popup), popup, isNew: false)
        settle(group)
    }

    func judgeArrival(of popup: Int32) -> Arrival {
        let record = popups[popup]
        let holder = keyHolder(in: record.group, store[record.body].first(Int(record.keyCount)), besides: popup)
        return judgeArrival(in: record.group, record.priority, record.exclusive, holder: holder)
    }

    /// The table of who gives way, with what stands above it.
    func judgeArrival(
        in group: Int32, _ priority: Int32, _ exclusive: PopupRequest.Exclusivity, holder: Int32?
    ) -> Arrival {
        if exclusive != .none { return .takeAll }
        if let holder { return .replace(holder) }
        guard Int64(priority) >= groups[group].threshold else { return .wait }
        let active = groups[group].active
        guard active != nobody else { return groups[group].gap == nobody ? .show : .wait }
        switch interruption(by: priority, of: active) {
        case .never: return .refuse
        case .defer: return .wait
        case .stop: return protects(active) ? .waitProtected : .stop
        case .pause: return protects(active) ? .waitProtected : .pause
        }
    }

    /// What the policy says when a newcomer of this priority meets the active popup.
    func interruption(by priority: Int32, of active: Int32) -> Policy.Interruption {
        let policy = policies[groups[popups[active].group].policy]
        let (newcomer, present) = policy.ignorePriority ? (0, 0) : (priority, popups[active].priority)
        let rule =
            newcomer > present ? policy.higher : newcomer == present ? policy.peers : policy.lower
        let interrupts = rule == .stop || rule == .pause
        return interrupts && !popups[active].interruptible ? .defer : rule
    }

    mutating func enact(_ arrival: Arrival, _ popup: Int32, isNew: Bool) {
        let group = popups[popup].group
        if case .replace(let holder) = arrival { return replace(holder, by: popup, isNew: isNew) }
        registerKey(of: popup)
        switch arrival {
        case .takeAll: takeAll(popup)
        case .replace: break
        case .show: activate(popup)
        case .stop:
            close(groups[group].active, .preempted)
            activate(popup)
        case .pause:
            pauseActive(of: group)
            activate(popup)
        case .wait: wait(popup, isNew: isNew)
        case .waitProtected:
            mark(popup, .arrival)
            wait(popup, isNew: isNew)
        case .refuse: close(popup, .refused)
        }
    }

    /// Puts an arriving popup into the line, by its acceptance unless it has taken over a rank.
    mutating func wait(_ popup: Int32, isNew: Bool) {
        let group = popups[popup].group
        touch(group)
        groups[group].waiting += 1
        popups[popup].stage = .waiting
        enqueue(popup)
        if isNew { emit(.queued, popup) }
    }

    private mutating func delay(_ popup: Int32, _ delay: UInt32) {
        let group = popups[popup].group
        touch(group)
        groups[group].delayed += 1
        groups[group].waiting += 1
        popups[popup].stage = .delayed(arrival: timers.set(.arrival, of: popup, due: now + Milliseconds(delay)))
        emit(.queued, popup)
    }
}
