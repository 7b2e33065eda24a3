import PopupClient
import TestPrograms
import Testing

/// A `popup-broker run` on free ports, ended with the test.
final class RunningBroker: Sendable {
    let ingress: String
    let egress: String
    private let program: RunningProgram

    /// Starts it and waits for its readiness line.
    convenience init(_ arguments: String...) async throws {
        try await self.init(arguments: arguments)
    }

    /// Starts it and waits for its readiness line. What it keeps ends with it, unless arguments or environment say
    /// otherwise.
    convenience init(_ arguments: String..., environment: [String: String]) async throws {
        try await self.init(arguments: arguments, environment: environment)
    }

    init(
        ingress: String = "tcp://127.0.0.1:*", arguments: [String],
        environment: [String: String] = ["POPUP_BROKER_JOURNAL_DURABILITY": "memory"]
    ) async throws {
        program = try RunningProgram(
            Program.url, ["run", "--ingress", ingress, "--egress", "tcp://127.0.0.1:*"] + arguments,
            environment: environment)
        let line = try await program.output.next()
        let form = /popup-broker ready ingress=(\S+) egress=(tcp:\/\/127\.0\.0\.1:\d+) epoch=\d+/
        let ready = try #require(line.wholeMatch(of: form), "\(line)")
        self.ingress = String(ready.1)
        egress = String(ready.2)
    }

    var endpoints: BrokerEndpoints { BrokerEndpoints(ingress: ingress, egress: egress) }

    var processID: Int32 { program.identifier }

    func signal(_ number: Int32) {
        program.signal(number)
    }

    /// Waits for the next line of the log that contains a text.
    ///
    /// - Throws: `Lines.Ended` when the log ends before.
    func logged(_ text: String) async throws {
        _ = try await program.errors.next { $0.contains(text) }
    }

    /// How it exits: its exit code, or 128 and a signal's number.
    func exitStatus() async -> Int32 { await program.exitCode() }
}
