import PopupClient
import Testing

@testable import line_producer

@Suite("Rules for lines")
struct RulesFileTests {
    private func popups(_ yaml: String, _ lines: [(String, Duration)]) throws -> [Popup?] {
        var book = RuleBook(try RulesFile.rules(yaml, file: "rules.yaml"), name: "run")
        return lines.map { book.popup(for: $0.0, at: $0.1) }
    }

    @Test("a rule says everything about its popups, captures fill the templates")
    func whole() throws {
        let yaml = #"""
            - pattern: '^(?<level>ERROR|WARN) \[(\w+)\] (?<text>.*)$'
              group: 'hosts/{2}'
              text: '{text}'
              title: 'Level {level}, {{really}}'
              style: error
              scene: TOP_BAR
              priority: 7
              durationMs: 8000
              ttlMs: 60000
              minDisplayMs: 500
              collapseKey: '{level}'
              exclusive: GROUP
            """#
        var expected = Popup(
            id: "run-1", group: "hosts/web_3", priority: 7, duration: .seconds(8), title: "Level ERROR, {really}",
            text: "disk full")
        expected.ttlMs = 60_000
        expected.minDisplayMs = 500
        expected.collapseKey = "ERROR"
        expected.exclusive = .group
        expected.presentation.style = "error"
        expected.presentation.scene = .topBar
        #expect(try popups(yaml, [("ERROR [web_3] disk full", .zero)]) == [expected])
    }

    @Test("the first rule that finds its pattern takes the line; ignored and other lines make no popup")
    func order() throws {
        let yaml = """
            - pattern: heartbeat
              ignore: true
            - pattern: error
              group: a
            - pattern: .
              group: b
            """
        let made = try popups(yaml, [("heartbeat error", .zero), ("error 1", .zero), ("x", .zero), ("", .zero)])
        #expect(made.map { $0?.group } == [nil, "a", "b", nil])
        #expect(made[1]?.text == "error")
    }

    @Test("a limit holds back, and the next popup says how many")
    func limit() throws {
        let yaml = "- {pattern: 'e(\\d)', text: '{1}', group: g, limit: {most: 2, perMs: 1000}}"
        let made = try popups(
            yaml,
            [
                ("e1", .zero), ("e2", .milliseconds(500)), ("e3", .milliseconds(600)), ("e4", .milliseconds(999)),
                ("e5", .milliseconds(1000)), ("e6", .milliseconds(1100)), ("e7", .milliseconds(1500)),
            ])
        #expect(made.map { $0?.text } == ["1", "2", nil, nil, "5 (+2 more)", nil, "7 (+1 more)"])
    }

    @Test("at the end, the last popup that a limit holds back says how many others it held back")
    func end() throws {
        let yaml = """
            - {pattern: 'e(\\d)', text: '{1}', group: g, limit: {most: 1, perMs: 1000}}
            - {pattern: 'w(\\d)', text: '{1}', group: g, limit: {most: 1, perMs: 1000}}
            """
        var book = RuleBook(try RulesFile.rules(yaml, file: "rules.yaml"), name: "run")
        for line in ["e1", "w1", "e2", "e3", "e4"] { _ = book.popup(for: line, at: .zero) }
        #expect(book.heldBack == 3)
        #expect(book.finish().map(\.text) == ["4 (+2 more)"])
        #expect(book.popups == 3)
        #expect(book.finish().isEmpty)
    }

    @Test("a capture cannot leave its segment of the group")
    func group() throws {
        let yaml = "- {pattern: 'host=(.*)', group: 'hosts/{1}'}"
        let made = try popups(yaml, [("host=a/b *", .zero), ("host=", .zero)])
        #expect(made.map { $0?.group } == ["hosts/a-b--", "hosts/none"])
    }

    @Test(
        "what is wrong is told with its line",
        arguments: [
            ("- pattern: '(['\n  group: g", ["rules.yaml:1: `([` is not a regular expression"]),
            ("- pattern: a\n  group: g\n- pattern: b", ["rules.yaml:3: the rule has no `group`"]),
            (
                "- pattern: a\n  group: a b\n  priority: high",
                ["rules.yaml:2: `a b` is not a valid group name", "rules.yaml:3: `priority`"]
            ),
            (
                "- pattern: a\n  group: g\n  prioritty: 3",
                ["rules.yaml:3: `prioritty` is not a field of a rule; did you mean `priority`?"]
            ),
            (
                "- pattern: a\n  group: g\n  colour: red",
                ["rules.yaml:3: `colour` is not a field of a rule; the known ones are `pattern`, `ignore`, "]
            ),
            ("- pattern: a(b)\n  group: g\n  text: '{2}{x}{'", ["rules.yaml:3: `text`: `{` has no `}`"]),
            (
                "- pattern: a(b)\n  group: g\n  text: '{2}'\n  title: '{x}'",
                [
                    "rules.yaml:3: `text`: the pattern has no capture 2; it has 1",
                    "rules.yaml:4: `title`: the pattern has no capture `x`",
                ]
            ),
            ("- pattern: a\n  group: g\n  limit: 3", ["rules.yaml:3: `limit`"]),
            (
                "- pattern: a\n  group: g\n  exclusive: SOME",
                ["rules.yaml:3: `exclusive` must be one of ALL, GROUP, NONE"]
            ),
            ("- group: g", ["rules.yaml:1: the rule has no `pattern`"]),
            ("pattern: a", ["rules.yaml:1: is not a list of rules"]),
            ("- pattern: a\n   group: g", ["rules.yaml:2: is not YAML"]),
            ("", ["rules.yaml:1: is not a list of rules"]),
        ])
    func wrong(yaml: String, problems: [String]) {
        let error = #expect(throws: RuleProblems.self) { try RulesFile.rules(yaml, file: "rules.yaml") }
        let told = error?.problems.map { "\($0)" } ?? []
        #expect(told.count == problems.count)
        for (problem, beginning) in zip(told, problems) { #expect(problem.hasPrefix(beginning)) }
    }
}
