import Foundation
import PopupClient
import TestPrograms
import Testing

/// Every write to /dev/full fails, as on a full disk.
private let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

@Suite("Standard output that cannot be written", .enabled(if: hasFullDevice), .timeLimit(.minutes(5)))
struct LostOutputTests {
    private let folder = TemporaryDirectory()

    /// Runs the program with its standard output on a full disk.
    private func onFullDisk(_ arguments: [String], input: String = "") async throws -> (status: Int32, errors: [String])
    {
        let program = try RunningProgram(
            URL(filePath: "/bin/sh"), ["-c", #"exec "$0" "$@" >/dev/full"#, Program.url.path] + arguments, input: input,
            environment: [:])
        return (await program.exitCode(), await program.errors.all().filter { !$0.isEmpty })
    }

    private static let sentence =
        "popup-broker: standard output cannot be written (No space left on device); the output is not complete"

    @Test(
        "Exit 74 and a sentence: what is truncated does not look complete",
        arguments: [["version"], ["--version"], ["--help"], ["simulate", "--help"], ["keys", "new"]])
    func simple(arguments: [String]) async throws {
        let lost = try await onFullDisk(arguments)
        #expect(lost.status == 74)
        #expect(lost.errors == [Self.sentence])
    }

    @Test("Where it is closed, it is said so", arguments: [["version"], ["--version"], ["simulate", "--help"]])
    func closed(arguments: [String]) async throws {
        let program = try RunningProgram(
            URL(filePath: "/bin/sh"), ["-c", #"exec "$0" "$@" >&-"#, Program.url.path] + arguments, input: "",
            environment: [:])
        #expect(await program.exitCode() == 74)
        #expect(
            await program.errors.all().filter { !$0.isEmpty }
                == ["popup-broker: standard output is closed; the output is not complete"])
    }

    @Test("check-config and simulate, also with --diff")
    func files() async throws {
        let commands = """
            {"at":0,"show":{"id":"A","group":"g","durationMs":10}}
            {"at":1,"show":{"id":"B","group":"g","priority":1,"durationMs":10}}
            """
        let policy = try TemporaryFile("policies: [{group: g, higher: STOP}]\n")
        for (arguments, input) in [
            (["check-config", policy.path], ""), (["simulate", "-"], commands),
            (["simulate", "--diff", "--policy", policy.path, "-"], commands),
            (["simulate", "--diff", "--json", "--policy", policy.path, "-"], commands),
        ] {
            let lost = try await onFullDisk(arguments, input: input)
            #expect(lost.status == 74, "\(arguments)")
            #expect(lost.errors == [Self.sentence], "\(arguments)")
        }
    }

    @Test("journal export, info and verify")
    func journal() async throws {
        let broker = try await RunningBroker("--data-dir", folder.path, environment: [:])
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        try await admin.show(Popup(id: "A", group: "lobby", text: "Hello"))
        await admin.close()
        for command in ["export", "info", "verify"] {
            let lost = try await onFullDisk(["journal", command, folder.path])
            #expect(lost.status == 74, "\(command)")
            #expect(lost.errors == [Self.sentence], "\(command)")
        }
    }

    @Test("A reader that leaves early ends the program silently, as any other in a pipe")
    func closedPipe() async throws {
        let line = #"{"at":0,"show":{"id":"A","group":"g","durationMs":10}}"#
        let program = try RunningProgram(
            URL(filePath: "/bin/sh"), ["-c", #""$0" simulate - | true"#, Program.url.path], input: line,
            environment: [:])
        #expect(await program.exitCode() == 0)
        #expect(await program.errors.all().filter { !$0.isEmpty } == [])
    }
}
