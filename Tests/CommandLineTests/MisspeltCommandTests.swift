import Testing

@Suite("popup-broker with a misspelt command")
struct MisspeltCommandTests {
    @Test(
        "names the command that may be meant, and ends with 64",
        arguments: [
            ("rnu", "popup-broker: there is no command `rnu`; did you mean `run`?"),
            ("chek-config", "popup-broker: there is no command `chek-config`; did you mean `check-config`?"),
        ])
    func suggestion(word: String, message: String) async throws {
        let program = try await Program.run(word)
        #expect(program.status == 64)
        #expect(program.errors == [message])
        #expect(program.output.isEmpty)
    }

    @Test("still knows its commands, options and help", arguments: [["version"], ["--version"], ["help", "run"]])
    func known(arguments: [String]) async throws {
        let program = try await Program.run(arguments)
        #expect(program.status == 0)
        #expect(!program.output.isEmpty)
    }
}
