import ExampleSupport
import PopupClient

/// Which way led to which popup, and to what end: made of the events' paths.
struct Attribution: Equatable {
    /// What became of a popup, and where.
    struct Row: Equatable {
        /// The way on which the person was when it ended; where the person had no part in that, when it was last shown.
        var way: [String]
        var popup: String
        var end: String
    }

    private(set) var rows: [Row] = []
    private var lastWay: [String: [String]] = [:]

    /// Takes in the next event.
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

    /// The ways in their order, each with what it led to.
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
