import PopupScheduling
import Testing

/// The reference case of flows: A, the result of something, is either A1 with "ok" alone, or A2 with "cancel" and
/// "confirm"; B, to edit it, follows A2's "confirm" only; C, to share it, comes last in every case. Whichever was never
/// sent is skipped, and an unrelated popup never cuts in between.
@Suite struct ReferenceCaseTests {
    /// What was sent, in this order, and what the user chose.
    struct Case {
        var sent: [String]
        var action: String

        /// The members that the user gets to see, one after another.
        var seen: [String] {
            var seen = sent.filter { $0.hasPrefix("A") }
            if sent.contains("A2"), action == "confirm", sent.contains("B") { seen.append("B") }
            return seen + sent.filter { $0 == "C" }
        }

        func choice(for member: String) -> String {
            switch member {
            case "A1": "ok"
            case "A2": action
            default: "done"
            }
        }
    }

    /// All arrival orders of all that can be sent, with all choices.
    static let cases: [Case] = [["A1"], ["A2"], []].flatMap { result in
        [[], ["B"], ["C"], ["B", "C"]].flatMap { rest in
            permutations(of: result + rest).flatMap { sent in
                sent.isEmpty
                    ? [] : (result == ["A2"] ? ["cancel", "confirm"] : ["ok"]).map { Case(sent: sent, action: $0) }
            }
        }
    }

    @Test func `all arrival orders end in the same order of display`() {
        #expect(Self.cases.count == 37)
        for example in Self.cases {
            check(example, unrelatedBefore: nil, unrelatedDuring: nil)
        }
    }

    @Test func `an unrelated popup accepted before or among the members is shown before them`() {
        for example in Self.cases {
            for position in 0...example.sent.count { check(example, unrelatedBefore: position, unrelatedDuring: nil) }
        }
    }

    @Test func `an unrelated popup that arrives while a member is shown waits for the last member`() {
        for example in Self.cases {
            for position in example.seen.indices { check(example, unrelatedBefore: nil, unrelatedDuring: position) }
        }
    }

    private func check(_ example: Case, unrelatedBefore before: Int?, unrelatedDuring during: Int?) {
        var timeline = Timeline().policy(.polite) { $0.gather = 100 }
        var shown: [String] = []
        func shows(_ popup: String, dismissedWith action: String) {
            shown += ["shown \(popup)", "closed \(popup) DISMISSED \(action)"]
        }
        for (position, member) in example.sent.enumerated() {
            if position == before { timeline = timeline.show("U", priority: 9) }
            timeline = timeline.at(Milliseconds(10 * position)).show(member, flow: Self.part(of: member))
        }
        if before == example.sent.count { timeline = timeline.show("U", priority: 9) }
        var now: Milliseconds = 200
        if before != nil {
            timeline = timeline.at(now).dismiss("U", "seen")
            shows("U", dismissedWith: "seen")
        }
        for (position, member) in example.seen.enumerated() {
            now += 100
            timeline = timeline.at(now)
            if position == during { timeline = timeline.show("U", priority: 9) }
            timeline = timeline.dismiss(member, example.choice(for: member))
            shows(member, dismissedWith: example.choice(for: member))
        }
        if during != nil {
            timeline = timeline.at(now + 100).dismiss("U", "seen")
            shows("U", dismissedWith: "seen")
        }
        let isUnmet = example.sent.contains("B") && !example.seen.contains("B")
        for (name, subject) in Setting().subjects() {
            let lines = timeline.run(on: subject).map { $0.drop { $0 != " " }.dropFirst() }.map(String.init)
            #expect(
                lines.filter { !$0.hasPrefix("queued") && $0 != "closed B UNMET" } == shown,
                "the \(name): \(example), unrelated before \(before ?? -1), during \(during ?? -1)")
            #expect(lines.count { $0 == "closed B UNMET" } == (isUnmet ? 1 : 0), "the \(name): \(example)")
        }
    }

    private static func part(of member: String) -> Instruction.Flow {
        switch member {
        case "B": .init("order", stage: 2, requires: "A2", action: "confirm")
        case "C": .init("order", stage: 3)
        default: .init("order", stage: 1)
        }
    }

    private static func permutations(of members: [String]) -> [[String]] {
        if members.isEmpty { return [[]] }
        return members.indices.flatMap { index in
            var rest = members
            let first = rest.remove(at: index)
            return permutations(of: rest).map { [first] + $0 }
        }
    }
}
