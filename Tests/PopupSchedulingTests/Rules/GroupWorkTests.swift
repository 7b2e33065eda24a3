import PopupScheduling
import Testing

/// Commands that concern thousands of groups: a bounded part of them a step, and all that comes of it as if it were one.
@Suite struct GroupWorkTests {
    private static let groups = 3000

    private struct Told: Equatable {
        var events: [String]
        /// Of the longest step.
        var most: Int
        var steps: Int
    }

    /// What one command, told after all others, comes to.
    private func told(_ script: [Instruction], _ last: Instruction, on subject: any Subject) -> Told {
        for instruction in script { _ = subject.perform(instruction, at: 0) }
        var told = Told(events: [], most: 0, steps: 0)
        func take(_ events: [Occurrence]) {
            told.events += events.map { $0.line(.revision) }
            told.most = max(told.most, events.count)
            told.steps += 1
        }
        take(subject.perform(last, at: 0).events)
        while let events = subject.step(until: 0) { take(events) }
        #expect(subject.complaints() == [])
        return told
    }

    private func popups(
        in groups: Int = Self.groups, _ change: (Int, inout Instruction.Request) -> Void = { _, _ in }
    ) -> [Instruction] {
        (0..<groups).flatMap { number in
            ["a", "b"].map { name in
                var request = Instruction.Request(id: "\(name)\(number)", group: "s/g\(number)")
                change(number, &request)
                return .show(request)
            }
        }
    }

    /// Holds everything back at the beginning of time.
    private static var quiet: Policy {
        var policy = Policy()
        policy.quiet = [QuietWindow(from: 0, to: 60, zone: .utc)]
        return policy
    }

    private static let cases: [(String, script: [Instruction], last: Instruction)] = [
        ("clear", [], .clear(Instruction.Choice(pattern: "s/*", active: true))),
        ("suspend", [], .suspend("*", token: "t", minimumPriority: nil)),
        ("resume", [.suspend("s/*", token: "t", minimumPriority: nil)], .resume(token: "t")),
        ("policy", [], .policy("*", quiet)),
        (
            "enter a page",
            [.page("t", .open("1", parent: "", value: "home")), .page("t", .open("2", parent: "1", value: "list"))],
            .page("t", .enter("2"))
        ),
        (
            "close a page",
            [
                .page("t", .open("1", parent: "", value: "home")), .page("t", .open("2", parent: "1", value: "list")),
                .page("t", .enter("2")),
            ],
            .page("t", .close("2"))
        ),
    ]

    @Test(arguments: 0..<cases.count)
    func `work in parts has the same result, whatever command follows`(number: Int) {
        let (name, before, last) = Self.cases[number]
        let bound = name.hasSuffix("page")
        let script =
            before
            + popups { number, request in
                if bound, number % 2 == 0 { request.page = Instruction.Page("list") }
            }
        let whole = told(script, last, on: SchedulerSubject(limits: Limits(), seed: 0))
        #expect(whole.events.count >= Self.groups / 2, "nothing comes of \(name)")
        #expect(whole.most <= 2100 && whole.steps > 3, "\(name) tells \(whole.most) events in one step")

        // Another command doesn't come in between: what is left to do is done before it.
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        for instruction in script { _ = subject.perform(instruction, at: 0) }
        var events = subject.perform(last, at: 0).events
        events += subject.perform(.advance("nothing"), at: 7).events
        #expect(events.map { $0.line(.revision) } == whole.events)

        // In each group that it concerns.
        let groups = Dictionary(grouping: whole.events) { $0.split(separator: " ").first { $0.hasSuffix(":") } }
        #expect(groups.count == (bound ? Self.groups / 2 : Self.groups))
    }

