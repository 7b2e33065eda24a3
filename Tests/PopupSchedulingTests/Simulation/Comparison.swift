import PopupScheduling

/// Runs a script on the scheduler and the reference side by side, down to the end of the last timer.
struct Comparison {
    var setting: Setting

    /// Where they first differ, or what never may be; `nil` when nothing is to be said.
    func difference(in script: [Told]) -> String? {
        let scheduler = SchedulerSubject(limits: setting.limits, seed: setting.seed)
        let reference = ReferenceScheduler(limits: setting.limits, seed: setting.seed)
        var choices = RandomScript.choices(seed: setting.seed)
        var ids: [String] = []

        for told in script {
            while let next = reference.nextDeadline, next <= told.at {
                if let difference = stepDifference(scheduler, reference, until: told.at, ids) { return difference }
            }
            if case .show(let request) = told.instruction { ids.append(request.id) }
            let (events, refusal) = scheduler.perform(told.instruction, at: told.at)
            let (expected, expectedRefusal) = reference.perform(told.instruction, at: told.at)
            let step = "at \(told.at) \(told.instruction.call)"
            if refusal != expectedRefusal {
                return "\(step): refusal \(refusal?.words ?? "none"), expected \(expectedRefusal?.words ?? "none")"
            }
            if let difference = compare(events, expected) { return "\(step): \(difference)" }
            if let difference = views(scheduler, reference, at: told.at, ids.suffix(16), choices.choice()) {
                return "after \(step): \(difference)"
            }
        }
        for _ in 0..<10_000 {
            guard reference.nextDeadline != nil else {
                return scheduler.nextDeadline.map { "a timer at \($0) more than there should be" }
            }
            if let difference = stepDifference(scheduler, reference, until: 1 << 40, ids) { return difference }
        }
        return "the timers find no end"
    }

    private func stepDifference(
        _ scheduler: SchedulerSubject, _ reference: ReferenceScheduler, until time: Milliseconds, _ ids: [String]
    ) -> String? {
        let due = reference.nextDeadline ?? 0
        if scheduler.nextDeadline != due {
            return "the next timer is due at \(scheduler.nextDeadline ?? -1), expected \(due)"
        }
        let expected = reference.step(until: time) ?? []
        guard let events = scheduler.step(until: time) else { return "no step at \(due)" }
        if let difference = compare(events, expected) { return "the timer due at \(due): \(difference)" }
        return views(scheduler, reference, at: due, ids.suffix(16), Instruction.Choice())
            .map { "after the timer due at \(due): \($0)" }
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
        _ ids: ArraySlice<String>,
        _ choice: Instruction.Choice
    ) -> String? {
        func unequal<Answer: Equatable>(_ question: String, _ ask: (any Subject) -> Answer) -> String? {
            let (given, expected) = (ask(scheduler), ask(reference))
            return given == expected ? nil : "\(question) is \(given), expected \(expected)"
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
            if let found = unequal("explain \(id)", { $0.explain(id, at: time) }) { return found }
        }
        return unequal("list of \(choice)") { $0.list(choice, limit: 5, at: time) }
            ?? unequal("count of \(choice)") { $0.count(choice) }
            ?? unequal("the next timer") { $0.nextDeadline }
    }
}

extension RandomScript {
    /// A source of random choices for `list` and `count`.
    static func choices(seed: UInt64) -> RandomScript {
        RandomScript(random: ReferenceGenerator(seed: ~seed))
    }
}
