import PopupClient
import PopupProtocol
import SwiftProtobuf
import Testing

@testable import popupctl

@Suite("popupctl top")
struct TopTableTests {
    private let plain = Terminal(isTerminal: false, environment: ["LC_ALL": "C.UTF-8"])
    private let start = ContinuousClock.now

    private func stats(commands: UInt64, popups: UInt64 = 0, epoch: UInt64 = 1) -> BrokerStatistics {
        var stats = BrokerStatistics()
        stats.epoch = epoch
        stats.commands = commands
        stats.events = 2 * commands
        stats.popups = popups
        return stats
    }

    private func lines(_ table: TopTable, rows: Int = 24) -> [String] {
        table.lines(on: plain, endpoint: "tcp://broker:5001", rows: rows)
    }

    @Test("counts per second between two looks, and begins anew with a broker that was started again")
    func rates() {
        var table = TopTable(stats: stats(commands: 100), at: start)
        table.update(stats(commands: 101), popups: [], isTruncated: false, at: start + .seconds(2))
        #expect(lines(table)[1] == "commands 0.5/s  refused 0.0/s  events 1.0/s  commits 0.0/s")
        table.update(stats(commands: 221), popups: [], isTruncated: false, at: start + .seconds(4))
        #expect(lines(table)[1] == "commands 60/s  refused 0.0/s  events 120/s  commits 0.0/s")
        table.update(stats(commands: 900, epoch: 2), popups: [], isTruncated: false, at: start + .seconds(6))
        #expect(lines(table)[1] == "commands 0.0/s  refused 0.0/s  events 0.0/s  commits 0.0/s")
    }

    @Test("has the rates of the kinds and the reasons that there were, the highest first, and how long commits take")
    func kinds() {
        func counted(shows: UInt64, updates: UInt64, clears: UInt64, overload: UInt64) -> BrokerStatistics {
            var stats = stats(commands: shows + updates + clears)
            stats.commandsByKind = [("show", shows), ("update", updates), ("clear", clears)].map { kind, count in
                BrokerStatistics.CommandCount.with { ($0.kind, $0.count) = (kind, count) }
            }
            stats.refusedByReason = [(RefusalReason.overload, overload), (.invalid, 4)].map { reason, count in
                BrokerStatistics.RefusedCount.with { ($0.reason, $0.count) = (reason, count) }
            }
            stats.commitTimes.count = 2
            stats.commitTimes.buckets = [BrokerStatistics.HistogramBucket.with { ($0.upToUs, $0.count) = (64, 2) }]
            return stats
        }
        var table = TopTable(stats: counted(shows: 1, updates: 0, clears: 3, overload: 0), at: start)
        let next = counted(shows: 5, updates: 20, clears: 3, overload: 2)
        table.update(next, popups: [], isTruncated: false, at: start + .seconds(2))
        let lines = lines(table)
        #expect(lines[2] == "commands: update 10/s  show 2.0/s")
        #expect(lines[3] == "refused: OVERLOAD 1.0/s")
        #expect(lines[4] == "groups 0  live popups 0  subscriptions 0")
        #expect(lines[5] == "99 of 100 turns within 0 µs, commits within 64 µs")
    }

    @Test("fits the rows, and says how many popups it leaves out", arguments: [7, 12, 24])
    func rows(_ rows: Int) {
        var table = TopTable(stats: stats(commands: 1), at: start)
        let popups = (0..<40).map { number in
            var popup = PopupSummary()
            popup.id = "p\(number)"
            return popup
        }
        table.update(stats(commands: 1, popups: 40), popups: popups, isTruncated: false, at: start + .seconds(1))
        let drawn = lines(table, rows: rows)
        #expect(drawn.count == rows)
        #expect(drawn.last == "… \(40 - (rows - 7)) more")
        #expect(lines(table, rows: 100).count == 46)
    }

