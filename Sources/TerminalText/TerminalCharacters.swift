/// The characters that a program may use, by the locale. Without UTF-8, a few typographic characters are replaced, also in the
/// titles and texts that users have written; their other characters, and names, stay as they are.
package enum TerminalCharacters: Sendable {
    /// All characters: the locale has UTF-8.
    case unicode
    /// The characters of ASCII: the locale has another encoding, or there is none.
    case ascii

    /// Creates the characters for the locale of an environment.
    package init(environment: [String: String]) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let name = locale.uppercased()
        self = name.contains("UTF-8") || name.contains("UTF8") ? .unicode : .ascii
    }

    /// The end of a text that is cut.
    package var ellipsis: String { self == .unicode ? "…" : "..." }

    /// Returns a text with ASCII in place of the typographic characters that the programs use, if the terminal may not have
    /// these.
    package func text(_ text: String) -> String {
        guard self == .ascii, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var result = ""
        for character in text {
            if let substitute = Self.substitutes[character] { result += substitute } else { result.append(character) }
        }
        return result
    }

    /// Returns a sentence likewise. Names, between backticks, stay as they are: a command may take them.
    package func sentence(_ text: String) -> String {
        guard self == .ascii else { return text }
        return text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            index.isMultiple(of: 2) ? self.text(String(part)) : String(part)
        }.joined(separator: "`")
    }

    private static let substitutes: [Character: String] = [
        "…": "...", "–": "-", "▶": ">", "µ": "u", "↑": "^", "↓": "v",
    ]
}
