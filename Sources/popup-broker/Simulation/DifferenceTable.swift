import PopupSimulation
import TerminalText

/// The differences between two runs, as a table with a summary.
struct DifferenceTable {
    private let differences: [PopupDifference]
    private let popups: Int
    private let characters: TerminalCharacters

    /// Creates a table of differences among this number of popups, in these characters.
    init(_ differences: [PopupDifference], popups: Int, _ characters: TerminalCharacters) {
        self.differences = differences
        self.popups = popups
        self.characters = characters
    }

    /// The lines; the summary is the last one.
    var lines: [String] {
        guard !differences.isEmpty else { return [summary] }
        var rows = [["popup", "group", "content", "time to live", "difference"]]
        rows += differences.map { difference in
            [
                difference.popup.onOneLine, difference.group,
                TextWidth.cut(
                    characters.text(difference.content.onOneLine), columns: Self.contentWidth,
                    ellipsis: characters.ellipsis),
                difference.timeToLive == 0 ? "" : Self.time(Int64(difference.timeToLive)),
                difference.changes.map { $0.words(Self.time) }.joined(separator: "; ").onOneLine,
            ]
        }
        // Without the columns that would be empty.
        let empty = [
            differences.allSatisfy(\.content.isEmpty) ? 2 : nil,
            differences.allSatisfy { $0.timeToLive == 0 } ? 3 : nil,
        ].compactMap(\.self)
        rows = rows.map { row in row.indices.filter { !empty.contains($0) }.map { row[$0] } }
        let widths = rows[0].indices.dropLast().map { column in
            rows.map { TextWidth.columns(of: $0[column]) }.max() ?? 0
        }
        return rows.map { row in
            zip(row, widths).map { TextWidth.fit($0, columns: $1) }.joined(separator: "  ") + "  " + (row.last ?? "")
        } + [summary]
    }

    /// The maximum number of columns of a content.
    private static let contentWidth = 40

    /// Returns a time as tables have it; one that is less than a tenth of a second in ms.
    private static func time(_ milliseconds: Int64) -> String {
        milliseconds < 100 ? "\(milliseconds) ms" : DurationText.text(.milliseconds(milliseconds))
    }

    private var summary: String {
        let counts = [
            ("shown earlier", count { if case .earlier = $0 { true } else { false } }),
            ("later", count { if case .later = $0 { true } else { false } }),
            ("never", count { $0 == .never }),
            ("only now", count { $0 == .onlyNow }),
            ("more often", count { if case .moreOften = $0 { true } else { false } }),
            ("less often", count { if case .lessOften = $0 { true } else { false } }),
            ("with another end", count { if case .endsOtherwise = $0 { true } else { false } }),
        ]
        let list = counts.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        return "\(differences.count) of \(popups) popups differ: \(list)"
    }

    private func count(_ matches: (PopupDifference.Change) -> Bool) -> Int {
        differences.count { $0.changes.contains(where: matches) }
    }
}
