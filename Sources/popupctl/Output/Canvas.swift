import TerminalText

/// Lines at the end of the terminal that are redrawn in place. The text above them stays, and so does the last drawing.
struct Canvas {
    private var drawn = 0

    mutating func open() {
        Terminal.write("\u{1B}[?25l")
    }

    mutating func draw(_ lines: [String], columns: Int) {
        var text = drawn > 0 ? "\u{1B}[\(drawn)A\r" : ""
        for line in lines { text += Self.cut(line, to: columns) + "\u{1B}[K\n" }
        Terminal.write(text + "\u{1B}[J")
        drawn = lines.count
    }

    /// Shows the cursor again, on a new line.
    func close() {
        Terminal.write("\u{1B}[0m\u{1B}[?25h")
    }

    /// Returns the beginning of a line that fits the columns, so that it never takes two rows. Colour sequences have no
    /// width.
    static func cut(_ line: String, to columns: Int) -> String {
        var width = 0
        var result = ""
        var isSequence = false
        for character in line {
            if character == "\u{1B}" { isSequence = true }
            if isSequence {
                result.append(character)
                if character.isLetter { isSequence = false }
                continue
            }
            let characterWidth = TextWidth.columns(of: character)
            guard width + characterWidth <= columns else { return result + "\u{1B}[0m" }
            width += characterWidth
            result.append(character)
        }
        return result
    }
}
