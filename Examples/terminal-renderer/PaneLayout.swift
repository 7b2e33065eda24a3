/// A rectangle of the terminal, in cells from 0.
struct Area: Equatable {
    var column: Int
    var row: Int
    var columns: Int
    var rows: Int
}

/// The arrangement of several groups on the terminal.
enum Arrangement: String, CaseIterable {
    case beside
    case stacked
}

/// The areas of a terminal of some size.
struct PaneLayout: Equatable {
    var panes: [Area]
    /// The area for the last lines of a file, below the panes.
    var tail: Area?
    /// The area for the keys, in the last row, and for a sentence above them.
    var status: Area

    init(columns: Int, rows: Int, panes count: Int, arrangement: Arrangement, hasTail: Bool, statusRows: Int = 1) {
        // The panes keep one row.
        let statusRows = max(1, min(statusRows, rows - 1))
        var height = max(0, rows - statusRows)
        status = Area(column: 0, row: height, columns: columns, rows: statusRows)
        tail = nil
        if hasTail, height >= 12 {
            let tailRows = min(10, height / 3)
            height -= tailRows
            tail = Area(column: 0, row: height, columns: columns, rows: tailRows)
        }
        panes = (0..<count).map { index in
            switch arrangement {
            case .beside:
                let left = columns * index / count
                // One column between two panes stays free.
                let width = columns * (index + 1) / count - left - (index + 1 < count ? 1 : 0)
                return Area(column: left, row: 0, columns: width, rows: height)
            case .stacked:
                let top = height * index / count
                return Area(column: 0, row: top, columns: columns, rows: height * (index + 1) / count - top)
            }
        }
    }
}
