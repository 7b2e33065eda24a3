import PopupClient
import TerminalText

/// A table of what a broker does: how much it holds, what happened per second between two looks, and its live popups.
struct TopTable {
    /// Whether the broker did not answer the last query.
    var isOutdated = false
    private var stats: BrokerStatistics
    private var time: ContinuousClock.Instant
    private var rates = Rates()
    private var popups: [PopupSummary] = []
    private var hasMore = false

    private struct Rates {
        var commands = 0.0
        var refused = 0.0
        var events = 0.0
        var commits = 0.0
        /// The kinds and reasons with a rate above 0, the highest first.
        var kinds: [(name: String, rate: Double)] = []
        var reasons: [(name: String, rate: Double)] = []
    }

    init(stats: BrokerStatistics, at time: ContinuousClock.Instant) {
        self.stats = stats
        self.time = time
    }

    /// Takes over what the broker has answered. A broker that was started again begins with rates of 0.
    mutating func update(
        _ next: BrokerStatistics, popups: [PopupSummary], isTruncated: Bool, at now: ContinuousClock.Instant
    ) {
        let seconds = max(0.001, time.duration(to: now) / .seconds(1))
        func rate(_ counter: KeyPath<BrokerStatistics, UInt64>) -> Double {
            guard next.epoch == stats.epoch, next[keyPath: counter] >= stats[keyPath: counter] else { return 0 }
            return Double(next[keyPath: counter] - stats[keyPath: counter]) / seconds
        }
        let isSameRun = next.epoch == stats.epoch
        func rates(_ now: [(String, UInt64)], _ before: [(String, UInt64)]) -> [(name: String, rate: Double)] {
            let before = Dictionary(before, uniquingKeysWith: { $1 })
            return now.compactMap { name, count -> (name: String, rate: Double)? in
                guard isSameRun, let earlier = before[name], count > earlier else { return nil }
                return (name, Double(count - earlier) / seconds)
            }.sorted { $0.rate > $1.rate }
        }
        self.rates = Rates(
            commands: rate(\.commands), refused: rate(\.refused), events: rate(\.events), commits: rate(\.batches),
            kinds: rates(next.commandCounts, stats.commandCounts),
            reasons: rates(next.refusalCounts, stats.refusalCounts))
        (stats, time, isOutdated, hasMore) = (next, now, false, isTruncated)
        self.popups = popups
    }

    /// Returns the table, at most `rows` lines. What is wider than `columns` is cut where it is drawn, except the popups.
    func lines(on terminal: Terminal, endpoint: String, columns: Int = .max, rows: Int) -> [String] {
        let uptime = Words.time(.milliseconds(Int64(clamping: stats.uptimeMs)))
        let head =
            isOutdated
            ? terminal.styled("no broker at \(endpoint): this view is outdated", .red)
            : terminal.styled("popup-broker \(stats.version) at \(endpoint), running for \(uptime)", .faint)
        let rates = [
            ("commands", rates.commands), ("refused", rates.refused), ("events", rates.events),
            ("commits", rates.commits),
        ]
        let counts = "groups \(stats.groups)  live popups \(stats.popups)  subscriptions \(stats.subscriptions)"
        let turns = "99 of 100 turns within \(stats.turns.p99Us) µs"
        let commits = stats.commitTimes.count == 0 ? "" : ", commits \(stats.commitTimes.bound(perMille: 990))"
        let times = terminal.characters.text(turns + commits)
        let lines =
            [head, Self.line(rates)] + Self.line("commands", self.rates.kinds)
            + Self.line("refused", self.rates.reasons) + [counts, times, ""]
        let table = Table(of: popups).entries(on: terminal, columns: columns)
        let room = max(1, rows - lines.count)
        if table.joined().count <= room, !hasMore { return lines + table.joined() }
        var shown: [[String]] = []
        var left = room - 1
        for entry in table {
            left -= entry.count
            guard left >= 0 else { break }
            shown.append(entry)
        }
        let listed = UInt64(max(0, shown.count - 1))
        let rest = "\(terminal.characters.ellipsis) \(stats.popups - min(stats.popups, listed)) more"
        return lines + shown.joined() + [terminal.styled(rest, .faint)]
    }

    /// Returns rates on a line: "commands 12/s  refused 0.5/s".
    private static func line(_ rates: [(name: String, rate: Double)]) -> String {
        rates.map { "\($0.name) \(number($0.rate))/s" }.joined(separator: "  ")
    }

    /// Returns a line of the parts of a rate; none if there are none.
    private static func line(_ whole: String, _ parts: [(name: String, rate: Double)]) -> [String] {
        parts.isEmpty ? [] : ["\(whole): \(line(parts))"]
    }

    /// Returns a number with one decimal below 10: "0.5", "12".
    private static func number(_ value: Double) -> String {
        let tenths = Int(saturating: value * 10)
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(saturating: value))"
    }
}

extension BrokerStatistics {
    fileprivate var commandCounts: [(String, UInt64)] { commandsByKind.map { ($0.kind, $0.count) } }
    fileprivate var refusalCounts: [(String, UInt64)] { refusedByReason.map { ($0.reason.name, $0.count) } }
}
