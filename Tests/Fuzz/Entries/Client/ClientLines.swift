import Foundation
@_spi(Wire) import PopupClient
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

    static func write(_ event: PopupEvent) {
        _ = EventLine.text(event, timeZone: zone)
    }

    static func write(_ reply: WireReply) {
        switch reply.reply.result {
        case .list(let list)?: write(Table(of: list.popups.map(PopupSummary.init(wire:))))
        case .count?: break
        case .peek(let peeked)?: write(Table(of: peeked.popups.map(PopupSummary.init(wire:))))
        case .explain(let explanation)?:
            _ = ExplanationLines(explanation: PopupExplanation(wire: explanation), timeZone: zone).lines
        case .path(let path)?: _ = Words.path(PagePath(wire: path))
        case .stats(let stats)?: write(BrokerStatistics(wire: stats))
        case .whoami(let identity)?: _ = WhoamiLines(identity: BrokerIdentity(wire: identity)).lines
        case .policies(let found)?:
            for policy in found.policies { _ = PolicyLines(policy: PolicyInForce(wire: policy), asked: nil).lines }
        case .history(let history)?: write(Table(of: history.popups.map(ClosedPopup.init(wire:))))
        case .groups(let found)?: write(Table(of: found.groups.map(GroupCounts.init(wire:))))
        case .suspensions(let found)?: write(Table(of: found.suspensions.map(PopupSuspension.init(wire:))))
        case .renderers(let found)?: write(Table(of: found.renderers.map(RendererSummary.init(wire:))))
        case .producers(let found)?: write(Table(of: found.producers.map(ProducerSequences.init(wire:))))
        case .refused(let refused)?: _ = Failure.refused(PopupEvent.Refused(wire: refused))
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
        before.commandsByKind = stats.commandsByKind.map { count in
            var before = count
            before.count = 0
            return before
        }
        for rows in [1, 24, .max] {
            var table = TopTable(stats: before, at: beginning)
            table.update(stats, popups: [PopupSummary()], isTruncated: rows == 1, at: beginning + .seconds(1))
            _ = table.lines(on: .current, endpoint: "tcp://broker:5001", rows: rows)
        }
    }

    private static let beginning = ContinuousClock.now
}
