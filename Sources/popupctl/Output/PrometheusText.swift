import Foundation
import PopupClient

/// The statistics of a broker in the text format of Prometheus, version 0.0.4.
struct PrometheusText {
    private(set) var text = ""

    /// Says that the broker does not answer.
    static var unreachable: String {
        var text = PrometheusText()
        text.add("popup_broker_up", .gauge, "Whether the broker answers.", 0)
        return text.text
    }

    /// Writes statistics that were received at `now`.
    init(_ stats: BrokerStatistics, at now: Date) {
        add("popup_broker_up", .gauge, "Whether the broker answers.", 1)
        add(
            "popup_broker_info", .gauge, "The broker's version, always 1.", 1,
            labels: [("version", stats.version), ("protocol", "\(stats.protocol)")])
        let start = now.timeIntervalSince1970 - Double(stats.uptimeMs) / 1000
        add(
            "popup_broker_start_time_seconds", .gauge, "When the broker started, since 1970-01-01T00:00:00Z.",
            UInt64(max(0, start.rounded())))
        add("popup_broker_groups", .gauge, "Groups.", stats.groups)
        add("popup_broker_popups", .gauge, "Live popups.", stats.popups)
        add("popup_broker_remembered_ids", .gauge, "Ids of closed popups that are remembered.", stats.remembered)
        add("popup_broker_producers", .gauge, "Producers whose sequences are remembered.", stats.producers)
        add("popup_broker_subscriptions", .gauge, "Subscriptions.", stats.subscriptions)
        add("popup_broker_commands_total", .counter, "Commands received.", stats.commands)
        add("popup_broker_refusals_total", .counter, "Commands refused.", stats.refused)
        add("popup_broker_events_total", .counter, "Events.", stats.events)
        add("popup_broker_commits_total", .counter, "Batches committed.", stats.batches)
        add("popup_broker_repetitions_total", .counter, "Commands received again under a sequence.", stats.repetitions)
        add("popup_broker_conflicts_total", .counter, "Other commands under a used sequence.", stats.sequencesReused)
        add("popup_broker_connections_cut_total", .counter, "Connections closed by the broker.", stats.connectionsCut)
        add("popup_broker_late_reports_total", .counter, "Reports about popups no longer shown.", stats.lateReports)
        let denials = stats.denied.reduce(0) { $0 + $1.count }
        add("popup_broker_denials_total", .counter, "Commands and subscriptions without the right.", denials)
        add("popup_broker_long_turns_total", .counter, "Turns of the loop above 20 ms.", stats.turns.long)
        add("popup_broker_journal_findings", .gauge, "Damage found in the journal at the start.", stats.journalFindings)
    }

    private init() {}

    private enum Kind: String { case gauge, counter }

    private mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ value: UInt64, labels: [(name: String, value: String)] = []
    ) {
        let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
        let braces = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n\(name)\(braces) \(value)\n"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
