import ArgumentParser
import Foundation
import PopupClient

/// What every subcommand that changes something takes.
struct AckOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Wait until the broker has accepted it; without, it is sent, and what becomes of it is not told.")
    var ack = true
}

/// A subcommand that changes something.
protocol ChangeCommand: BrokerCommand {
    var acks: AckOptions { get }

    /// Sends what it changes.
    ///
    /// - Returns: what it is about, for people.
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
