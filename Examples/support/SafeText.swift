/// A text from somebody else, made harmless for a terminal.
///
/// The text of a popup comes from whoever may publish. An escape sequence in it could move the cursor, rename the
/// window or answer in place of the user.
public enum SafeText {
    /// The greatest number of scalars of one character. The longest emoji sequences need ten; stacked accents have no
    /// limit.
    static let maxScalars = 16

    /// Returns the text as one line. Line breaks become ` ⏎ `.
    public static func line(_ text: String) -> String {
        lines(text).joined(separator: " ⏎ ")
    }

    /// Returns the lines of the text. Control characters become their pictures (`␛`), characters that are invisible or
    /// change the direction of writing are left out, and a tab becomes a few spaces.
    public static func lines(_ text: String) -> [String] {
        var lines: [String] = []
        var line = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            switch scalar {
            case "\n" where previous == "\r":
                continue
            case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}":
                lines.append(limited(String(line)))
                line = String.UnicodeScalarView()
            case "\t":
                line.append(contentsOf: "    ".unicodeScalars)
            default:
                if let scalar = harmless(scalar) { line.append(scalar) }
            }
        }
        lines.append(limited(String(line)))
        return lines
    }

    private static func harmless(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value)
        case 0x7F: "\u{2421}"
        case 0x80...0x9F: "\u{FFFD}"
        case 0x200C, 0x200D: scalar  // Joiners, which belong to words and emoji.
        default: scalar.properties.generalCategory == .format ? nil : scalar
        }
    }

    private static func limited(_ line: String) -> String {
        guard line.contains(where: { $0.unicodeScalars.count > maxScalars }) else { return line }
        return line.reduce(into: "") { $0.unicodeScalars.append(contentsOf: $1.unicodeScalars.prefix(maxScalars)) }
    }
}
