import Foundation
@testable import PopupState
import PopupProtocol
@testable import PopupScheduling
import SwiftProtobuf
import Testing

/// Each rule of `explain` in words and in fields.
@Suite("An explanation")
struct ExplanationTests {
    typealias Rule = Explanation.Rule

    private func result(_ rule: Rule, blockers: [String] = []) -> WireExplainResult {
        WireExplainResult(
            Explanation(id: "", group: "", phase: .waiting, decisive: Explanation.Reason(rule, blockers)))
    }

    /// The fields beside id, group, phase, rule and text, as JSON.
    private func fields(_ result: WireExplainResult) throws -> String {
        var result = result
        result.phase = .unknown
        result.rule = ""
        result.text = ""
        result.blockers = []
        result.rules = []
        return try result.jsonString()
    }

    static let examples: [(Rule, [String], name: String, text: String, fields: String)] = [
        (.unknown, [], "unknown", "no popup has this id; it never existed, or was forgotten", "{}"),
        (.active, [], "active", "it is the active popup of its group", "{}"),
        (
            .offered(40), [], "offered",
            "the renderers are asked whether to show it; they may answer for 40 ms more", #"{"remainingMs":40}"#
        ),
        (.gathering(40), [], "gathering", "its flow gathers its members for 40 ms more", #"{"remainingMs":40}"#),
        (
            .page(.current, tree: "t", value: "v"), [], "page",
            "it is shown only while `v` is the current page of `t`",
            #"{"page":{"tree":"t","value":"v","scope":"CURRENT"}}"#
        ),
        (
            .page(.within, tree: "t", value: "v"), [], "page",
            "it is shown only while `v` is on the path to the current page of `t`",
            #"{"page":{"tree":"t","value":"v","scope":"WITHIN"}}"#
        ),
        (
            .session("s"), [], "session", "it is shown only while its group's session is `s`", #"{"session":"s"}"#
        ),
        (
            .cap(key: "", most: 3, window: 1000, 40), [], "cap",
            "3 popups of its group were shown within 1000 ms, as many as its cap allows; the next may be in 40 ms",
            #"{"remainingMs":40,"cap":{"most":3,"perMs":1000}}"#
        ),
        (
            .cap(key: "", most: 1, window: 1000, 40), [], "cap",
            "1 popup of its group was shown within 1000 ms, as many as its cap allows; the next may be in 40 ms",
            #"{"remainingMs":40,"cap":{"most":1,"perMs":1000}}"#
        ),
        (
            .cap(key: "c", most: 3, window: 1000, 40), [], "cap",
            "3 popups with the cap key `c` were shown within 1000 ms, as many as its cap allows; the next may be in 40 ms",
            #"{"remainingMs":40,"cap":{"capKey":"c","most":3,"perMs":1000}}"#
        ),
        (
            .capWithoutSpace(key: "", most: 3, window: 1000, 40), [], "cap",
            "its cap has no space to count more popups of its group; the next may be in 40 ms",
            #"{"remainingMs":40,"cap":{"most":3,"perMs":1000}}"#
        ),
        (
            .capWithoutSpace(key: "c", most: 3, window: 1000, 40), [], "cap",
            "its cap has no space to count more popups with the cap key `c`; the next may be in 40 ms",
            #"{"remainingMs":40,"cap":{"capKey":"c","most":3,"perMs":1000}}"#
        ),
        (.retry(40), [], "retry", "a renderer asked to be offered it later: in 40 ms", #"{"remainingMs":40}"#),
        (
            .requirement(popup: "A", action: "ok"), ["A"], "requirement",
            "`A` of its flow has to close with `ok` first", #"{"requirement":{"popup":"A","action":"ok"}}"#
        ),
        (
            .requirement(popup: "A", action: ""), [], "requirement", "`A` of its flow has to close first",
            #"{"requirement":{"popup":"A"}}"#
        ),
        (.flow, ["A"], "flow", "`A` of its flow goes first", "{}"),
        (
            .held(40), [], "held", "a flow keeps the slot for members that come later, for 40 ms more",
            #"{"remainingMs":40}"#
        ),
        (
            .quiet(40), [], "quiet", "a quiet window holds its priority back for at least 40 ms more",
            #"{"remainingMs":40}"#
        ),
        (.delayed(40), [], "delayed", "it arrives in 40 ms", #"{"remainingMs":40}"#),
        (
            .suspended, ["x"], "suspended", "the suspension `x` holds its priority back until it is released", "{}"
        ),
        (
            .suspended, ["x", "y"], "suspended",
            "the suspensions `x`, `y` hold its priority back until all are released", "{}"
        ),
        (.gap(40), [], "gap", "the pause between two popups lasts 40 ms more", #"{"remainingMs":40}"#),
        (
            .minimumDisplay(40), ["A"], "minDisplay",
            "`A` is protected by its minimum display time for 40 ms more", #"{"remainingMs":40}"#
        ),
        (.uninterruptible, ["A"], "uninterruptible", "`A` may not be interrupted", "{}"),
        (.queue(ahead: 0), [], "queue", "it is next in the queue", "{}"),
        (.queue(ahead: 0), ["A"], "queue", "it is next in the queue, after `A`", "{}"),
        (.queue(ahead: 1), [], "queue", "1 popup is ahead of it in the queue", #"{"ahead":1}"#),
        (.queue(ahead: 2), [], "queue", "2 popups are ahead of it in the queue", #"{"ahead":2}"#),
        (.queue(ahead: 2), ["A"], "queue", "`A` and 2 more are ahead of it in the queue", #"{"ahead":2}"#),
        (
            .closed(.preempted, action: "", by: "B", at: 70, displayed: 40), [], "closed",
            "`B` interrupted it, after it was shown for 40 ms; its group's policy closes what is interrupted",
            #"{"closed":{"reason":"PREEMPTED","displayedMs":40},"by":"B","closedAt":"70"}"#
        ),
        (
            .closed(.unmet, action: "", by: "B", at: 70, displayed: 0), [], "closed",
            "`B`, which it requires, did not close as required; it was never shown",
            #"{"closed":{"reason":"UNMET"},"by":"B","closedAt":"70"}"#
        ),
    ]

    @Test("says what keeps the popup, in words and in fields", arguments: examples.indices)
    func said(index: Int) throws {
        let (rule, blockers, name, text, fields) = Self.examples[index]
        let result = result(rule, blockers: blockers)
        #expect(result.rule == name)
        #expect(result.text == text)
        #expect(result.blockers == blockers)
        #expect(try self.fields(result) == fields)
    }

    @Test("has a sentence for every reason to close", arguments: CloseReason.allCases)
    func closed(reason: CloseReason) {
        for by in ["", "B"] {
            let text = result(.closed(reason, action: "ok", by: by, at: 1, displayed: 0)).text
            #expect(text.contains("; it was never shown") && text.count > 20 && !text.contains("``"), "\(text)")
        }
    }

    @Test("has its rules in the protocol's documentation")
    func documented() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "Documentation/Protocol.md"), encoding: .utf8)
        let table = text.split(separator: "\n").drop { !$0.hasPrefix("| rule |") }.prefix { $0.hasPrefix("|") }
        let documented = Set(
            table.dropFirst(2).compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) })
        #expect(documented == Set(Self.examples.map(\.name)))
    }

    @Test("lists every rule that holds the popup back, the decisive one first, each with its fields")
    func list() throws {
        let explanation = Explanation(
            id: "A", group: "g", phase: .waiting, decisive: Explanation.Reason(.suspended, ["t"]),
            others: [
                Explanation.Reason(.session("anna")), Explanation.Reason(.gap(40)),
                Explanation.Reason(.queue(ahead: 1), ["X", "B"]),
            ])
        let result = WireExplainResult(explanation)
        #expect(result.rule == "suspended")
        #expect(
            try result.rules.map { try $0.jsonString() } == [
                #"{"rule":"suspended","blockers":["t"],"text":"the suspension `t` holds its priority back until it is released"}"#,
                #"{"rule":"session","text":"it is shown only while its group's session is `anna`","session":"anna"}"#,
                #"{"rule":"gap","text":"the pause between two popups lasts 40 ms more","remainingMs":40}"#,
                #"{"rule":"queue","blockers":["X","B"],"text":"`X` and 1 more are ahead of it in the queue","ahead":1}"#,
            ])
    }

    @Test("lists no rule for a popup that is shown, closed or unknown")
    func noList() {
        let closed = Explanation.Rule.closed(.advanced, action: "", by: "", at: 0, displayed: 0)
        for rule in [.active, .unknown, closed] {
            #expect(WireExplainResult(Explanation(id: "", group: "", decisive: Explanation.Reason(rule))).rules == [])
        }
    }
}
