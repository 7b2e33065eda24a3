import TerminalText

/// A breaker of text into lines that fit.
public enum TextWrap {
    /// Returns the lines of one paragraph, none wider than `columns`. Lines break at spaces, anywhere in scripts of
    /// wide characters, and within a word only if it is too long for a line of its own.
    ///
    /// - Parameter columns: The width, at least 2, so that a wide character fits.
    public static func lines(_ paragraph: String, columns: Int) -> [String] {
        precondition(columns >= 2, "a wide character needs two columns")
        var lines: [String] = []
        var line = ""
        var width = 0
        for piece in pieces(of: paragraph) {
            let pieceWidth = TextWidth.columns(of: piece)
            if width + pieceWidth <= columns {
                line += piece
                width += pieceWidth
                continue
            }
            if piece.allSatisfy({ $0 == " " }) {
                // Spaces at the end of a line are not carried over.
                lines.append(line)
                (line, width) = ("", 0)
                continue
            }
            if width > 0 {
                lines.append(line.trimmedAtEnd)
                (line, width) = ("", 0)
            }
            for character in piece {
                let characterWidth = TextWidth.columns(of: character)
                if width + characterWidth > columns {
                    lines.append(line)
                    (line, width) = ("", 0)
                }
                line.append(character)
                width += characterWidth
            }
        }
        lines.append(line.trimmedAtEnd)
        return lines
    }

    /// Returns the pieces of a text: words, runs of spaces, and single wide characters.
    private static func pieces(of text: String) -> [Substring] {
        var pieces: [Substring] = []
        var start = text.startIndex
        var index = start
        var previous: Kind?
        while index < text.endIndex {
            let kind = Kind(text[index])
            if let previous, previous != kind || kind == .wide {
                pieces.append(text[start..<index])
                start = index
            }
            previous = kind
            index = text.index(after: index)
        }
        if start < text.endIndex { pieces.append(text[start...]) }
        return pieces
    }

    private enum Kind {
        case space
        case word
        case wide

        init(_ character: Character) {
            self = character == " " ? .space : TextWidth.columns(of: character) == 2 ? .wide : .word
        }
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
