import ArgumentParser
import PopupClient
import TerminalText

/// The options of every subcommand that changes something.
struct AckOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Wait until the broker has accepted the command; --no-ack only sends it.")
    var ack = true
}

/// A subcommand that changes something.
protocol ChangeCommand: BrokerCommand {
    var acks: AckOptions { get }

    /// Sends the command.
    ///
    /// - Returns: The popup, group, page or token that it is about, for the output.
    func send(_ admin: AdminClient) async throws -> String
}

extension ChangeCommand {
    /// Reports what became of a popup by an accepted command, as far as the user may ask about it.
    func printOutcome(
        of id: String, _ admin: AdminClient, _ words: (PopupExplanation) -> String
    ) async throws {
        guard let explanation = try await admin.explainIfAllowed(id) else { return printAccepted(id) }
        Terminal.print(broker.json ? try JSON.line(explanation) : words(explanation))
    }

    /// Reports that a command was sent, to a shard if one is named.
    func printSent(_ subject: String, to shard: String? = nil) {
        printReport(of: subject, shard, "sent")
    }

    /// Reports that a command was accepted, where the user may not ask what became of it.
    func printAccepted(_ subject: String) {
        printReport(of: subject, nil, "accepted")
    }

    private func printReport(of subject: String, _ shard: String?, _ word: String) {
        guard broker.json else {
            return Terminal.print([shard, subject.onOneLine, word].compactMap(\.self).joined(separator: ": "))
        }
        Terminal.print(JSON.line(report: .sent(subject, shard: shard)))
    }

    func run() async throws {
        guard !acks.ack else { return try await withAdminClient(.confirmed, run) }
        try await withAdminClient(.bestEffort) { admin in
            printSent(try await send(admin))
        }
    }
}
