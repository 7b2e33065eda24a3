/// What stands on the terminal, so that only rows that changed are drawn again.
struct Canvas {
    /// A line at a place.
    struct Piece: Equatable {
        var column: Int
        var line: StyledLine
    }

    private let isColoured: Bool
    private var drawn: [[Piece]] = []

    init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// Forgets what stands there: the next frame is drawn whole.
    mutating func invalidate() {
        drawn.removeAll()
    }

    /// The bytes that bring the terminal from the last frame to this one. Each piece is put at its absolute place, so
    /// that a character which the terminal makes wider than expected can't move its neighbours.
    mutating func draw(_ rows: [[Piece]]) -> String {
        var bytes = ""
        if drawn.count != rows.count {
            bytes += "\u{1B}[0m\u{1B}[2J"
            drawn.removeAll()
        }
        for (row, pieces) in rows.enumerated() where drawn.isEmpty || drawn[row] != pieces {
            for piece in pieces {
                bytes += "\u{1B}[\(row + 1);\(piece.column + 1)H" + piece.line.sequence(inColour: isColoured)
            }
        }
        drawn = rows
        // One write shows it at once on terminals that know of it, and is ignored by others.
        return bytes.isEmpty ? "" : "\u{1B}[?2026h" + bytes + "\u{1B}[?2026l"
    }
}
