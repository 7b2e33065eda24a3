import ArgumentParser
import Foundation
import PopupClient
import PopupProtocol

extension WireTurnTimes {
    fileprivate var words: String {
        "\(count); median \(medianUs) µs, 99th percentile \(p99Us) µs, longest \(longestUs) µs, \(long) over 20 ms"
    }
}

extension WireDeniedCount {
    /// How often, to whom and what: `3 times to clerk, for want of the right show`.
    fileprivate var words: String {
        let times = count == 1 ? "once" : "\(count) times"
        if user.isEmpty, right.isEmpty { return "\(times) to others" }
        let cause = right.isEmpty ? "under the name of another" : "for want of the right \(right)"
        return "\(times) to \(user.isEmpty ? "clients without a key" : user), \(cause)"
    }
}

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
        Terminal.print("version        \(stats.version), protocol \(stats.protocol), epoch \(stats.epoch)")
        Terminal.print("running for    \(Words.time(.milliseconds(Int64(clamping: stats.uptimeMs))))")
        Terminal.print("groups         \(stats.groups)")
        Terminal.print("live popups    \(stats.popups)")
        let window = Words.time(.milliseconds(Int64(clamping: stats.rememberedWindowMs)))
        Terminal.print("remembered ids \(stats.remembered), each for at least \(window)")
        Terminal.print("commands       \(stats.commands) in \(stats.batches) batches")
        Terminal.print("refused        \(stats.refused)")
        Terminal.print("events         \(stats.events)")
        Terminal.print("subscriptions  \(stats.subscriptions)")
        Terminal.print("turns          \(stats.turns.words)")
        for denied in stats.denied { Terminal.print("denied         \(denied.words)".onOneLine) }
    }

    private func printMetrics(_ admin: AdminClient) async throws {
        do {
            Terminal.write(PrometheusText(try await admin.statistics(), at: Date()).text)
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
