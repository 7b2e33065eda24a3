import TerminalText

/// The content of the terminal, so that only rows that changed are drawn again.
struct Canvas {
    /// A line at a position.
    struct Piece: Equatable {
        var column: Int
        var line: StyledLine
    }

    private let isColoured: Bool
    /// Whether the program's own characters are in ASCII, too.
    private let isASCII: Bool
    private var drawn: [[Piece]] = []

    init(isColoured: Bool, isASCII: Bool = false) {
        self.isColoured = isColoured
        self.isASCII = isASCII
    }

    /// Forgets the content: the next frame is drawn as a whole.
    mutating func invalidate() {
        drawn.removeAll()
    }

    /// Returns the bytes that bring the terminal from the last frame to this one. Each piece is put at its absolute
    /// position, so that a character that the terminal makes wider than expected does not move what follows.
    mutating func draw(_ rows: [[Piece]]) -> String {
        var bytes = ""
        if drawn.count != rows.count {
            bytes += "\u{1B}[0m\u{1B}[2J"
            drawn.removeAll()
        }
        for (row, pieces) in rows.enumerated() where drawn.isEmpty || drawn[row] != pieces {
            // What lies between the new pieces, or beside them.
            if !drawn.isEmpty, !drawn[row].isEmpty, spans(drawn[row]) != spans(pieces) {
                bytes += "\u{1B}[0m\u{1B}[\(row + 1);1H\u{1B}[2K"
            }
            for piece in pieces {
                bytes += "\u{1B}[\(row + 1);\(piece.column + 1)H" + text(of: piece.line)
            }
        }
        drawn = rows
        // Terminals that know this sequence show the frame at once; others ignore it.
        return bytes.isEmpty ? "" : "\u{1B}[?2026h" + bytes + "\u{1B}[?2026l"
    }

    /// Returns the columns that pieces cover.
    private func spans(_ pieces: [Piece]) -> [Range<Int>] {
        pieces.map { $0.column..<$0.column + TextWidth.columns(of: $0.line.text) }
    }

    private func text(of line: StyledLine) -> String {
        let sequence = line.sequence(inColour: isColoured)
        guard isASCII else { return sequence }
        return sequence.replacing("…", with: "~").replacing("–", with: "-").replacing("⏎", with: "/")
    }
}
