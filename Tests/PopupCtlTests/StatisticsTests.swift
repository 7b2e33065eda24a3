import Foundation
import PopupClient
import PopupProtocol
import SwiftProtobuf
import Testing

@testable import popupctl

@Suite("popupctl stats")
struct StatisticsTests {
    private var stats: BrokerStatistics {
        var stats = BrokerStatistics()
        stats.version = #"1"\"#
        stats.commandsByKind = [("show", 3), ("update", 0)].map { (kind: String, count: UInt64) in
            var entry = BrokerStatistics.CommandCount()
            (entry.kind, entry.count) = (kind, count)
            return entry
        }
        stats.closed = [(.dismissed, 2), (.advanced, 0)].map { (reason: PopupClosed.Reason, count: UInt64) in
            var entry = BrokerStatistics.ClosedCount()
            (entry.reason, entry.count) = (reason, count)
            return entry
        }
        stats.limits = [("limits.groups", 1, 2), ("limits.popups", 1, 3)].map {
            (limit: String, used: UInt64, most: UInt64) in
            var entry = BrokerStatistics.LimitUse()
            (entry.limit, entry.used, entry.most) = (limit, used, most)
            return entry
        }
        stats.commitTimes.count = 4
        stats.commitTimes.sumUs = 1_500_000
        stats.commitTimes.buckets = [(16, 1), (64, 2), (nil, 1)].map { (bound: UInt64?, count: UInt64) in
            var bucket = BrokerStatistics.HistogramBucket()
            if let bound { bucket.upToUs = bound }
            bucket.count = count
            return bucket
        }
        (stats.connectionsCut, stats.slowSubscribers) = (3, 1)
        return stats
    }

    @Test("tells of each kind and reason that there was, and of tables that are half full")
    func lines() {
        let lines = StatsLines(stats: stats).lines
        #expect(lines.contains("  show         3"))
        #expect(lines.contains("  DISMISSED    2"))
        #expect(!lines.contains { $0.contains("update") || $0.contains("ADVANCED") || $0.contains("limits.popups") })
        #expect(lines.contains("limit          limits.groups: 1 of 2"))
        #expect(lines.contains("commits        4; half within 64 µs, 99 of 100 over 64 µs"))
        #expect(lines.contains("waiting        none"))
        #expect(lines.contains("connections    3 closed, 1 because they did not read"))
    }

    @Test("says how large numbers are that a hostile broker sends, all of them the greatest")
    func hostileNumbers() {
        let lines = StatsLines(stats: .hostile).lines
        let most = UInt64.max
        #expect(lines.contains("live popups    \(most): \(most) waiting, \(most) paused"))
        #expect(lines.contains("closed         \(most)"))
        #expect(lines.contains("commits        \(most); half within 2562047788 h, 99 of 100 within 2562047788 h"))
        #expect(lines.contains("journal        \(most / 1024) KiB, \(most) snapshots, \(most) findings at the start"))
        #expect(lines.contains("limit          limits.groups: \(most) of \(most)"))
        #expect(lines.contains("denied         \(most) times to others"))
        #expect(!PrometheusText(.hostile, at: 100).text.isEmpty)
    }

    @Test("tells of a limit from exactly half of it on", arguments: [2, 3, 1000, .max] as [UInt64])
    func half(_ most: UInt64) {
        func lines(used: UInt64) -> [String] {
            var stats = BrokerStatistics()
            stats.limits = [
                BrokerStatistics.LimitUse.with { ($0.limit, $0.used, $0.most) = ("limits.groups", used, most) }
            ]
            return StatsLines(stats: stats).lines.filter { $0.hasPrefix("limit ") }
        }
        let half = most / 2 + most % 2
        #expect(lines(used: half) == ["limit          limits.groups: \(half) of \(most)"])
        #expect(lines(used: half - 1) == [])
    }

