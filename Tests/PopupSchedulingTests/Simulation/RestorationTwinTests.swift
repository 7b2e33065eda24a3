import PopupScheduling
import Testing

/// Random scripts over all rules, told to two schedulers of which one is restored from its own state now and then: they
/// say the same, and are the same.
@Suite struct RestorationTwinTests {
    @Test(arguments: 0..<Seeds.lanes)
    func `a scheduler restored anywhere does what an undisturbed twin does`(lane: UInt64) {
        for seed in Seeds.of(lane: lane, share: 2) {
            let setting = Setting(limits: RandomScript.limits(of: seed), seed: seed)
            let script = RandomScript.of(
                seed: seed, count: RandomScript.length(of: seed), chapters: RandomScript.chapters(of: seed))
            guard difference(in: script, setting) != nil else { continue }

            let shortest = shrunk(script) { difference(in: $0, setting) != nil }
            Issue.record(
                """
                seed \(seed): \(difference(in: shortest, setting)!)
                \(Timeline.code(of: shortest, setting: setting))
                """)
            return
        }
    }

    private func difference(in script: [Told], _ setting: Setting) -> String? {
        let undisturbed = SchedulerSubject(limits: setting.limits, seed: setting.seed)
        let restored = SchedulerSubject(limits: setting.limits, seed: setting.seed)
        var random = ReferenceGenerator(seed: setting.seed)

        func differ(_ what: String, _ events: [Occurrence]?, _ expected: [Occurrence]?) -> String? {
            let complaints = restored.complaints()
            if !complaints.isEmpty { return "\(what): \(complaints.joined(separator: "; "))" }
            if events != expected { return "\(what): \(lines(events)), undisturbed \(lines(expected))" }
            return restored.state == undisturbed.state ? nil : "\(what): the states differ"
        }
        func timers(until time: Milliseconds) -> String? {
            for _ in 0..<200 {
                if random.below(4) == 0 { restored.restore() }
                let (events, expected) = (restored.step(until: time), undisturbed.step(until: time))
                if let found = differ("what was due by \(time)", events, expected) { return found }
                if expected == nil { return nil }
            }
            return nil
        }
        for told in script {
            if let found = timers(until: told.at) { return found }
            if random.below(4) == 0 { restored.restore() }
            let (events, refusal) = restored.perform(told)
            let (expected, expectedRefusal) = undisturbed.perform(told)
            let step = "at \(told.at) \(told.instruction.call)"
            if refusal != expectedRefusal { return "\(step): another refusal" }
            if let found = differ(step, events, expected) { return found }
        }
        return timers(until: (script.last?.at ?? 0) + 1_000_000)
    }

    private func lines(_ events: [Occurrence]?) -> String {
        events?.map { $0.line([.revision, .displayed]) }.joined(separator: "; ") ?? "nothing"
    }
}
