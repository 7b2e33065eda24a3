import Foundation
import Testing

@Suite("popup-broker check-config")
struct CheckConfigTests {
    @Test("A good file: the whole configuration, and where each value was set")
    func good() async throws {
        let file = try TemporaryFile("limits: {groups: 7}\npolicies:\n  - {group: lobby, preset: FIFO}\n")
        let checked = try await Program.run(
            "check-config", file.path, "--egress", "tcp://[::1]:*", environment: ["POPUP_BROKER_LOG_LEVEL": "debug"])
        #expect(checked.status == 0)
        #expect(checked.errors == [])
        #expect(checked.output.contains("  groups: 7  # \(file.path):1"))
        #expect(checked.output.contains("  endpoint: \"tcp://[::1]:*\"  # --egress"))
        #expect(checked.output.contains("  level: debug  # environment variable POPUP_BROKER_LOG_LEVEL"))
        #expect(checked.output.contains("  - {\"group\":\"lobby\",\"preset\":\"FIFO\"}"))
        let resolved = #"    # resolves to {"group":"lobby","preset":"FIFO","higher":"DEFER","#
        #expect(checked.output.contains { $0.hasPrefix(resolved) })
    }

    @Test("A bad file: every mistake on the standard error, exit 78")
    func bad() async throws {
        let file = try TemporaryFile("limits: {group: 7}\npolicies:\n  - {group: lobby, preset: FILO}\n")
        let checked = try await Program.run("check-config", file.path)
        #expect(checked.status == 78)
        #expect(checked.output == [])
        #expect(
            checked.errors == [
                "popup-broker: \(file.path):1: limits.group: there is no such setting; did you mean `limits.groups`?",
                "popup-broker: \(file.path):3: policies[0].preset: is \"FILO\", but must be one of "
                    + "PRIORITY, FIFO, LIFO, POLITE, STACKED",
            ])
    }

    @Test("A policy with several mistakes: all of them at once, and that it is given twice")
    func badPolicies() async throws {
        let file = try TemporaryFile(
            """
            policies:
              - group: lobby
                quiet: [{from: "22:00", to: "7:00", timeZone: Europe/Berln}]
                caps: [{most: 0, perMs: 1}, {most: 3}]
              - group: lobby
                preset: FIFO
            """)
        let checked = try await Program.run("check-config", file.path)
        #expect(checked.status == 78)
        let problems = checked.errors.map { $0.replacing("popup-broker: \(file.path):", with: "") }
        let beginnings = [
            "3: policies[0]: `quiet[0].to` is not a time of day", "4: policies[0]: `caps[0].most` is 0",
            "4: policies[0]: `caps[1].perMs`", "3: policies[0]: `quiet[0].timeZone` is `Europe/Berln`",
            "5: policies[1]: is for `lobby`, like the one of line 2",
        ]
        for beginning in beginnings { #expect(problems.contains { $0.hasPrefix(beginning) }) }
        #expect(problems.count == beginnings.count)
    }

    @Test(
        "The configurations of the examples and of the image are good",
        arguments: ["configuration/popup-broker.yaml", "containers/popup-broker.yaml"])
    func examples(_ name: String) async throws {
        let examples = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Examples")
        let checked = try await Program.run("check-config", examples.appending(path: name).standardizedFileURL.path)
        #expect(checked.errors == [])
        #expect(checked.status == 0)
    }

    @Test("Called wrongly: exit 64")
    func usage() async throws {
        #expect(try await Program.run("check-config").status == 64)
        #expect(try await Program.run("check-config", "x", "--set", "limits.groups").status == 64)
        #expect(try await Program.run("chek-config", "x").status == 64)
    }
}
