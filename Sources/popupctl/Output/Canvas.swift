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
            let characterWidth = Self.width(character)
            guard width + characterWidth <= columns else { return result + "\u{1B}[0m" }
            width += characterWidth
            result.append(character)
        }
        return result
    }

    /// Returns the columns of a character on a terminal: two for wide East Asian characters and pictures.
    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.properties.isEmojiPresentation { return 2 }
        return switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}
