/// The number of columns that text takes on a terminal.
///
/// Terminals do not agree on all emoji. These are the widths that most present ones use: Unicode Standard Annex #11,
/// and two columns for everything shown as an emoji. A renderer that draws its borders at absolute positions is correct
/// on the others, too.
package enum TextWidth {
    /// The East Asian Wide and Fullwidth characters, without the emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
        0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]

    /// Returns the columns of a character: 0, 1 or 2.
    package static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        let first = scalars.first!
        if first.isASCII, scalars.count == 1 { return first.value < 0x20 || first.value == 0x7F ? 0 : 1 }
        if scalars.contains("\u{FE0E}") { return 1 }
        if first.properties.isEmoji, scalars.contains("\u{FE0F}") { return 2 }
        if first.properties.isEmojiPresentation { return 2 }
        if wide.contains(where: { $0.contains(first.value) }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return 1
        }
    }

    /// Returns the columns of a text.
    package static func columns(of text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Returns the longest beginning of a text that fits these columns.
    package static func prefix(of text: some StringProtocol, columns: Int) -> String {
        var result = ""
        var used = 0
        for character in text {
            used += self.columns(of: character)
            if used > columns { break }
            result.append(character)
        }
        return result
    }

    /// Returns the text in at most these columns: cut with an ellipsis if it is wider.
    package static func cut(_ text: some StringProtocol, columns: Int, ellipsis: String = "…") -> String {
        guard self.columns(of: text) > columns else { return String(text) }
        guard columns > 0 else { return "" }
        let end = prefix(of: ellipsis, columns: columns)
        return prefix(of: text, columns: columns - self.columns(of: end)) + end
    }

    /// Returns the text in exactly these columns: cut with an ellipsis, or filled with spaces.
    package static func fit(_ text: some StringProtocol, columns: Int, ellipsis: String = "…") -> String {
        let result = cut(text, columns: columns, ellipsis: ellipsis)
        return result + String(repeating: " ", count: max(0, columns - self.columns(of: result)))
    }
}
