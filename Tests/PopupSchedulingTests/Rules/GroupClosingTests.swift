import PopupScheduling
import Testing

/// Thousands of popups of one group that close together: a bounded part of them a step, and the group goes on after
/// all.
@Suite struct GroupClosingTests {
    private static let popups = 5000
    private static let maxInStep = 1100

    private static func shows(_ change: (Int, inout Instruction.Request) -> Void = { _, _ in }) -> [Instruction] {
        (0..<popups).map { number in
            var request = Instruction.Request(id: "p\(number)", group: "g")
            change(number, &request)
            return .show(request)
        }
    }

    /// What one command comes to, in the order of its steps.
    private func steps(_ script: [Instruction], _ last: Instruction) -> [[Occurrence]] {
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        for instruction in script { _ = subject.perform(instruction, at: 0) }
        var steps = [subject.perform(last, at: 0).events]
        while let events = subject.step(until: 0) { steps.append(events) }
        #expect(subject.complaints() == [])
        return steps
    }

    private static let page: [Instruction] = [
        .page("t", .open("1", parent: "", value: "home")), .page("t", .open("2", parent: "1", value: "list")),
    ]

    private static var newcomer: Instruction {
        var request = Instruction.Request(id: "N", group: "g")
        request.exclusive = .group
        return .show(request)
    }

    private static let cases: [(String, script: [Instruction], last: Instruction)] = [
        ("CLEARED", shows(), .clear(Instruction.Choice(pattern: "g"))),
        ("SESSION_ENDED", [.setSession("g", "s")] + shows { $1.session = "s" }, .setSession("g", "t")),
        ("PAGE_CLOSED", page + shows { $1.page = Instruction.Page("list") }, .page("t", .close("2"))),
        ("SUPERSEDED", shows(), newcomer),
    ]

    @Test(arguments: 0..<cases.count)
    func `it is done in parts, highest first`(number: Int) throws {
        let (reason, script, last) = Self.cases[number]
        let steps = steps(script, last)
        #expect(steps.count >= Self.popups / Self.maxInStep)
        #expect(steps.allSatisfy { $0.count <= Self.maxInStep }, "\(steps.map(\.count))")
        let told = Array(steps.joined())
        let closed = told.prefix(Self.popups)
        #expect(closed.map(\.popup) == (0..<Self.popups).map { "p\($0)" }, "not in the order of the queue")
        #expect(closed.allSatisfy { $0.line(.revision).contains(reason) })
        // Nothing is shown but the newcomer, and that after all of them.
        #expect(told.dropFirst(Self.popups).map(\.popup) == (reason == "SUPERSEDED" ? ["N"] : []))
    }

    @Test func `a group continues when all are closed, and dependants close after them`() {
        var stays = Instruction.Request(id: "stays", group: "g", priority: -1)
        stays.surface = "other"
        let script = Self.shows { number, request in
            request.surface = number < 4998 ? "s" : "other"
            request.priority = 4998...4999 ~= number ? -2 : 0
            if number == 0 || number == 4999 { request.flow = .init("f", stage: UInt32(number)) }
            if number == 4999 { request.flow = .init("f", stage: 1, requires: "p0", action: "ok") }
        }
        var choice = Instruction.Choice(pattern: "g")
        choice.surface = "s"
        let told = Array(steps(script + [.show(stays)], .clear(choice)).joined())
        #expect(told.prefix(4998).allSatisfy { $0.line(.revision).contains("CLEARED") })
        #expect(told.dropFirst(4998).map(\.popup) == ["p4999", "stays"])
        #expect(told[4998].line(.revision).contains("UNMET"))
    }

    @Test func `no other command comes in between`() {
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        for instruction in Self.shows() { _ = subject.perform(instruction, at: 0) }
        _ = subject.perform(.clear(Instruction.Choice(pattern: "g")), at: 0)
        let events = subject.perform(.show(Instruction.Request(id: "N", group: "g")), at: 0).events
        #expect(events.count > Self.popups / 2)
        #expect(events.last?.popup == "N")
    }

    @Test func `a snapshot in between contains the completed state`() throws {
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        for instruction in Self.shows() { _ = subject.perform(instruction, at: 0) }
        _ = subject.perform(Self.newcomer, at: 5)
        let restored = try SchedulerSubject(restoring: subject.state)
        #expect(restored.count(Instruction.Choice()) == 1)
        #expect(restored.state == subject.state)
    }
}
