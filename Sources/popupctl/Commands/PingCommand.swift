import ArgumentParser
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
        let (endpoint, milliseconds) = (admin.connection.endpoints.ingress, (time / .microseconds(100)).rounded() / 10)
        Terminal.print(
            broker.json
                ? JSON.line(report: .ping(endpoint: endpoint, milliseconds: milliseconds))
                : "\(endpoint): the broker answers, after \(milliseconds) ms")
    }
}