    @Test("gives Prometheus every kind, reason and limit, and buckets that add up")
    func metrics() {
        let lines = PrometheusText(stats, at: 100).text.split(separator: "\n")
        for line in [
            #"popup_broker_info{version="1\"\\",protocol="0"} 1"#, #"popup_broker_commands_total{kind="update"} 0"#,
            #"popup_broker_closed_total{reason="DISMISSED"} 2"#,
            #"popup_broker_limit_used{limit="limits.popups"} 1"#, #"popup_broker_limit_most{limit="limits.popups"} 3"#,
            "# TYPE popup_broker_commit_duration_seconds histogram",
            #"popup_broker_commit_duration_seconds_bucket{le="1.6e-05"} 1"#,
            #"popup_broker_commit_duration_seconds_bucket{le="6.4e-05"} 3"#,
            #"popup_broker_commit_duration_seconds_bucket{le="+Inf"} 4"#,
            "popup_broker_commit_duration_seconds_sum 1.5", "popup_broker_commit_duration_seconds_count 4",
        ] { #expect(lines.contains(Substring(line))) }
        #expect(!lines.contains { $0.contains("journal_bytes") })
    }

    @Test("gives Prometheus each series once, with its type before it")
    func series() {
        var typed: Set<Substring> = []
        var seen: Set<Substring> = []
        for line in PrometheusText(stats, at: 100).text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# TYPE") {
                #expect(typed.insert(words[2]).inserted)
            } else if !line.hasPrefix("#") {
                let name = words[0].split(separator: "{")[0]
                let family = ["_bucket", "_sum", "_count"].first { name.hasSuffix($0) }.map { name.dropLast($0.count) }
                #expect(typed.contains(name) || typed.contains(family ?? name))
                #expect(seen.insert(words[0]).inserted)
            }
        }
    }
}

extension BrokerStatistics {
    /// Statistics in which every number is the greatest.
    static var hostile: BrokerStatistics {
        var stats = BrokerStatistics()
        let most = UInt64.max
        (stats.epoch, stats.protocol, stats.uptimeMs, stats.rememberedWindowMs) = (most, .max, most, most)
        (stats.groups, stats.popups, stats.waiting, stats.paused) = (most, most, most, most)
        (stats.remembered, stats.producers, stats.renderers, stats.subscriptions) = (most, most, most, most)
        (stats.commands, stats.refused, stats.events, stats.batches) = (most, most, most, most)
        (stats.repetitions, stats.sequencesReused, stats.lateReports) = (most, most, most)
        (stats.connectionsCut, stats.slowSubscribers) = (most, most)
        (stats.journalBytes, stats.journalFindings, stats.snapshots, stats.lastSnapshotAt) = (most, most, most, most)
        for kind in ["show", "update"] {
            stats.commandsByKind.append(.with { ($0.kind, $0.count) = (kind, most) })
            stats.eventsByKind.append(.with { ($0.kind, $0.count) = (kind, most) })
        }
        stats.closed = [PopupClosed.Reason.dismissed, .advanced].map { reason in
            BrokerStatistics.ClosedCount.with { ($0.reason, $0.count) = (reason, most) }
        }
        stats.refusedByReason = [RefusalReason.overload, .invalid].map { reason in
            BrokerStatistics.RefusedCount.with { ($0.reason, $0.count) = (reason, most) }
        }
        stats.limits = [.with { ($0.limit, $0.used, $0.most) = ("limits.groups", most, most) }]
        stats.denied = [.with { $0.count = most }, .with { $0.count = most }]
        let histogram = BrokerStatistics.Histogram.with { histogram in
            (histogram.count, histogram.sumUs) = (most, most)
            // Half of the values are in the first two, whose sum is too great.
            histogram.buckets = [
                .with { ($0.upToUs, $0.count) = (16, most / 4) }, .with { ($0.upToUs, $0.count) = (most, most) },
                .with { $0.count = most },
            ]
        }
        (stats.commitTimes, stats.waitingTimes, stats.timerLateness) = (histogram, histogram, histogram)
        (stats.turns.count, stats.turns.medianUs, stats.turns.p99Us) = (most, most, most)
        (stats.turns.longestUs, stats.turns.long, stats.turns.sumUs) = (most, most, most)
        stats.turns.buckets = histogram.buckets
        return stats
    }
}
