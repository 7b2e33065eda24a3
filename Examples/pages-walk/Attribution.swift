import ExampleSupport
import PopupClient
import TerminalText

/// The popups to which each path led, and how they ended, from the paths of the events.
struct Attribution: Equatable {
    /// The outcome of a popup, with its path.
    struct Row: Equatable {
        /// The path when the popup ended; if the user had no part in its end, the path when it was last shown.
        var way: [String]
        var popup: String
        var end: String
    }

    private(set) var rows: [Row] = []
    private var lastWay: [String: [String]] = [:]

    /// Adds the next event.
    mutating func add(_ event: PopupEvent) {
        switch event.event {
        case .shown, .resumed:
            lastWay[event.popup] = event.path
        case .closed(let closed):
            let last = lastWay.removeValue(forKey: event.popup)
            let way = closed.reason == .dismissed ? event.path : last ?? event.path
            rows.append(
                Row(way: way, popup: event.popup, end: closed.action.isEmpty ? closed.reason.name : closed.action))
        default: break
        }
    }

    /// Returns the paths in their order, each with the popups to which it led.
    func lines() -> [String] {
        let rows = rows.map { [$0.way.joined(separator: "/"), $0.popup, $0.end] }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
        let table = [["way", "popup", "end"]] + rows.map { $0.map(SafeText.line) }
        let widths = (0..<3).map { column in table.map { TextWidth.columns(of: $0[column]) }.max() ?? 0 }
        return table.map { row in
            var line = zip(row, widths).map { TextWidth.fit($0, columns: $1) }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
