import Testing

@Suite("popup-broker with a misspelt command")
struct MisspeltCommandTests {
    @Test(
        "names the command that may be meant, and ends with 64",
        arguments: [
            (["rnu"], "there is no command `rnu`; did you mean `run`?"),
            (["chek-config"], "there is no command `chek-config`; did you mean `check-config`?"),
            (["frobnicate"], "there is no command `frobnicate`; see `popup-broker --help`"),
            (["journal", "verfy"], "there is no command `journal verfy`; did you mean `verify`?"),
            (["keys", "nwe", "--output", "k"], "there is no command `keys nwe`; did you mean `new`?"),
            (["keys", "frobnicate"], "there is no command `keys frobnicate`; `popup-broker keys` has `new`, `public`"),
        ])
    func suggestion(words: [String], message: String) async throws {
        let program = try await Program.run(words)
        #expect(program.status == 64)
        #expect(program.errors == ["popup-broker: \(message)"])
        #expect(program.output.isEmpty)
    }

    @Test(
        "names the option that may be meant, and not what is missing without it",
        arguments: [
            (["simulate", "--diff", "--polcy=x"], "Unknown option '--polcy'. Did you mean '--policy'?"),
            (
                ["check-config", "broker.yaml", "--may", "show", "--gruop", "lobby"],
                "Unknown option '--gruop'. Did you mean '--group'?"
            ),
            (["journal", "backup", "data", "--ot", "y"], "Unknown option '--ot'. Did you mean '--to'?"),
            (["run", "--confg", "broker.yaml"], "Unknown option '--confg'. Did you mean '--config'?"),
        ])
    func misspeltOption(words: [String], message: String) async throws {
        let program = try await Program.run(words)
        #expect(program.status == 64)
        #expect(program.errors.first == "Error: \(message)")
        #expect(program.errors.dropFirst().first?.hasPrefix("Usage: popup-broker \(words[0]) ") == true)
        #expect(program.output.isEmpty)
    }

    @Test("says what is missing if every option is known")
    func missing() async throws {
        let program = try await Program.run(["journal", "backup", "data"])
        #expect(program.status == 64)
        #expect(program.errors.first == "Error: Missing expected argument '--to <directory>'")
    }

    @Test(
        "still knows its commands, options and help",
        arguments: [["version"], ["--version"], ["help", "run"], ["help", "keys", "new"]])
    func known(arguments: [String]) async throws {
        let program = try await Program.run(arguments)
        #expect(program.status == 0)
        #expect(!program.output.isEmpty)
    }
}
