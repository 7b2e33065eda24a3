import Foundation
import Testing
import TestPrograms

@Suite("A simulation", .ownThread)
struct SimulateTests {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func simulate(_ lines: String, _ arguments: String...) throws -> ChildProcess.Result {
        let file = try folder.write("commands.jsonl", lines)
        return try ChildProcess(Programs.broker, ["simulate", file] + arguments).result()
    }

    @Test("of the protocol's example prints what the protocol says")
    func example() throws {
        let result = try simulate(
            """
            {"at":0,"show":{"id":"A","group":"g","priority":1,"durationMs":3000}}
            {"at":500,"show":{"id":"B","group":"g","priority":9}}
            {"at":900,"dismiss":{"id":"B","action":"ok"}}

            """)

        #expect(
            result
                == ChildProcess.Result(
                    exit: .code(0),
                    output: """
                        {"at":0,"group":"g","popup":"A","shown":{"attempt":1}}
                        {"at":500,"group":"g","popup":"A","paused":{}}
                        {"at":500,"group":"g","popup":"B","shown":{"attempt":1}}
                        {"at":900,"group":"g","popup":"B","closed":{"reason":"DISMISSED","action":"ok","displayedMs":400}}
                        {"at":900,"group":"g","popup":"A","resumed":{}}
                        {"at":3400,"group":"g","popup":"A","closed":{"reason":"TIMED_OUT","displayedMs":3000}}

                        """, error: ""))
    }

    @Test("takes no longer than it must, whatever times it tells of")
    func virtualTime() throws {
        let result = try simulate(#"{"at":0,"show":{"id":"A","group":"g","durationMs":4000000000}}"#)

        #expect(result.lines.last?.hasPrefix(#"{"at":4000000000,"group":"g","popup":"A","closed""#) == true)
    }

    @Test("goes by the policies of a file")
    func policies() throws {
        let policy = try folder.write("policy.yaml", "policies:\n  - group: g\n    preset: FIFO\n    gapMs: 250\n")
        let result = try simulate(
            """
            {"at":0,"show":{"id":"A","group":"g","durationMs":1000}}
            {"at":1,"show":{"id":"B","group":"g","priority":9,"durationMs":1000}}

            """, "--policy", policy)

        #expect(
            result.lines == [
                #"{"at":0,"group":"g","popup":"A","shown":{"attempt":1}}"#,
                #"{"at":1,"group":"g","popup":"B","queued":{}}"#,
                #"{"at":1000,"group":"g","popup":"A","closed":{"reason":"TIMED_OUT","displayedMs":1000}}"#,
                #"{"at":1250,"group":"g","popup":"B","shown":{"attempt":1}}"#,
                #"{"at":2250,"group":"g","popup":"B","closed":{"reason":"TIMED_OUT","displayedMs":1000}}"#,
            ])
    }

    @Test("answers queries, tells refusals, and ends at what is no JSON")
    func odds() throws {
        let result = try simulate(
            """
            {"at":0,"show":{"id":"A","group":"g"}}
            {"at":5,"query":{"client":"c","nonce":"n","count":{}}}
            {"at":6,"dance":{}}
            {"at":7,"show":{"id":"B","group":"g","flow":{"stage":1}}}

            """)
        #expect(result.exit == .code(0))
        #expect(
            result.lines.prefix(2) == [
                #"{"at":0,"group":"g","popup":"A","shown":{"attempt":1}}"#,
                #"{"at":5,"client":"c","nonce":"n","reply":{"count":{"popups":1}}}"#,
            ])
        #expect(result.lines.count == 4)
        #expect(result.lines[2].hasPrefix(#"{"at":6,"refused":{"reason":"UNSUPPORTED","#))
        #expect(result.lines[3].hasPrefix(#"{"at":7,"group":"g","popup":"B","refused":{"reason":"INVALID","#))

        let bad = try simulate("no JSON\n")
        #expect(bad.exit == .code(65))
        #expect(bad.output == "")
        #expect(bad.error.split(separator: "\n").count == 1)
    }
}
