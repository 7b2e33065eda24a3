import ArgumentParser
import Foundation
import PopupClient

/// What every subcommand that changes something takes.
struct ReceiptOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Wait until the broker has accepted it; without, it is sent, and what becomes of it is not told.")
    var receipt = true
}

/// A subcommand that changes something.
protocol ChangeCommand: BrokerCommand {
    var receipts: ReceiptOptions { get }

    /// Sends what it changes.
    ///
    /// - Returns: what it is about, for people.
    func send(_ console: Console) async throws -> String
}

extension ChangeCommand {
    func run() async throws {
        guard !receipts.receipt else { return try await withConsole(.confirmed, run) }
        try await withConsole(.bestEffort) { console in
            let subject = try await send(console)
            if broker.json {
                Terminal.print(String(decoding: try JSONEncoder().encode(["sent": subject]), as: UTF8.self))
            } else {
                Terminal.print("\(subject.onOneLine): sent")
            }
        }
    }
}
