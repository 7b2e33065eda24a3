import Foundation
import PopupClient

/// A group's change on one line, for logs and pipes.
enum WatchLine {
    /// `12:03:04 lobby shown: welcome, priority 5, 8.0 s left, 2 to come: Hello`
    static func text(_ screen: GroupState, at date: Date) -> String {
        let waiting = screen.toCome == 0 ? "" : ", \(screen.toCome) to come"
        return "\(time(date)) \(screen.group) \(cause(screen)): \(shown(screen))\(waiting)\(content(screen))"
    }

    /// "12:03:04".
    static func time(_ date: Date, _ timeZone: TimeZone = .current) -> String {
        date.formatted(.verbatim(clock, timeZone: timeZone, calendar: .current))
    }

    private static let clock: Date.FormatString =
        "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)"

    private static func cause(_ screen: GroupState) -> String {
        let cause = screen.cause
        guard cause.kind == .closed else { return cause.kind == .unspecified ? "changed" : cause.kind.name }
        let action = cause.action.isEmpty ? "" : " \(cause.action.onOneLine)"
        return "closed \(cause.popup.onOneLine) \(cause.reason.name)\(action)"
    }

    private static func shown(_ screen: GroupState) -> String {
        if let offered = screen.offered { return "\(offered.id.onOneLine) offered, priority \(offered.priority)" }
        guard let popup = screen.popup else { return "nothing on screen" }
        let rest = screen.remaining(at: screen.received).map { ", \(Words.time($0)) left" } ?? ""
        return "\(popup.id.onOneLine), priority \(popup.priority)\(rest)"
    }

    private static func content(_ screen: GroupState) -> String {
        guard let text = (screen.popup ?? screen.offered)?.headline, !text.isEmpty else { return "" }
        return ": \(text)"
    }
}

extension Popup {
    /// Title and text on one line.
    var headline: String {
        [presentation.title, contentText].filter { !$0.isEmpty }.map(\.onOneLine).joined(separator: " – ")
    }
}
