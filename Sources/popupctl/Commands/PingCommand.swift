import ArgumentParser
import Foundation
import PopupClient

struct PingCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract: "Ask the broker for an answer, which needs no right: a health check.",
        discussion: """
            Prints one line and ends with 0 if the broker answers, with 75 if it does not within --timeout, and with 77 \
            if it does not accept your key. A broker that waits for its disk answers, \
            except during its first commit and while it takes no further commands.
            """)

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        let start = ContinuousClock.now
        _ = try await admin.whoami()
        let time = start.duration(to: .now)
        let milliseconds = String(format: "%.1f", time / .milliseconds(1))
        if broker.json {
            let endpoint = String(decoding: try JSONEncoder().encode(admin.connection.endpoints.ingress), as: UTF8.self)
            Terminal.print("{\"endpoint\":\(endpoint),\"milliseconds\":\(milliseconds)}")
        } else {
            Terminal.print("\(admin.connection.endpoints.ingress): the broker answers, after \(milliseconds) ms")
        }
    }
}
