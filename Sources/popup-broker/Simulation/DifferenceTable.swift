import PopupSimulation

/// The differences between two runs, as a table with a summary.
struct DifferenceTable {
    private let differences: [PopupDifference]
    private let popups: Int

    /// Creates a table of differences among this number of popups.
    init(_ differences: [PopupDifference], popups: Int) {
        self.differences = differences
        self.popups = popups
    }

    /// The lines; the summary is the last one.
    var lines: [String] {
        guard !differences.isEmpty else { return [summary] }
        let rows =
            [("popup", "group", "difference")]
            + differences.map { difference in
                (difference.popup, difference.group, difference.changes.map(\.description).joined(separator: "; "))
            }
        let widths = (rows.map(\.0.count).max() ?? 0, rows.map(\.1.count).max() ?? 0)
        return rows.map { "\(padded($0.0, widths.0))  \(padded($0.1, widths.1))  \($0.2)" } + [summary]
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

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}
