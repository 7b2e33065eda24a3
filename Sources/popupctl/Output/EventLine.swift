import Foundation
import PopupClient
import TerminalText

/// An event as a line of text.
enum EventLine {
    /// Returns the line: `12:03:04 lobby A closed DISMISSED ok, shown for 3.2 s  [home/history]`
    static func text(_ event: PopupEvent, timeZone: TimeZone = .current) -> String {
        let date = Date(timeIntervalSince1970: Double(event.time) / 1000)
        let path = event.path.isEmpty ? "" : "  [\(event.path.map(\.onOneLine).joined(separator: "/"))]"
        let words = [WatchLine.time(date, timeZone), event.group, event.popup.onOneLine, what(event)]
        return words.filter { !$0.isEmpty }.joined(separator: " ") + path
    }

    private static func what(_ event: PopupEvent) -> String {
        switch event.event {
        case .queued: "queued"
        case .offered: "offered"
        case .shown(let shown): shown.attempt > 1 ? "shown, attempt \(shown.attempt)" : "shown"
        case .paused: "paused"
        case .resumed: "resumed"
        case .updated: "updated"
        case .closed(let closed): Words.closed(closed)
        case .refused(let refused): "refused \(refused.reason.name): \(refused.detail.onOneLine)"
        case nil: "an event that this version does not know"
        }
    }
}
