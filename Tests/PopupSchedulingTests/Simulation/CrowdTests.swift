import PopupScheduling
import Testing

/// Thousands of popups at once, where the reference would be too slow: against arrays that are sorted.
@Suite struct CrowdTests {
    @Test func `thousands of timers, many reset or cancelled, fire by due time, then in the order of setting`() {
        var random = ReferenceGenerator(seed: 1)
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        var set: [(due: Milliseconds, order: Int, id: Int)] = []
        var order = 0
        var given: [String] = []
        var expected: [String] = []

        func fire(until time: Milliseconds) {
            let due = set.filter { $0.due <= time }.sorted { ($0.due, $0.order) < ($1.due, $1.order) }
            expected += due.map { "\($0.due) g\($0.id): closed p\($0.id) TIMED_OUT" }
            set.removeAll { $0.due <= time }
        }
        func tell(_ instruction: Instruction, at time: Milliseconds) {
            fire(until: time)
            given += subject.perform(instruction, at: time).events.filter(\.isTimeout).map { $0.line() }
        }
        for id in 0..<3000 {
            let duration = UInt32(50 + random.below(400))
            tell(
                .show(Instruction.Request(id: "p\(id)", group: "g\(id)", duration: duration)),
                at: Milliseconds(id / 100))
            order += 1
            set.append((Milliseconds(id / 100) + Milliseconds(duration), order, id))
        }
        for command in 0..<2000 {
            let time = Milliseconds(30 + command / 10)
            fire(until: time)
            let index = random.below(set.count)
            let id = set[index].id
            set.remove(at: index)
            if random.below(3) == 0 {
                tell(.dismiss("p\(id)", action: "", revision: nil, client: ""), at: time)
            } else {
                let duration = UInt32(1 + random.below(400))
                let change = Instruction.Change(id: "p\(id)", duration: duration, restartTimer: true)
                tell(.update(change), at: time)
                order += 1
                set.append((time + Milliseconds(duration), order, id))
            }
            if command % 250 == 0 { #expect(subject.complaints() == []) }
        }
        fire(until: 10_000)
        while let events = subject.step(until: 10_000) {
            given += events.filter(\.isTimeout).map { $0.line() }
        }
        #expect(given == expected)
        #expect(subject.nextDeadline == nil)
    }

    @Test(arguments: [200, 2])
    func `a queue of thousands stays in its order, whether its priorities are many or few`(priorities: Int) {
        var random = ReferenceGenerator(seed: 2)
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        var line: [(priority: Int32, id: Int)] = []
        func tell(_ instruction: Instruction) -> [String] {
            subject.perform(instruction, at: 0).events.map { $0.line() }
        }
        _ = tell(.policy("g", .polite))
        _ = tell(.show(Instruction.Request(id: "p0", group: "g")))
        for id in 1...3000 {
            let priority = Int32(random.below(priorities) - priorities / 2)
            _ = tell(.show(Instruction.Request(id: "p\(id)", group: "g", priority: priority)))
            line.append((priority, id))
        }
        for command in 0..<1500 {
            let index = random.below(line.count)
            let id = line[index].id
            if random.below(3) == 0 {
                line.remove(at: index)
                #expect(
                    tell(.dismiss("p\(id)", action: "", revision: nil, client: "")) == ["0 closed p\(id) DISMISSED"])
            } else {
                line[index].priority = Int32(random.below(priorities) - priorities / 2)
                let change = Instruction.Change(id: "p\(id)", priority: line[index].priority)
                #expect(tell(.update(change)) == ["0 updated p\(id)"])
            }
            if command % 250 == 0 { #expect(subject.complaints() == []) }
        }
        line.sort { $0.priority != $1.priority ? $0.priority > $1.priority : $0.id < $1.id }
        #expect(
            subject.peek("g", limit: .max, at: 0).map(\.id) == ["p0"] + line.map { "p\($0.id)" })
        var shown: [String] = []
        for _ in line { shown += tell(.advance("g")).suffix(1) }
        #expect(shown == line.map { "0 shown p\($0.id)" })
    }

    @Test func `thousands of ids are remembered for the deduplication window`() {
        var limits = Limits()
        limits.deduplicationWindow = 1000
        let subject = SchedulerSubject(limits: limits, seed: 0)
        var accepted = 0
        for time in 0..<5000 {
            let id = time % 1500
            let request = Instruction.Request(id: "p\(id)", group: "g\(id % 7)", duration: 1)
            let events = subject.perform(.show(request), at: Milliseconds(time)).events
            if events.contains(where: { $0.popup == request.id }) { accepted += 1 }
            if time >= 900 {
                #expect(subject.explain("p\((time - 900) % 1500)", at: Milliseconds(time)).phase == .closed)
            }
        }
        #expect(accepted == 5000)
        #expect(subject.explain("p600", at: 5000).phase == nil, "shown last at 3600")
        #expect(subject.complaints() == [])
    }
}

extension Occurrence {
    fileprivate var isTimeout: Bool {
        if case .closed(.timedOut, _, _) = kind { true } else { false }
    }
}
