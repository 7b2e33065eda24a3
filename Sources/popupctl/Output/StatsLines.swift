import PopupClient
import PopupProtocol
import TerminalText

/// The statistics of a broker, for people.
struct StatsLines {
    let stats: BrokerStatistics

    /// The part of a limit, in thousandths, from which its table is told.
    private static let noteworthyPart: UInt64 = 500

    var lines: [String] {
        rows.map { $0.name + String(repeating: " ", count: max(1, 15 - $0.name.count)) + $0.value.onOneLine }
    }

    private var rows: [(name: String, value: String)] {
        let window = Words.time(.milliseconds(Int64(clamping: stats.rememberedWindowMs)))
        var rows = [
            ("version", "\(stats.version), protocol \(stats.protocol), epoch \(stats.epoch)"),
            ("running for", Words.time(.milliseconds(Int64(clamping: stats.uptimeMs)))),
            ("groups", "\(stats.groups)"),
            ("live popups", "\(stats.popups): \(stats.waiting) waiting, \(stats.paused) paused"),
            ("remembered ids", "\(stats.remembered), each for at least \(window)"),
            ("renderers", "\(stats.renderers)"),
            ("subscriptions", "\(stats.subscriptions)"),
            ("commands", "\(stats.commands) in \(stats.batches) batches"),
        ]
        rows += counts(stats.commandsByKind.map { ($0.kind, $0.count) })
        rows.append(("refused", "\(stats.refused)"))
        rows += counts(stats.refusedByReason.map { ($0.reason.name, $0.count) })
        rows.append(("events", "\(stats.events)"))
        rows += counts(stats.eventsByKind.map { ($0.kind, $0.count) })
        rows.append(("closed", "\(stats.closed.map(\.count).saturatedSum)"))
        rows += counts(stats.closed.map { ($0.reason.name, $0.count) })
        rows += [
            ("waiting", stats.waitingTimes.words), ("commits", stats.commitTimes.words),
            ("timers late", stats.timerLateness.words), ("turns", stats.turns.words), ("journal", journal),
        ]
        if stats.connectionsCut > 0 {
            let slow = stats.slowSubscribers == 0 ? "" : ", \(stats.slowSubscribers) because they did not read"
            rows.append(("connections", "\(stats.connectionsCut) closed\(slow)"))
        }
        for limit in stats.limits where limit.used > 0 && limit.used >= limit.most.thousandths(Self.noteworthyPart) {
            rows.append(("limit", "\(limit.limit): \(limit.used) of \(limit.most)"))
        }
        rows += stats.denied.map { ("denied", $0.words) }
        return rows
    }

    /// Returns one indented row for each count above 0.
    private func counts(_ counts: [(name: String, count: UInt64)]) -> [(name: String, value: String)] {
        counts.filter { $0.count > 0 }.map { ("  \($0.name)", "\($0.count)") }
    }

    private var journal: String {
        let size = stats.journalBytes.map { "\($0.addingSaturated(1023) / 1024) KiB" } ?? "in memory"
        let findings = stats.journalFindings == 0 ? "" : ", \(stats.journalFindings) findings at the start"
        return "\(size), \(stats.snapshots) snapshots\(findings)"
    }
}

extension BrokerStatistics.Histogram {
    /// The number of values, and the bounds that half of them and 99 of 100 do not exceed: `12; half within 4.1 ms, …`.
    var words: String {
        guard count > 0 else { return "none" }
        return "\(count); half \(bound(perMille: 500)), 99 of 100 \(bound(perMille: 990))"
    }

    /// Returns the bound that so many of a thousand do not exceed: `within 4.1 ms`.
    func bound(perMille: UInt64) -> String {
        let wanted = count.thousandths(perMille)
        var (seen, last): (UInt64, UInt64) = (0, 0)
        for bucket in buckets {
            seen = seen.addingSaturated(bucket.count)
            guard let bound = bucket.upToUs else { break }
            last = bound
            if seen >= wanted { return "within \(Self.time(last))" }
        }
        return "over \(Self.time(last))"
    }

    private static func time(_ microseconds: UInt64) -> String {
        if microseconds < 1000 { return "\(microseconds) µs" }
        guard microseconds < 1_000_000 else { return Words.time(.microseconds(Int64(clamping: microseconds))) }
        return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
    }
}

extension BrokerStatistics.TurnTimes {
    fileprivate var words: String {
        "\(count); median \(medianUs) µs, 99th percentile \(p99Us) µs, longest \(longestUs) µs, \(long) over 20 ms"
    }
}

extension BrokerStatistics.DeniedCount {
    /// The number of denials, the user and the missing right: `3 times to clerk, because it lacks the right show`.
    fileprivate var words: String {
        let times = count == 1 ? "once" : "\(count) times"
        if user.isEmpty, right.isEmpty { return "\(times) to others" }
        let cause = right.isEmpty ? "under the name of another" : "because it lacks the right \(right)"
        return "\(times) to \(user.isEmpty ? "clients without a key" : user), \(cause)"
    }
}
