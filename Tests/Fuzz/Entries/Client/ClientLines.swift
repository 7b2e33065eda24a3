import Foundation
import PopupClient
import PopupProtocol
import SwiftProtobuf
@testable import popupctl

/// What `popupctl` prints of what it is sent.
enum ClientLines {
    private static let zone = TimeZone(secondsFromGMT: 0) ?? .current

    static func write(_ screen: GroupState, at now: ContinuousClock.Instant) {
        _ = WatchLine.text(screen, at: Date(timeIntervalSince1970: 0))
        _ = GroupDrawing(terminal: .current, now: now).lines(screen.group, LiveView.Group(state: screen))
        _ = screen.remaining(at: now)
    }

    static func write(_ event: WireEvent) {
        _ = EventLine.text(event, timeZone: zone)
    }

    static func write(_ reply: WireReply) {
        switch reply.reply.result {
        case .list(let list)?: write(Table(of: list.popups))
        case .count?: break
        case .peek(let peeked)?: write(Table(of: peeked.popups))
        case .explain(let explanation)?: _ = ExplanationLines(explanation: explanation, timeZone: zone).lines
        case .path(let path)?: _ = Words.path(path)
        case .stats(let stats)?: write(stats)
        case .whoami(let identity)?: _ = WhoamiLines(identity: identity).lines
        case .policies(let found)?:
            for policy in found.policies { _ = PolicyLines(policy: policy, asked: nil).lines }
        case .history(let history)?: write(Table(of: history.popups))
        case .groups(let found)?: write(Table(of: found.groups))
        case .suspensions(let found)?: write(Table(of: found.suspensions))
        case .renderers(let found)?: write(Table(of: found.renderers))
        case .producers(let found)?: write(Table(of: found.producers))
        case .refused(let refused)?: _ = Failure.refused(refused)
        case nil: break
        }
    }

    private static func write(_ table: Table) { _ = table.lines(on: .current) }

    /// Writes the lines, the metrics, and tables after a first look at which the broker had done nothing.
    private static func write(_ stats: BrokerStatistics) {
        _ = StatsLines(stats: stats).lines
        _ = PrometheusText(stats, at: 0)
        var before = BrokerStatistics()
        before.epoch = stats.epoch
        before.commandsByKind = stats.commandsByKind.map { count in .with { $0.kind = count.kind } }
        for rows in [1, 24, .max] {
            var table = TopTable(stats: before, at: beginning)
            table.update(stats, popups: [PopupSummary()], isTruncated: rows == 1, at: beginning + .seconds(1))
            _ = table.lines(on: .current, endpoint: "tcp://broker:5001", rows: rows)
        }
    }

    private static let beginning = ContinuousClock.now
}