    @Test(
        "counts the popups that it leaves out also where each takes two lines", arguments: [(12, 2), (13, 2), (14, 1)])
    func narrow(rows: Int, left: Int) {
        var table = TopTable(stats: stats(commands: 1), at: start)
        let popups = (0..<4).map { number in
            var popup = PopupSummary()
            (popup.id, popup.excerpt) = (
                "\(number)" + String(repeating: "f", count: 31), "Hello from a test of 80 columns"
            )
            return popup
        }
        table.update(stats(commands: 1, popups: 4), popups: popups, isTruncated: false, at: start + .seconds(1))
        let drawn = table.lines(on: plain, endpoint: "tcp://broker:5001", columns: 60, rows: rows)
        #expect(drawn.count <= rows)
        #expect(drawn.last == "… \(left) more")
        #expect(drawn.suffix(3).first?.hasPrefix("\(3 - left)f") == true)
    }

    @Test("draws what a hostile broker sends, every number the greatest", arguments: [1, 5, 6, 7, 24, .max])
    func hostileNumbers(_ rows: Int) {
        var table = TopTable(stats: stats(commands: 0, epoch: .max), at: start)
        table.update(.hostile, popups: [PopupSummary()], isTruncated: true, at: start)
        let lines = lines(table, rows: rows)
        // In a thousandth of a second, the least that counts.
        #expect(lines[1].hasPrefix("commands 9223372036854775807/s  refused 9223372036854775807/s"))
        let shown: UInt64 = rows < 8 ? 0 : 1
        #expect(lines.last == "… \(UInt64.max - shown) more")
    }

    @Test("counts none as left out by a broker that counts fewer popups than it lists")
    func fewerThanListed() {
        var table = TopTable(stats: stats(commands: 1), at: start)
        let popups = [PopupSummary](repeating: PopupSummary(), count: 9)
        table.update(stats(commands: 1, popups: 2), popups: popups, isTruncated: false, at: start + .seconds(1))
        #expect(lines(table, rows: 12).last == "… 0 more")
    }

    @Test("fits 80 columns above the popups of a busy broker")
    func width() {
        var busy = stats(commands: 9_000_000_000, popups: 1_000_000)
        (busy.version, busy.uptimeMs) = ("10.12.13", 2_000_000_000)
        (busy.groups, busy.subscriptions, busy.turns.p99Us) = (1_000_000, 1_000_000, 9_999_999)
        busy.commitTimes.count = 1
        busy.commitTimes.buckets = [BrokerStatistics.HistogramBucket.with { ($0.upToUs, $0.count) = (16_777_216, 1) }]
        var table = TopTable(stats: stats(commands: 0), at: start)
        table.update(busy, popups: [], isTruncated: false, at: start + .seconds(60))
        #expect(lines(table).allSatisfy { $0.count <= 80 })
    }

    @Test("is ASCII without a locale of UTF-8")
    func ascii() {
        var table = TopTable(stats: stats(commands: 1), at: start)
        var popup = PopupSummary()
        (popup.id, popup.title, popup.excerpt) = ("A", "News", "Hello")
        table.update(stats(commands: 1, popups: 9), popups: [popup], isTruncated: true, at: start + .seconds(1))
        let terminal = Terminal(isTerminal: true, environment: [:])
        let lines = table.lines(on: terminal, endpoint: "tcp://broker:5001", rows: 24)
        #expect(lines.contains("99 of 100 turns within 0 us"))
        #expect(lines.contains { $0.hasSuffix("News - Hello") })
        #expect(lines.last == "... 8 more")
    }

    @Test("says that the broker is gone")
    func outdated() {
        var table = TopTable(stats: stats(commands: 1), at: start)
        table.isOutdated = true
        #expect(lines(table)[0] == "no broker at tcp://broker:5001: this view is outdated")
        table.update(stats(commands: 1), popups: [], isTruncated: false, at: start + .seconds(1))
        #expect(lines(table)[0].hasPrefix("popup-broker "))
    }
}
