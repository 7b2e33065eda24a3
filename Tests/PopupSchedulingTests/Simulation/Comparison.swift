import PopupScheduling

/// Runs a script on the scheduler and the reference side by side, down to the end of the last timer.
struct Comparison {
    var setting: Setting
    /// The number of commands after which the scheduler begins to move texts, and then ceases to.
    var movesTextsEvery: Int?

    /// Where they first differ, or what never may be; `nil` when nothing is to be said.
    func difference(in script: [Told]) -> String? {
        let scheduler = SchedulerSubject(
            limits: setting.limits, seed: setting.seed, movesTextsEvery: movesTextsEvery)
        let reference = ReferenceScheduler(limits: setting.limits, seed: setting.seed)
        var choices = RandomScript.choices(seed: setting.seed)
        var ids: [String] = []

        for told in script {
            if let difference = timersDifference(scheduler, reference, until: told.at, ids) { return difference }
            if case .show(let request) = told.instruction { ids.append(request.id) }
            let (events, refusal) = scheduler.perform(told)
            let (expected, expectedRefusal) = reference.perform(told)
            let step = "at \(told.at) \(told.instruction.call)"
            if refusal != expectedRefusal {
                return "\(step): refusal \(refusal?.words ?? "none"), expected \(expectedRefusal?.words ?? "none")"
            }
            if let difference = compare(events, expected) { return "\(step): \(difference)" }
            if let difference = views(scheduler, reference, at: told.at, ids.suffix(16), choices.choice()) {
                return "after \(step): \(difference)"
            }
        }
        if let difference = timersDifference(scheduler, reference, until: nil, ids) { return difference }
        if scheduler.hasOnlyRecurringTimers { return nil }
        return "a timer at \(scheduler.nextDeadline ?? -1) more than there should be"
    }

    /// Runs both up to a time, or to the end of all timers that do not come again for ever: event by event, since those
    /// that do may also fire when nothing comes of it.
    private func timersDifference(
        _ scheduler: SchedulerSubject, _ reference: ReferenceScheduler, until time: Milliseconds?, _ ids: [String]
    ) -> String? {
        for _ in 0..<10_000 {
            let expected = nextEvents(of: reference, until: time)
            let events = nextEvents(of: scheduler, until: expected == nil ? time ?? reference.now : reference.now)
            if let difference = compare(events ?? [], expected ?? []) {
                return "what was due at \(reference.now): \(difference)"
            }
            guard expected != nil else { return nil }
            if let difference = views(scheduler, reference, at: reference.now, ids.suffix(16), nil) {
                return "after what was due at \(reference.now): \(difference)"
            }
        }
        return "the timers find no end"
    }

    private func nextEvents(of subject: any Subject, until time: Milliseconds?) -> [Occurrence]? {
        while time != nil || !subject.hasOnlyRecurringTimers, let events = subject.step(until: time ?? 1 << 60) {
            if !events.isEmpty { return events }
        }
        return nil
    }

    private func compare(_ events: [Occurrence], _ expected: [Occurrence]) -> String? {
        if events == expected { return nil }
        let lines = { (events: [Occurrence]) in
            events.isEmpty ? "nothing" : events.map { $0.line([.revision, .displayed]) }.joined(separator: "; ")
        }
        return "\(lines(events)), expected \(lines(expected))"
    }

    private func views(
        _ scheduler: SchedulerSubject, _ reference: ReferenceScheduler, at time: Milliseconds,
        _ ids: ArraySlice<String>, _ choice: Instruction.Choice?
    ) -> String? {
        func unequal<Answer: Equatable>(_ query: String, _ ask: (any Subject) -> Answer) -> String? {
            let (given, expected) = (ask(scheduler), ask(reference))
            return given == expected ? nil : "\(query) is \(given), expected \(expected)"
        }
        let complaints = scheduler.complaints() + reference.complaints().map { "reference: \($0)" }
        if !complaints.isEmpty { return complaints.joined(separator: "; ") }
        for group in RandomScript.groups {
            let found =
                unequal("state of \(group)") { $0.state(of: group, at: time) }
                ?? unequal("content of \(group)") { $0.activeContent(of: group) }
                ?? unequal("peek \(group)") { $0.peek(group, limit: 100, at: time) }
            if let found { return found }
        }
        for id in ids {
            if let found = unequal("phase of \(id)", { $0.explain(id, at: time).phase }) { return found }
        }
        if let found = timers(scheduler, reference) { return found }
        guard let choice else { return nil }
        return unequal("list of \(choice)") { $0.list(choice, limit: 5, at: time) }
            ?? unequal("count of \(choice)") { $0.count(choice) }
    }

    /// Those of quiet windows may stand at any time at which nothing changes.
    private func timers(_ scheduler: SchedulerSubject, _ reference: ReferenceScheduler) -> String? {
        if reference.policies.values.contains(where: { !$0.quiet.isEmpty }) { return nil }
        if scheduler.nextDeadline == reference.nextDeadline { return nil }
        return "the next timer is due at \(scheduler.nextDeadline ?? -1), expected \(reference.nextDeadline ?? -1)"
    }
}

extension RandomScript {
    /// A source of random choices for `list` and `count`.
    static func choices(seed: UInt64) -> RandomScript {
        RandomScript(random: ReferenceGenerator(seed: ~seed))
    }
}
