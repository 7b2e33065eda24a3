import Foundation
import PopupClient
import PopupProtocol
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
        case .explain(let explanation)?: _ = ExplanationLines(explanation: explanation, timeZone: zone).lines
        case .list(let list)?: for popup in list.popups { _ = Words.timing(popup) }
        case .peek(let peeked)?: for popup in peeked.popups { _ = Words.timing(popup) }
        default: break
        }
    }
}
