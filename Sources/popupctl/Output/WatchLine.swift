import Foundation
import PopupClient
import TerminalText

/// A change of a group as a line of text.
enum WatchLine {
    /// Returns the line: `12:03:04 lobby shown: welcome, priority 5, 8.0 s left, 2 in queue: Hello`
    static func text(_ state: GroupState, at date: Date, _ characters: TerminalCharacters = .unicode) -> String {
        let queue = state.toCome == 0 ? "" : ", \(state.toCome) in queue"
        let content = characters.text(content(state))
        return "\(time(date)) \(state.group) \(cause(state)): \(shown(state))\(queue)\(content)"
    }

    /// Returns the time of day: "12:03:04".
    static func time(_ date: Date, _ timeZone: TimeZone = .current) -> String {
        date.formatted(.verbatim(clock, timeZone: timeZone, calendar: .current))
    }

    /// Returns the date and the time of day: "2026-11-23 12:03:04".
    static func dateAndTime(milliseconds: UInt64, _ timeZone: TimeZone = .current) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        let day = date.formatted(.verbatim(Self.day, timeZone: timeZone, calendar: Calendar(identifier: .gregorian)))
        return "\(day) \(time(date, timeZone))"
    }

    private static let day: Date.FormatString = "\(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits)"

    private static let clock: Date.FormatString =
        "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)"

    private static func cause(_ state: GroupState) -> String {
        let cause = state.cause
        guard cause.kind == .closed else { return cause.kind == .unspecified ? "changed" : cause.kind.name }
        let action = cause.action.isEmpty ? "" : " \(cause.action.onOneLine)"
        return "closed \(cause.popup.onOneLine) \(cause.reason.name)\(action)"
    }

    private static func shown(_ state: GroupState) -> String {
        if let offered = state.offered { return "\(offered.id.onOneLine) offered, priority \(offered.priority)" }
        guard let popup = state.popup else { return "nothing shown" }
        let rest = state.remaining(at: state.received).map { ", \(Words.time($0)) left" } ?? ""
        return "\(popup.id.onOneLine), priority \(popup.priority)\(rest)"
    }

    private static func content(_ state: GroupState) -> String {
        guard let text = (state.popup ?? state.offered)?.headline, !text.isEmpty else { return "" }
        return ": \(text)"
    }
}

extension Popup {
    /// The title and the text, on one line.
    var headline: String {
        [presentation.title, contentText].filter { !$0.isEmpty }.map(\.onOneLine).joined(separator: " – ")
    }
}