    @Test func `a query between the parts of a new policy's work is answered, whether popups begin or cease to age`() {
        for (before, after) in [(1000, 0), (0, 1000), (1000, 7)] as [(UInt32, UInt32)] {
            func policy(_ aging: UInt32) -> Policy {
                var policy = Policy.polite
                policy.aging = aging
                return policy
            }
            let subject = SchedulerSubject(limits: Limits(), seed: 0)
            for instruction in [.policy("*", policy(before))] + popups() { _ = subject.perform(instruction, at: 0) }
            for number in [0, Self.groups - 1] {
                _ = subject.perform(.show(Instruction.Request(id: "c\(number)", group: "s/g\(number)")), at: 500)
            }
            _ = subject.perform(.policy("*", policy(after)), at: 5000)
            var steps = 0
            repeat {
                steps += 1
                for number in [0, Self.groups - 1] {
                    let popups = subject.peek("s/g\(number)", limit: 10, at: 5000).map(\.id)
                    #expect(popups == ["a\(number)", "b\(number)", "c\(number)"])
                    _ = subject.explain("c\(number)", at: 5000)
                }
            } while subject.step(until: 5000) != nil
            #expect(steps > 3)
            #expect(subject.complaints() == [])
        }
    }

    /// Both numbers are more than a step handles: a walk that began again in each step would make more than twice as many
    /// visits.
    @Test(arguments: 0..<cases.count)
    func `the work grows like the number of groups`(number: Int) {
        let (few, many) = (visits(of: number, groups: 1100), visits(of: number, groups: 2200))
        #expect(few >= 1000 && many * 10 <= few * 21, "\(few) visits with 1100 groups, \(many) with 2200")
    }

    /// Returns the popups and groups that the last command of a case visits.
    private func visits(of number: Int, groups: Int) -> Int {
        let (name, before, last) = Self.cases[number]
        let bound = name.hasSuffix("page")
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        let popups = popups(in: groups) { number, request in
            if bound, number % 2 == 0 { request.page = Instruction.Page("list") }
        }
        for instruction in before + popups { _ = subject.perform(instruction, at: 0) }
        let visits = subject.visits
        _ = subject.perform(last, at: 0)
        while subject.step(until: 0) != nil {}
        return subject.visits - visits
    }

    @Test func `the end of a lease closes the popups that only needed its dismissal, in each group`() {
        let quorum = popups { _, request in request.quorumAll = true }
        let dismissals = (0..<Self.groups).map { number in
            Instruction.dismiss("a\(number)", action: "ok", revision: nil, client: "r1")
        }
        let script = [.lease("r1", ["*"]), .lease("r2", ["*"])] + quorum + dismissals
        let whole = told(script, .lease("r2", []), on: SchedulerSubject(limits: Limits(), seed: 0))
        #expect(whole.events.count == 2 * Self.groups && whole.most <= 2100)
        #expect(whole.events.count { $0.contains("DISMISSED ok") } == Self.groups)
    }

    @Test func `the end of a lease removes its renderer's displays, in parts`() {
        var policy = Policy()
        policy.rendererLost = .close
        let displays = (0..<Self.groups).map { Instruction.report("a\($0)", client: "r", .displayed) }
        let script = [.policy("*", policy), .lease("r", ["*"])] + popups() + displays
        let whole = told(script, .lease("r", []), on: SchedulerSubject(limits: Limits(), seed: 0))
        // Three steps for what it displayed, three and more for what comes of it.
        #expect(whole.most <= 2100 && whole.steps > 5)
        #expect(whole.events.count { $0.contains("RENDERER_LOST") } == Self.groups)
    }

    @Test func `an exclusive popup takes the slot of its own group, whatever became free before`() {
        var request = Instruction.Request(id: "N", group: "s/g2500")
        request.exclusive = .all
        // Nothing is shown where it comes: a suspension holds all back.
        let script = popups() + [.suspend("s/g2500", token: "t", minimumPriority: nil)]
        let whole = told(script, .show(request), on: SchedulerSubject(limits: Limits(), seed: 0))
        #expect(whole.most <= 2100 && whole.steps > 3)
        #expect(whole.events.count { $0.contains("SUPERSEDED") } == 2 * Self.groups)
        #expect(whole.events.count { !$0.contains("SUPERSEDED") } == 1)
    }

    @Test func `a snapshot in between contains the completed state`() throws {
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        for instruction in popups() { _ = subject.perform(instruction, at: 0) }
        _ = subject.perform(.clear(Instruction.Choice(pattern: "*")), at: 5)
        let restored = try SchedulerSubject(restoring: subject.state)
        #expect(restored.count(Instruction.Choice()) == 0)
        #expect(restored.state == subject.state)
    }
}
