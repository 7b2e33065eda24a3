import ArgumentParser
import Foundation
import PopupClient

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
    func run() async throws {
        guard !acks.ack else { return try await withAdminClient(.confirmed, run) }
        try await withAdminClient(.bestEffort) { admin in
            let subject = try await send(admin)
            if broker.json {
                Terminal.print(String(decoding: try JSONEncoder().encode(["sent": subject]), as: UTF8.self))
            } else {
                Terminal.print("\(subject.onOneLine): sent")
            }
        }
    }
}
