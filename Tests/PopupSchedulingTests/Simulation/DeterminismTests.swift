import PopupScheduling
import Testing

/// The same commands at the same times give the same bytes: no clock, no randomness but the seed's, no hash order.
@Suite struct DeterminismTests {
    /// Everything that a run says, as the bytes of the buffer and the events over it.
    private struct Record: Equatable {
        var text: [UInt8] = []
        var lines: [String] = []
    }

    private func record(_ script: [Told], seed: UInt64, timerByTimer: Bool = true) -> Record {
        var scheduler = Scheduler(seed: seed)
        var buffer = EventBuffer()
        var record = Record()
        func take() {
            record.text += buffer.text
            record.lines += buffer.events.map {
                "\($0.at) \($0.kind) \($0.revision) \($0.group.count) \($0.popup.count)"
            }
            record.lines += buffer.changes.map { "\($0.group.number) \($0.revision)" }
            buffer.removeAll()
        }
        for told in script {
            while timerByTimer, scheduler.step(until: told.at, into: &buffer) { take() }
            var text = TextBuilder()
            let command = told.instruction.command(&text)
            scheduler.apply(command, text: text.bytes.span.bytes, at: told.at, into: &buffer)
            take()
        }
        let end = (script.last?.at ?? 0) + 200_000_000
        while scheduler.step(until: end, into: &buffer) { take() }
        return record
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `the same journal results in the same bytes`(seed: UInt64) {
        let script = RandomScript.of(seed: seed, count: 300, chapters: RandomScript.Chapter.allCases)
        let first = record(script, seed: seed)
        #expect(!first.lines.isEmpty)
        #expect(record(script, seed: seed) == first)
    }

    @Test func `another seed changes only the gaps`() {
        var script = [Told(at: 0, instruction: .policy("*", Policy()))]
        script += RandomScript.of(seed: 7, count: 300).filter {
            if case .policy = $0.instruction { false } else { true }
        }
        #expect(record(script, seed: 1) == record(script, seed: 2))

        var policy = Policy()
        policy.gap = 0...1_000_000
        script[0] = Told(at: 0, instruction: .policy("*", policy))
        #expect(record(script, seed: 1) != record(script, seed: 2))
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `what happens in one group never changes another`(seed: UInt64) {
        let groups = RandomScript.groups
        let script = RandomScript.of(seed: seed, count: 300, repeatsIDs: false)
            .filter { !$0.instruction.reachesSeveralGroups }.enumerated().map {
                $1.withOwnTokens(resumedIn: groups[$0 % groups.count])
            }
        let all = lines(of: script, seed: seed)
        for group in groups {
            let popups = Set(
                script.compactMap { told -> String? in
                    if case .show(let request) = told.instruction, request.group == group { request.id } else { nil }
                })
            let alone = script.filter { $0.instruction.concerns(group, popups) }
            #expect(lines(of: alone, seed: seed)[group] == all[group], "\(group) without the others and with them")
        }
    }

    /// What each group says.
    private func lines(of script: [Told], seed: UInt64) -> [String: [String]] {
        let scheduler = SchedulerSubject(limits: Limits(), seed: seed)
        var events: [Occurrence] = []
        for told in script { events += scheduler.perform(told).events }
        while let more = scheduler.step(until: 1 << 40) { events += more }
        return Dictionary(grouping: events, by: \.group)
            .mapValues { $0.map { $0.line([.revision, .displayed]) } }
    }
}

extension Told {
    /// Tokens have one name for all groups; here each group has its own.
    fileprivate func withOwnTokens(resumedIn group: String) -> Told {
        switch instruction {
        case .suspend(let name, let token, let minimum):
            Told(at: at, instruction: .suspend(name, token: "\(token) \(name)", minimumPriority: minimum))
        case .resume(let token):
            Told(at: at, instruction: .resume(token: "\(token) \(group)"))
        default: self
        }
    }
}

extension Instruction {
    /// Exclusive for all, patterns, random gaps: what is meant to be felt elsewhere, or draws from the common seed.
    fileprivate var reachesSeveralGroups: Bool {
        switch self {
        case .show(let request): request.exclusive == .all
        case .clear(let choice): choice.pattern.isEmpty || choice.pattern.hasSuffix("*")
        case .suspend(let pattern, _, _), .removePolicy(let pattern): pattern.hasSuffix("*")
        case .policy(let pattern, let policy):
            pattern.hasSuffix("*") || policy.gap.lowerBound != policy.gap.upperBound
        case .update, .dismiss, .advance, .resume, .setSession, .report, .answer, .lease, .page, .setWallClock: false
        }
    }

    fileprivate func concerns(_ group: String, _ popups: Set<String>) -> Bool {
        switch self {
        case .show(let request): request.group == group
        case .update(let change): popups.contains(change.id)
        case .dismiss(let id, _, _, _), .report(let id, _, _), .answer(let id, _, _): popups.contains(id)
        case .setSession(let name, _): name == group
        case .lease, .page, .setWallClock: true
        case .advance(let name), .suspend(let name, _, _), .removePolicy(let name), .policy(let name, _): name == group
        case .clear(let choice): choice.pattern == group
        case .resume(let token): token.hasSuffix(" \(group)")
        }
    }
}
