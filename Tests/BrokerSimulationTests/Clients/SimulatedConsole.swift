import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// A console: sends what the script says, and reads the answers.
final class SimulatedConsole: SimulatedClient {
    let name: String
    let prefixes: [String]
    /// The nonces of the queries that were answered.
    private(set) var answered: Set<String> = []

    init(name: String) {
        self.name = name
        prefixes = ["replies/\(name)/", "events+json/"]
    }

    func receive(_ topic: String, _ body: [UInt8], at now: Milliseconds, _ hand: inout Hand) {
        guard topic.hasPrefix("replies/"), let reply = try? WireReply(serializedBytes: body) else { return }
        answered.insert(reply.nonce)
    }

    func wake(at now: Milliseconds, _ hand: inout Hand) {}
}
