import ArgumentParser
import Foundation
import PopupClient
import PopupProtocol
import TerminalText

struct StatsCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print the broker's counters.",
        discussion: """
            --prometheus prints them in the text format of Prometheus, for node_exporter's textfile collector:

              popupctl stats --prometheus >popup.prom.new; mv popup.prom.new popup.prom

            If the broker does not answer, it prints `popup_broker_up 0` and ends with 75.
            """)

    @Flag(help: "Print the counters in the text format of Prometheus.")
    var prometheus = false

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func validate() throws {
        if prometheus, broker.json { throw ValidationError("Give --prometheus or --json, not both.") }
    }

    func run(_ admin: AdminClient) async throws {
        guard !prometheus else { return try await printMetrics(admin) }
        let stats = try await admin.statistics()
        guard !broker.json else { return Terminal.print(try JSON.line(stats)) }
        StatsLines(stats: stats).lines.map(Terminal.current.characters.text).forEach(Terminal.print)
    }

    private func printMetrics(_ admin: AdminClient) async throws {
        do {
            Terminal.write(PrometheusText(try await admin.statistics(), at: Date().timeIntervalSince1970).text)
        } catch let error as ClientError {
            // A refusal comes from a broker that is up.
            switch error {
            case .noReply, .notConnected, .sendTimedOut: Terminal.write(PrometheusText.unreachable)
            default: break
            }
            throw error
        }
    }
}
